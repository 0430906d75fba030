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

_INK = "#222222"
_FAINT = "#999999"
#: Symbols of the vectors, and of their principal component scores.
_VECTORS = "Y"
_SCORES = "ζ"
_WIDTH_OF_PANEL = 2.2  # inches
_HEIGHT_OF_ROW = 0.26


def printed_and_measured(view: FigureView) -> Drawing:
    """A panel for each data set: printed values, with corrected misprints, and measured ones.

    Raises
    ------
    DataNotAvailableError
        If nothing was measured.
    """
    number = int(view.results.suite.name[-1])
    rows = _row_labels(number)
    panels = _measured_verdicts(view, number)
    if not panels:
        raise DataNotAvailableError("none of the printed values was measured")
    figure, axes = figures.new_figure(
        _WIDTH_OF_PANEL * len(panels) + 1.8,
        _HEIGHT_OF_ROW * len(rows) + 1.3,
        columns=len(panels),
    )
    for ax, (name, verdicts) in zip(_as_list(axes), panels.items(), strict=True):
        for verdict in verdicts:
            _draw_verdict(ax, rows, verdict)
        ax.set_title(name)
        _format_axes(ax, rows)
    # The leftmost panel has the labels of the rows.
    _as_list(axes)[0].set_yticklabels(rows)
    figure.legend(handles=_legend(), loc="outside upper center", ncols=3)
    return figure


def _row_labels(number: int) -> list[str]:
    """A row for the vectors, and one for their scores, in each column of a table of the paper."""
    rows = []
    for column in columns_of(number):
        rows.append(f"{column}  {_VECTORS}")
        rows.append(f"{column}  {_SCORES}")
    return rows


def _row_label(claim: Claim) -> str:
    """The label of the row of a claim, such as ``Table 1, COLUMN; ...``."""
    _, _, place = claim.claim.partition(", ")
    column, _, _ = place.partition("; ")
    symbol = _SCORES if "pca=" in claim.algorithm else _VECTORS
    return f"{column}  {symbol}"


def _measured_verdicts(view: FigureView, number: int) -> dict[str, list[Verdict]]:
    """The verdicts on the values that were measured, by the name of the data set, if any."""
    panels = {}
    for name, data in data_of(number).items():
        verdicts = []
        for verdict in view.results.judged:
            # Claims on standard errors have no row of their own.
            if verdict.claim.metric.startswith(ERROR) or verdict.measured is None:
                continue
            if verdict.claim.dataset == data.dataset:
                verdicts.append(verdict)
        if verdicts:
            panels[name] = verdicts
    return panels


def _as_list(axes: Any) -> list[Axes]:
    """The panels of a figure; if there is one, matplotlib returns it and no array."""
    if hasattr(axes, "__len__"):
        return list(axes)
    return [axes]


def _format_axes(ax: Axes, rows: list[str]) -> None:
    """Draw a line for each row, from above, and a line at 0."""
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.axvline(0.0, color="#dddddd", linewidth=0.8, zorder=0)
    ax.grid(visible=True, axis="y")
    ax.set_yticks(range(len(rows)), [""] * len(rows))
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel("Kendall τ$_b$")


def _draw_verdict(ax: Axes, rows: list[str], verdict: Verdict) -> None:
    """Draw an erratum as a cross without the printed value, and the corrected claim."""
    claim = verdict.claim
    measured = verdict.measured
    if claim.erratum and measured is not None:
        row = rows.index(_row_label(claim))
        ax.plot(measured, row, "x", color=_FAINT, markersize=4.5, zorder=1)
        claim = claim.as_corrected
        measured = verdict.corrected
    if measured is not None:
        row = rows.index(_row_label(claim))
        _draw_value(ax, row, claim, measured)


def _draw_value(ax: Axes, row: int, claim: Claim, measured: float) -> None:
    """Draw the printed value with its error, the measured one, and a line between them."""
    printed = float(claim.paper)
    ax.plot([printed, measured], [row, row], color=_FAINT, linewidth=1.0, zorder=1)
    ax.errorbar(
        printed,
        row,
        xerr=2 * claim.paper_error,
        fmt="o",
        markersize=6.5,
        markerfacecolor="white",
        color=_INK,
        elinewidth=0.8,
        zorder=2,
    )
    ax.plot(measured, row, "o", color=figures.PALETTE[1], markersize=4.0, zorder=3)


def _legend() -> list[Any]:
    """The three markers."""
    from matplotlib.lines import Line2D

    return [
        Line2D(
            [],
            [],
            linestyle="",
            label="printed, ± 2 s.e. (simulated: ± 2 s.d. of draws)",
            marker="o",
            markersize=6.5,
            color=_INK,
            markerfacecolor="white",
        ),
        Line2D(
            [],
            [],
            linestyle="",
            label="measured",
            marker="o",
            markersize=4.0,
            color=figures.PALETTE[1],
        ),
        Line2D(
            [],
            [],
            linestyle="",
            label="measured as defined in the text, unlike the printed values",
            marker="x",
            color=_FAINT,
            markersize=4.5,
        ),
    ]
