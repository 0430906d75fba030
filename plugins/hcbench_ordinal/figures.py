"""Figures of the claims of Emamjomeh-Zadeh & Kempe 2018 about correct answers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from hcbench import DataNotAvailableError, figures
from hcbench_ordinal import suites_nonadaptive as fixed
from hcbench_ordinal.bounds import chance_of_fixed_triples

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

    from hcbench.figures import FigureView

RECOVERY = "exact-recovery"
NAMES = {
    "exact": "insertion, exact",
    "fast": "insertion, fast",
    "topdown": "insertion, top down",
    "descent": "quick, descent",
    "binary-search": "quick, binary search",
}
"""Of algorithms, by their parameter separator or merge."""
DEGREES = (3, 4, 8, 16, 32)
STARS = (16, 32, 64, 128, 256)
LARGEST = 1024
"""Number of items of the trees with bounded degree that are drawn."""
FIRST = "deterministic quick (Benson et al.)"
GREY = "#888888"
_TICKS = 5
"""Maximum number of sizes that are all labelled on the axis."""


def nonadaptive(view: FigureView) -> Drawing:
    """Plot correct trees against the proportion of triples, and triples for half of them against n.

    Raises
    ------
    DataNotAvailableError
        If nothing was measured.
    """
    found: dict[int, dict[float, float]] = {}
    for algorithm, data, numbers in measured(view, RECOVERY):
        n = int(data["n"])
        if "count" in algorithm:
            count = algorithm["count"]
            share = 1.0 if count is None else int(count) / math.comb(n, 3)
            found.setdefault(n, {})[share] = _mean(numbers)
    figure, (left, right) = figures.new_figure(9.6, 3.4, columns=2)
    for number, n in enumerate(sorted(found)):
        at = dict(sorted(found[n].items()))
        _draw_line(left, at, f"n = {n}", number)
    top = [0.01 * k for k in range(26)]
    left.plot(top, [4 * x for x in top], color=GREY, linestyle="--", label="theorem 2.3")
    left.set(
        xlabel="proportion of all triples",
        ylabel="correct trees\nproportion of repetitions",
        title="Build",
    )
    left.legend(loc="upper left", bbox_to_anchor=(0.25, 1.03))
    _draw_half_recovery(view, right, {n: until_half(at) for n, at in found.items()})
    return figure


def by_degree(view: FigureView) -> Drawing:
    """Plot queries over n log2 n against the degree, and queries against n for stars with a pair.

    Raises
    ------
    DataNotAvailableError
        If nothing was measured.
    """
    names = (NAMES["exact"], NAMES["fast"], NAMES["binary-search"], FIRST)
    bounded: dict[str, dict[int, float]] = {name: {} for name in names}
    stars: dict[str, dict[int, float]] = {name: {} for name in names}
    for algorithm, data, numbers in measured(view, "queries"):
        first = algorithm.get("pivots") == "first"
        name = FIRST if first else _name(algorithm)
        n = int(data["n"])
        if data["shape"] == "star-with-pair":
            stars[name][n] = _mean(numbers)
        elif n == LARGEST:
            bounded[name][int(data["degree"])] = _mean(numbers) / _n_log_n(n)
    figure, (left, right) = figures.new_figure(9.6, 3.4, columns=2)
    for number, name in enumerate(bounded):
        _draw_line(left, bounded[name], name, number)
        _draw_line(right, stars[name], name, number)
    curve = [d / math.log2(d) for d in DEGREES]
    left.plot(DEGREES, curve, color=GREY, linestyle="--", label="d / log2 d")
    least = [n * (n - 1) / 12 for n in STARS]
    right.plot(STARS, least, color=GREY, linestyle="--", label="n(n-1)/12")
    left.set(title=f"n = {LARGEST}", xlabel="degree d", ylabel="queries / (n log2 n)\nmean")
    right.set(title="star with a pair", xlabel="n", ylabel="queries\nmean", yscale="log")
    _set_log_axis(left, DEGREES)
    _set_log_axis(right, STARS)
    right.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), borderaxespad=0.0)
    return figure


def until_half(at: Mapping[float, float]) -> float:
    """The first proportion of triples at which half of the trees are correct, interpolated."""
    shares = sorted(at)
    for low, high in pairwise(shares):
        if at[low] < 0.5 <= at[high]:
            return low + (high - low) * (0.5 - at[low]) / (at[high] - at[low])
    return math.nan


def _draw_half_recovery(view: FigureView, ax: Axes, shares: Mapping[int, float]) -> None:
    sizes = sorted(shares)
    adaptive = {
        int(data["n"]): _mean(numbers)
        for algorithm, data, numbers in measured(view, "queries")
        if "separator" in algorithm
    }
    _draw_line(
        ax, {n: shares[n] * math.comb(n, 3) for n in sizes}, "Build, until half are correct", 0
    )
    _draw_line(ax, dict(sorted(adaptive.items())), "insertion, exact: all are correct", 1)
    bound = [next(_sufficient_numbers(n, 0.5)) for n in sizes]
    ax.plot(sizes, bound, color=GREY, linestyle="--", label="theorem 2.3: at least, for half")
    ax.plot(sizes, [math.comb(n, 3) for n in sizes], color=GREY, linestyle=":", label="all: C(n,3)")
    ax.set(xlabel="n", ylabel="queries", yscale="log")
    _set_log_axis(ax, fixed.SIZES)
    ax.legend()


def _sufficient_numbers(n: int, chance: float) -> Iterator[int]:
    """Yield the numbers of triples for which the tree has at most this probability."""
    return (k for k in range(math.comb(n, 3) + 1) if chance_of_fixed_triples(n, k) >= chance)


# ---- Shared --------------------------------------------------------------------------------------


def measured(
    view: FigureView, metric: str
) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any], list[float]]]:
    """Yield parameters of algorithm and data set, and the values of all repetitions.

    Raises
    ------
    DataNotAvailableError
        If there are none.
    """
    parameters = view.results.parameters
    empty = True
    for group in view.results.groups:
        numbers = group.numbers(metric)
        if numbers:
            empty = False
            yield (
                {**parameters["algorithms"][group.algorithm]},
                {**parameters["datasets"][group.dataset]},
                numbers,
            )
    if empty:
        raise DataNotAvailableError(f"{metric} was not measured")


def _name(algorithm: Mapping[str, Any]) -> str:
    return NAMES[algorithm.get("separator", algorithm.get("merge"))]


def _n_log_n(n: int) -> float:
    return n * math.log2(n)


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)


def _draw_line(ax: Axes, at: Mapping[Any, float], label: str, number: int) -> None:
    ax.plot(
        list(at),
        list(at.values()),
        label=label,
        color=figures.PALETTE[number],
        marker="osD^vP"[number],
        markersize=max(6.5 - number, 3.5),
    )
    ax.grid(visible=True, axis="y")


def _set_log_axis(ax: Axes, sizes: Sequence[int]) -> None:
    """Make the axis of n logarithmic."""
    named = sizes[::2] if len(sizes) > _TICKS else sizes
    ax.set_xscale("log")
    ax.set_xticks(named, [str(n) for n in named])
    ax.set_xticks([], minor=True)
