"""Figures of Gentile et al. 2019: table 2 as learning curves, and the theorems."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from hcbench import DataNotAvailableError, figures
from hcbench_cuts import suites_tables as tables
from hcbench_cuts.bounds import error_bound, excess_bound

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

    from hcbench.figures import FigureView

_BOUND: dict[str, Any] = {"color": "#888888", "linestyle": "--"}
_COLOURS = dict(zip(tables.GRIDS, figures.PALETTE, strict=False))
_MARKERS = dict(zip(tables.GRIDS, "osD^", strict=False))

INFORMED = "WDP[prior=0.3]"
SEARCHES = ("BF", "OTS", "WDP", INFORMED)
N = 4096
HEIGHT = 12
"""Of a full tree of N leaves."""
DELTA = 0.05
NOISES = (0.1, 0.2, 0.3)
CLUSTERS = 10
EXCESS = f"excess-risk[K={CLUSTERS}]"
ROUNDS = (1000, 3000, 10000, 30000, 100000)
DIGITS = 1797
"""Number of digits whose labels are the clusters of theorem 5."""

# ---- Table 2 -------------------------------------------------------------------------------------


def learning_curves(view: FigureView) -> Drawing:
    """Test error against queries, tuned, a panel for each tree; with the printed values.

    Raises
    ------
    DataNotAvailableError
        If nothing was measured.
    """
    known = view.results.parameters.get("datasets", {})
    by_linkage = {str(known.get(label, {}).get("tree")): label for label in view.results.datasets}
    panels = {
        tree: by_linkage[linkage]
        for tree, linkage in tables.LINKAGES.items()
        if linkage in by_linkage
    }
    if not panels:
        raise DataNotAvailableError("none of the three linkages was in the comparison")
    figure, _ = figures.new_figure(3.2 * len(panels) + 1.4, 5.2, rows=2, columns=len(panels))
    above, below = figure.axes[: len(panels)], figure.axes[len(panels) :]
    for (tree, label), upper, lower in zip(panels.items(), above, below, strict=True):
        for algorithm in tables.GRIDS:
            ax = lower if algorithm == "BF" else upper
            _draw_measured_curve(view, ax, label, algorithm)
            _draw_printed_curve(ax, tree, algorithm)
        for ax in (upper, lower):
            _draw_best(view, ax, label)
            ax.set_xscale("log")
            ax.set_xticks(tables.QUERIES, ["250", "500", "1k", "2k", "5k", "10k", "20k"])
            ax.set_xticks([], minor=True)
            ax.grid(visible=True, axis="y")
        upper.set_title(tree)
        lower.set(xlabel="queries", ylim=(0, None))
    figure.supylabel("test error [%], mean, tuned on 500 pairs", fontsize=9)
    for ax in (above[-1], below[-1]):
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)
    return figure


def _draw_measured_curve(view: FigureView, ax: Axes, dataset: str, algorithm: str) -> None:
    """Mean test error of the values tuned in each repetition and at each number of queries."""
    curve = {}
    for queries in tables.QUERIES:
        errors = _tuned_errors(view, dataset, algorithm, queries)
        if errors:
            curve[queries] = 100 * sum(errors) / len(errors)
    if not curve:
        return
    ax.plot(
        list(curve),
        list(curve.values()),
        color=_COLOURS[algorithm],
        marker=_MARKERS[algorithm],
        label=f"{algorithm}, measured",
    )


def _tuned_errors(view: FigureView, dataset: str, algorithm: str, queries: int) -> list[float]:
    """For each repetition, the test error of the value with the lowest validation error."""
    found: dict[int, list[tuple[float, float]]] = {}
    for group in view.results.groups:
        place = (group.algorithm.partition("[")[0], group.dataset, group.checkpoint)
        if place == (algorithm, dataset, queries):
            validation_errors, errors = map(
                group.values, (tables.VALIDATION_ERROR, tables.TEST_ERROR)
            )
            for outcome, validation, error in zip(
                group.outcomes, validation_errors, errors, strict=True
            ):
                if validation.value is not None and error.value is not None:
                    found.setdefault(outcome.repetition, []).append((validation.value, error.value))
    return [min(values, key=lambda value: value[0])[1] for values in found.values()]


def _draw_printed_curve(ax: Axes, tree: str, algorithm: str) -> None:
    values = {queries: 100 * float(error) for queries, error, _ in tables.printed(tree, algorithm)}
    ax.plot(
        list(values),
        list(values.values()),
        color=_COLOURS[algorithm],
        marker=_MARKERS[algorithm],
        markerfacecolor="white",
        linestyle=":",
        linewidth=0.9,
        label=f"{algorithm}, printed",
    )


def _draw_best(view: FigureView, ax: Axes, dataset: str) -> None:
    for group in view.results.groups:
        if (group.algorithm, group.dataset, group.checkpoint) == ("BEST", dataset, None):
            numbers = group.numbers(tables.ERROR)
            if numbers:
                ax.axhline(100 * sum(numbers) / len(numbers), label="BEST, measured", **_BOUND)


# ---- Theorems ------------------------------------------------------------------------------------


def questions(view: FigureView) -> Drawing:
    """Queries against log N(T), those of OTS, and against K-tilde, those of all searches.

    Raises
    ------
    DataNotAvailableError
        If nothing was measured.
    """
    measured = list(_runs_of_searches(view))
    if not measured:
        raise DataNotAvailableError("no search was measured")
    figure, (left, right) = figures.new_figure(10.0, 3.8, columns=2)
    bits = [(run.bits, run.queries) for run in measured if run.search == "OTS"]
    _draw_points(left, bits, "OTS, one run each", 1)
    _draw_line(left, bits, 1.0, "log2 N: needed on average over all cuts", ":")
    _draw_line(left, bits, 1 / math.log2(1.5), "log N to the base 3/2: theorem 1", "--")
    left.set(title="Theorem 1", xlabel="log2 N(T)", ylabel="queries")
    full = [run for run in measured if run.is_full]
    for number, search in enumerate(SEARCHES):
        points = [(run.paths, run.queries) for run in full if run.search == search]
        _draw_points(right, points, search, number)
    every = [(run.paths, run.queries) for run in full]
    if every:
        _draw_line(right, every, 1.0, "K-tilde: theorem 2", ":")
        factor = math.log2(HEIGHT + 1) + 2
        _draw_line(right, every, factor, f"K-tilde (log2(h + 1) + 2), n = {N}", "--")
    right.set(title="Theorems 2 and 3, full trees", xlabel="K-tilde of the cut")
    for ax in (left, right):
        ax.set(xscale="log", yscale="log")
        ax.grid(visible=True)
        ax.legend()
    return figure


class _Run(NamedTuple):
    """One run of a search: its queries, log2 N(T), K-tilde, and whether the tree is full."""

    search: str
    queries: float
    bits: float
    paths: float
    is_full: bool


def _runs_of_searches(view: FigureView) -> Iterator[_Run]:
    known = view.results.parameters.get("datasets", {})
    for row in view.results.rows:
        values = [row["metrics"].get(name) for name in ("queries", "log-cuts", "k-tilde")]
        if row["algorithm"] in SEARCHES and None not in values:
            queries, log_n, paths = values
            is_full = known[row["dataset"]]["tree"] == "balanced"
            yield _Run(row["algorithm"], queries, log_n / math.log(2), paths, is_full)


def _draw_points(ax: Axes, points: list[tuple[float, float]], label: str, number: int) -> None:
    if points:
        ax.plot(
            *zip(*points, strict=True),
            linestyle="",
            marker="o^sD"[number],
            markersize=3.5,
            alpha=0.5,
            color=figures.PALETTE[number],
            label=label,
        )


def _draw_line(
    ax: Axes, points: list[tuple[float, float]], slope: float, label: str, style: str
) -> None:
    ends = [min(x for x, _ in points), max(x for x, _ in points)]
    ax.plot(ends, [slope * x for x in ends], color="#555555", linestyle=style, label=label)


def recovery(view: FigureView) -> Drawing:
    """Error against the true cut by the noise: N-WDP, BF and WDP without votes, theorem 4's bound.

    Raises
    ------
    DataNotAvailableError
        If nothing was measured.
    """
    figure, ax = figures.new_figure(5.6, 3.6)
    names = {"BF": "BF, one vote", "WDP": INFORMED, "N-WDP": "N-WDP that knows λ"}
    for number, (name, label) in enumerate(names.items()):
        points = sorted(_errors_by_noise(view, name))
        if points:
            x, y, error = zip(*points, strict=True)
            line_style = {"color": figures.PALETTE[number], "marker": "osD"[number], "capsize": 2}
            ax.errorbar(x, y, error, label=label, **line_style)
    if not ax.lines:
        raise DataNotAvailableError("nothing was measured")
    bounds = [error_bound(N, noise, DELTA) for noise in NOISES]
    ax.plot(NOISES, bounds, label="2 √m / n: theorem 4", **_BOUND)
    ax.set(xlabel="noise λ", ylabel="clustering error\nmean ± standard error", yscale="log")
    ax.set_xticks(NOISES)
    ax.grid(visible=True, axis="y")
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)
    return figure


def _errors_by_noise(view: FigureView, name: str) -> Iterator[tuple[float, float, float]]:
    """Noise, mean error and its standard error; for N-WDP where it is given the true noise."""
    known = view.results.parameters
    for row in view.results.summary:
        if row["metric"] != tables.ERROR or row["algorithm"].partition("[")[0] != name:
            continue
        noise = known["oracles"][row["oracle"]]["noise"]
        validation_errors = known["algorithms"][row["algorithm"]].get("noise")
        if row["mean"] is not None and (name != "N-WDP" or validation_errors == noise):
            yield float(str(noise)), row["mean"], row["standard_error"] or 0.0


def excess(view: FigureView) -> Drawing:
    """Excess risk, and queries, against the pairs that were drawn: NR and ERM.

    Raises
    ------
    DataNotAvailableError
        If nothing was measured.
    """
    figure, (left, right) = figures.new_figure(9.6, 3.6, columns=2)
    for ax, metric in ((left, EXCESS), (right, "queries")):
        figures.curves(view, x="algorithm.rounds", metric=metric, ax=ax, log_x=True, log_y=True)
        ax.set_xlabel("pairs drawn, t")
    bounds = [excess_bound(DIGITS, rounds, CLUSTERS, DELTA) for rounds in ROUNDS]
    left.plot(ROUNDS, bounds, label="theorem 5, constant 1", **_BOUND)
    left.legend()
    return figure
