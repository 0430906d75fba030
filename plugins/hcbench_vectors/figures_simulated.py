"""Figures of measured errors: figure 2 of Gray et al. 2023, and the rates of its theorems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from hcbench import DataNotAvailableError, figures
from hcbench_vectors.data_specs import PAPERS_TREE
from hcbench_vectors.suites_simulated import CURVES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

    from hcbench.figures import FigureView

_LOOKS: dict[str, dict[str, Any]] = {
    "data": {"color": "#000000", "marker": "o"},
    "pca": {"color": "#D55E00", "marker": "s"},
    "cosine": {"color": "#0072B2", "marker": "^"},
}
_OF_ALL = tuple(_LOOKS)
_OF_BOTH = _OF_ALL[:2]
_OF_SECTION_4 = {"tree": PAPERS_TREE, "tails": None, "window": 1}
_AXIS = r"max$_{i \neq j}$ |$\alpha - \hat\alpha$|" + "\nmean "
#: Intervals are elsewhere of 95 %; the paper's figure 2 has standard deviations.
_DEVIATION_AXIS = _AXIS + "± standard deviation, as in the paper"
_INTERVAL_AXIS = _AXIS + "and 95 % interval"


DIMENSIONS = (500, 1000, 2000, 4000, 8000, 16000)
_PANELS = (
    ("additive noise, n = 100\n(theorem 2)", "additive", 100, _OF_BOTH),
    ("additive noise, n = 500\n(theorem 2)", "additive", 500, _OF_BOTH),
    ("multiplicative, n = 10\n(theorem 3)", "multiplicative", 10, _OF_ALL),
    ("both, n = 100\n(appendix E.4)", "both", 100, _OF_ALL),
)
_Point: TypeAlias = tuple[
    float, float, float
]  # the mean, and the lengths of the bar below and above
_Errors: TypeAlias = dict[tuple[str, str, int, int], _Point]


def affinity_errors(view: FigureView) -> Drawing:
    """Figure 2: a panel for each way in which n and p grow, and a row for each of its curves.

    Raises
    ------
    DataNotAvailableError
        If nothing was measured.
    """
    errors = _means(view, deviations=True)
    rows = max(map(len, CURVES.values()))
    figure, axes = figures.new_figure(10.0, 2.6 * rows, rows=rows, columns=3)
    for column, (panel, curves) in zip(axes.T, CURVES.items(), strict=True):
        by_n = panel != "c"
        for ax in column[len(curves) :]:
            ax.set_axis_off()
        for ax, (name, shapes) in zip(column, curves.items(), strict=False):
            for shift, estimate in enumerate(_OF_BOTH):
                at = {
                    (n if by_n else p) + 8 * shift: errors["additive", estimate, n, p]
                    for n, p in shapes
                    if ("additive", estimate, n, p) in errors
                }  # side by side
                _draw_estimate(ax, estimate, at)
            ax.set_title(f"({panel}) {name}")
            ax.set_xlabel("n" if by_n else "p")
            ax.set_ylim(bottom=0.0)
    for ax in axes[:, 0]:
        ax.set_ylabel(_DEVIATION_AXIS)
    axes[0, 0].legend()
    return figure


def rates(view: FigureView) -> Drawing:
    """Errors against p on logarithmic axes, a panel for each kind of noise.

    Raises
    ------
    DataNotAvailableError
        If nothing was measured.
    """
    errors = _means(view, deviations=False)
    shown = [
        (title, panel)
        for title, noise, n, estimates in _PANELS
        if (panel := _points_of_panel(errors, noise, n, estimates))
    ]
    if not shown:
        raise DataNotAvailableError("no affinity error was measured along p")
    figure, axes = figures.new_figure(2.7 * len(shown) + 0.4, 3.4, columns=len(shown))
    for ax, (title, panel) in zip(np.atleast_1d(axes), shown, strict=True):
        for estimate, at in panel.items():
            _draw_estimate(ax, estimate, at)
        _draw_slope(ax)
        ax.set(title=title, xlabel="p", xscale="log", yscale="log")
        ax.set_xticks(DIMENSIONS[::2], [str(p) for p in DIMENSIONS[::2]])
        ax.set_xticks([], minor=True)
    np.atleast_1d(axes)[0].set_ylabel(_INTERVAL_AXIS)
    entries = np.atleast_1d(axes)[-1].get_legend_handles_labels()
    figure.legend(*entries, loc="outside lower center", ncols=4)
    return figure


def _points_of_panel(
    errors: _Errors, noise: str, n: int, estimates: Sequence[str]
) -> dict[str, dict[int, _Point]]:
    """The points along p of each estimate that has any."""
    panel = {
        estimate: {
            key[-1]: errors[key] for key in sorted(errors) if key[:-1] == (noise, estimate, n)
        }
        for estimate in estimates
    }
    return {estimate: at for estimate, at in panel.items() if at}


def _draw_estimate(ax: Axes, estimate: str, at: dict[int, _Point]) -> None:
    """Plot mean and uncertainty at each p."""
    ax.errorbar(
        list(at),
        [mean for mean, _, _ in at.values()],
        np.array([(below, above) for _, below, above in at.values()]).reshape(-1, 2).T,
        capsize=2,
        elinewidth=0.9,
        label={"pca": "PCA"}.get(estimate, estimate),
        **_LOOKS[estimate],
    )
    ax.grid(visible=True, axis="y")


def _draw_slope(ax: Axes) -> None:
    """Plot a line of slope -1/2 below all others."""
    low, high = ax.dataLim.intervalx
    start = 0.7 * ax.dataLim.y0 * (high / low) ** 0.5
    ax.plot([low, high], [start, 0.7 * ax.dataLim.y0], "--", color="#888888", label="$p^{-1/2}$")


def _means(view: FigureView, *, deviations: bool) -> _Errors:
    """Means by noise, estimate, n and p, of the model of section 4.

    Their bars are standard deviations, or 95 % intervals.
    """
    errors: _Errors = {}
    known = view.results.parameters
    for row in view.results.summary:
        data = known["datasets"].get(row["dataset"], {})
        is_error = row["metric"].startswith("affinity-error")
        is_papers = all(data.get(name) == value for name, value in _OF_SECTION_4.items())
        if is_error and row["low"] is not None and is_papers:
            estimate = str(known["metrics"][row["metric"]]["estimate"])
            key = (str(data["noise"]), estimate, int(str(data["n"])), int(str(data["p"])))
            mean, std = row["mean"], row["std"] or 0.0
            errors[key] = (
                (mean, std, std) if deviations else (mean, mean - row["low"], row["high"] - mean)
            )
    if not errors:
        raise DataNotAvailableError("no affinity error was measured")
    return errors
