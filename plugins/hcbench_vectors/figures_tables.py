"""Measured values of the tables of Gray et al. 2023 beside those printed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hcbench import DataNotAvailableError, figures
from hcbench_vectors.suites_published import columns_of
from hcbench_vectors.suites_tables import ERROR, data_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

    from hcbench import Claim, Verdict
    from hcbench.figures import FigureView

_INK, _FAINT = "#222222", "#999999"
_SCORES = {False: "Y", True: "ζ"}


def printed_and_measured(view: FigureView) -> Drawing:
    """A panel for each data set: printed values, with corrected misprints, and measured ones.

    Raises
    ------
    DataNotAvailableError
        If nothing was measured.
    """
    number = int(view.results.suite.name[-1])
    rows = [f"{column}  {_SCORES[pca]}" for column in columns_of(number) for pca in (False, True)]
    # Claims on standard errors have no row of their own.
    values = [v for v in view.results.judged if not v.claim.metric.startswith(ERROR)]
    judged = [v for v in values if v.measured is not None]
    panels = {
        name: [v for v in judged if v.claim.dataset == data.dataset]
        for name, data in data_of(number).items()
    }
    panels = {name: verdicts for name, verdicts in panels.items() if verdicts}
    if not panels:
        raise DataNotAvailableError("none of the printed values was measured")
    figure, axes = figures.new_figure(
        2.2 * len(panels) + 1.8, 0.26 * len(rows) + 1.3, columns=len(panels)
    )
    for ax, (name, verdicts) in zip(_as_list(axes), panels.items(), strict=True):
        for verdict in verdicts:
            _draw_verdict(ax, rows, verdict)
        ax.set_title(name)
        ax.set_ylim(len(rows) - 0.5, -0.5)
        ax.axvline(0.0, color="#dddddd", linewidth=0.8, zorder=0)
        ax.grid(visible=True, axis="y")
        ax.set_yticks(range(len(rows)), rows if ax is _as_list(axes)[0] else [""] * len(rows))
        ax.tick_params(axis="y", length=0)
        ax.set_xlabel("Kendall τ_b".replace("_b", "$_b$"))
    figure.legend(handles=_legend(), loc="outside lower center", ncols=3)
    return figure


def _as_list(axes: Any) -> list[Axes]:
    return list(axes) if hasattr(axes, "__len__") else [axes]


def _row_label(claim: Claim) -> str:
    column = claim.claim.partition(", ")[2].partition("; ")[0]
    return f"{column}  {_SCORES['pca=' in claim.algorithm]}"


def _draw_verdict(ax: Axes, rows: list[str], verdict: Verdict) -> None:
    """Draw an erratum as a cross without the printed value, and the corrected claim."""
    claim, measured = verdict.claim, verdict.measured
    if claim.erratum and measured is not None:
        ax.plot(
            measured, rows.index(_row_label(claim)), "x", color=_FAINT, markersize=4.5, zorder=1
        )
        claim, measured = claim.as_corrected, verdict.corrected
    if measured is not None:
        _draw_value(ax, rows.index(_row_label(claim)), claim, measured)


def _draw_value(ax: Axes, row: int, claim: Claim, measured: float) -> None:
    printed = float(claim.paper)
    ax.plot([printed, measured], [row, row], color=_FAINT, linewidth=1.0, zorder=1)
    spread = 2 * claim.paper_error
    ax.errorbar(
        printed, row, xerr=spread, fmt="o", markersize=6.5, markerfacecolor="white",
        color=_INK, elinewidth=0.8, zorder=2,
    )  # fmt: skip
    ax.plot(measured, row, "o", color=figures.PALETTE[1], markersize=4.0, zorder=3)


def _legend() -> list[Any]:
    from matplotlib.lines import Line2D

    def dot(label: str, **style: Any) -> Line2D:
        return Line2D([], [], linestyle="", label=label, **style)

    return [
        dot(
            "printed, ± 2 s.e. (simulated: ± 2 s.d. of draws)",
            marker="o",
            markersize=6.5,
            color=_INK,
            markerfacecolor="white",
        ),
        dot("measured", marker="o", markersize=4.0, color=figures.PALETTE[1]),
        dot(
            "measured as defined in the text, unlike the printed values",
            marker="x",
            color=_FAINT,
            markersize=4.5,
        ),
    ]
