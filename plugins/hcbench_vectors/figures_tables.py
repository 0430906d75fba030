"""Measured values of the tables of Gray et al. 2023 beside those printed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hcbench import DataNotAvailableError, figures
from hcbench_vectors.suites_published import cells_of, columns_of
from hcbench_vectors.suites_tables import ERROR, NEWSGROUPS, TAU, TRANSPOSED, data_of

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


def more_terms(view: FigureView) -> Drawing:
    """Figure 4: tau_b of algorithm 1 against the number of terms, printed and measured.

    Raises
    ------
    DataNotAvailableError
        If nothing was measured.
    """
    figure, axes = figures.new_figure(8.0, 3.6, columns=2)
    names = {TRANSPOSED: "ranks of the truth transposed, as coded", TAU: "as the text defines it"}
    terms = _numbers_of_terms(view)
    for ax, (metric, title) in zip(axes, names.items(), strict=True):
        for colour, (label, points) in zip(
            figures.PALETTE, _measured(view, metric, terms).items(), strict=False
        ):
            ax.errorbar(*points, marker="o", capsize=2, color=colour, label=f"measured, {label}")
        for colour, label in zip(figures.PALETTE, _SCORES.values(), strict=False):
            printed = [c for c in cells_of(2) if _SCORES[c.scores] == label]
            ax.plot(
                [int(cell.column[2:]) for cell in printed],
                [float(cell.value) for cell in printed],
                color=colour, marker="o", markerfacecolor="white", linestyle=":",
                label=f"printed, {label}",
            )  # fmt: skip
        ax.set_title(title)
        ax.set_xlabel("terms p")
        ax.set_ylabel("Kendall τ$_b$, mean ± standard error")
        ax.grid(visible=True, axis="y")
    axes[0].legend()
    axes[1].sharey(axes[0])
    return figure


def _numbers_of_terms(view: FigureView) -> dict[str, int]:
    """Number of terms of each data set, by label."""
    found = {}
    for dataset in view.results.datasets:
        given = view.results.parameters["datasets"][dataset]["p"]
        if given is None:
            vectors = view.problem(NEWSGROUPS).vectors
            assert vectors is not None
            given = vectors.shape[1]
        found[dataset] = int(str(given))
    return found


def _measured(
    view: FigureView, metric: str, terms: dict[str, int]
) -> dict[str, tuple[list[int], list[float], list[float]]]:
    """Number of terms, mean and standard error, for each input."""
    lines: dict[str, tuple[list[int], list[float], list[float]]] = {}
    label = metric.replace(", ", ",")
    rows = [
        row for row in view.results.summary if row["metric"] == label and row["mean"] is not None
    ]
    if not rows:
        raise DataNotAvailableError(f"nothing has {label}")
    for row in sorted(rows, key=lambda row: terms[row["dataset"]]):
        x, y, error = lines.setdefault(_SCORES["pca=" in row["algorithm"]], ([], [], []))
        x.append(terms[row["dataset"]])
        y.append(row["mean"])
        error.append(row["standard_error"] or 0.0)
    return lines
