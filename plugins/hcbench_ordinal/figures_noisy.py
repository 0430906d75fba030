"""Figures of NoisyInsertion: correct trees, and numbers of queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hcbench import DataNotAvailableError, figures
from hcbench.analysis import summarise
from hcbench_ordinal.figures import RECOVERY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

    from hcbench.figures import FigureView

PS = (0.6, 0.7, 0.8, 0.9)
DELTA = 0.05
SIZES = (32, 64, 128, 256)
ERRORS = ("random", "adversarial")
BAYES = "bayes"
BAYES_RANDOM = "bayes, wrong=random"
REPEAT = "repeat"
STRATEGIES = (
    BAYES,
    BAYES_RANDOM,
    "repeat, stop=lead",
    REPEAT,
    "paper, repetitions=binomial",
    "paper",
)
"""As `strategy_of` names them."""

_Values = dict[tuple[str, float, str], dict[int, list[float]]]
_LEAST = 0.86
"""Range of the axis of proportions: without a guarantee, few trees are correct."""


def recovery(view: FigureView) -> Drawing:
    """Plot correct trees, with exact 95% intervals; a panel for each p and kind of errors.

    Raises
    ------
    DataNotAvailableError
        If nothing was measured.
    """
    found = _runs(view, RECOVERY)

    def draw(ax: Axes, strategy: str, at: dict[int, list[float]], number: int) -> None:
        shift = 1 + 0.07 * (number - (len(STRATEGIES) - 1) / 2)
        shares = [sum(numbers) / len(numbers) for numbers in at.values()]
        intervals = [share_interval(numbers) for numbers in at.values()]
        ax.errorbar(
            [n * shift for n in at],
            shares,
            yerr=[
                [share - low for share, (low, _) in zip(shares, intervals, strict=True)],
                [high - share for share, (_, high) in zip(shares, intervals, strict=True)],
            ],
            label=strategy,
            linestyle="",
            marker="osD^vP"[number],
            color=figures.PALETTE[number],
            elinewidth=0.9,
        )

    figure, axes = _draw_panels(found, draw, only_guaranteed=True)
    for ax in axes.flat:
        ax.axhline(1 - DELTA, color="#888888", linestyle="--", zorder=0)
        ax.set_ylim(_LEAST, 1.01)
    for ax in axes[:, 0]:
        ax.set_ylabel("correct trees\nexact 95% intervals")
    return figure


def queries(view: FigureView) -> Drawing:
    """Plot mean queries per insertion; a panel for each p and kind of errors.

    Raises
    ------
    DataNotAvailableError
        If nothing was measured.
    """
    found = _runs(view, "queries")

    def draw(ax: Axes, strategy: str, at: dict[int, list[float]], number: int) -> None:
        means = [sum(numbers) / len(numbers) / (n - 2) for n, numbers in at.items()]
        ax.plot(
            list(at), means, label=strategy, marker="osD^vP"[number], color=figures.PALETTE[number]
        )

    figure, axes = _draw_panels(found, draw)
    for ax in axes.flat:
        ax.set_yscale("log")
        ax.set_ylim(5, 3e5)
        ax.grid(visible=True, axis="y")
    for ax in axes[:, 0]:
        ax.set_ylabel("queries per insertion\nmean")
    return figure


def share_interval(numbers: Sequence[float]) -> tuple[float, float]:
    """The exact 95 % interval of a probability, from repetitions that are 0 or 1.

    The number itself for a single repetition, which has no interval.
    """
    summary = summarise(numbers, support=(0.0, 1.0))
    if summary.low is None or summary.high is None:
        return numbers[0], numbers[0]
    return summary.low, summary.high


def _draw_panels(
    found: _Values, draw: Any, *, only_guaranteed: bool = False
) -> tuple[Drawing, Any]:
    """Make a row for each kind of errors and a column for each p; also return the axes."""
    rows, columns = len(ERRORS), len(PS)
    figure, axes = figures.new_figure(11.5, 5.2, rows=rows, columns=columns)
    for row, errors in zip(axes, ERRORS, strict=True):
        for ax, p in zip(row, PS, strict=True):
            for number, strategy in enumerate(STRATEGIES):
                at = found.get((strategy, p, errors), {})
                if at and (_has_guarantee(strategy, errors) or not only_guaranteed):
                    draw(ax, strategy, at, number)
            ax.set_title(f"p = {p}, {errors} errors")
            ax.set_xscale("log")
            ax.set_xticks(SIZES, [str(n) for n in SIZES])
            ax.set_xticks([], minor=True)
    for ax in axes[-1]:
        ax.set_xlabel("n")
    axes[0, -1].legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), borderaxespad=0.0)
    return figure, axes


def _has_guarantee(strategy: str, errors: str) -> bool:
    """Whether a strategy has a guarantee for errors of this kind."""
    return strategy != BAYES_RANDOM or errors == "random"


def _runs(view: FigureView, metric: str) -> _Values:
    """Values at each n by strategy, p and kind of errors, where p is that of the oracle."""
    known = view.results.parameters
    found: _Values = {}
    for group in view.results.groups:
        algorithm, oracle = known["algorithms"][group.algorithm], known["oracles"].get(group.oracle)
        if oracle is None or algorithm.get("p") != round(1 - float(str(oracle["noise"])), 9):
            continue
        numbers = group.numbers(metric)
        if numbers:
            key = (strategy_of(algorithm), float(str(algorithm["p"])), str(oracle["wrong"]))
            n = int(str(known["datasets"][group.dataset]["n"]))
            found.setdefault(key, {})[n] = numbers
    if not found:
        raise DataNotAvailableError(f"{metric} was not measured")
    return found


def strategy_of(algorithm: Any) -> str:
    """Name a strategy as in the suite, from all parameters of an algorithm."""
    name = str(algorithm["strategy"])
    for parameter, default in (
        ("wrong", "adversarial"),
        ("stop", "majority"),
        ("repetitions", "hoeffding"),
        ("skip", True),
    ):
        if algorithm[parameter] != default:
            name += f", {parameter}={algorithm[parameter]}"
    return name
