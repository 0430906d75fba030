"""Figures of errors that are not random: an adversary's, and permanent ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hcbench import DataNotAvailableError, figures
from hcbench_ordinal.figures import RECOVERY
from hcbench_ordinal.figures_noisy import (
    BAYES,
    BAYES_RANDOM,
    DELTA,
    REPEAT,
    share_interval,
    strategy_of,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from hcbench.figures import FigureView

AGREEMENT = "triplet-agreement"
SIZES = (16, 32)
STRATEGIES = (BAYES, REPEAT, BAYES_RANDOM)


def against_the_adversary(view: FigureView) -> Drawing:
    """Plot correct trees against p, with exact 95% intervals; a panel for each n.

    Raises
    ------
    DataNotAvailableError
        If nothing was measured.
    """
    known = view.results.parameters
    sizes = SIZES
    found: dict[tuple[int, str], dict[float, list[float]]] = {}
    for group in view.results.groups:
        numbers = group.numbers(RECOVERY)
        if numbers and group.oracle.startswith("ordinal-adversary"):
            algorithm = known["algorithms"][group.algorithm]
            n = int(str(known["datasets"][group.dataset]["n"]))
            at = found.setdefault((n, strategy_of(algorithm)), {})
            at[float(str(algorithm["p"]))] = numbers
    if not found:
        raise DataNotAvailableError(f"{RECOVERY} was not measured")
    figure, axes = figures.new_figure(8, 3, columns=len(sizes))
    for ax, n in zip(axes, sizes, strict=True):
        for number, strategy in enumerate(STRATEGIES):
            at = found.get((n, strategy), {})
            if not at:
                continue
            shares = [sum(numbers) / len(numbers) for numbers in at.values()]
            intervals = [share_interval(numbers) for numbers in at.values()]
            ax.errorbar(
                [p + 0.01 * (number - 1) for p in at],
                shares,
                yerr=[
                    [share - low for share, (low, _) in zip(shares, intervals, strict=True)],
                    [high - share for share, (_, high) in zip(shares, intervals, strict=True)],
                ],
                label=strategy,
                linestyle="",
                marker="osD"[number],
                color=figures.PALETTE[number],
            )
        ax.axhline(1 - DELTA, color="#888888", linestyle="--", zorder=0)
        ax.set_title(f"n = {n}")
        ax.set_xlabel("p")
        ax.set_ylabel("correct trees\nexact 95% intervals")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def permanent(view: FigureView) -> Drawing:
    """Plot the mean proportion of triples found against the proportion of corrupt pairs.

    Raises
    ------
    DataNotAvailableError
        If nothing was measured.
    """
    known = view.results.parameters
    means: dict[str, dict[float, float]] = {}
    for group in view.results.groups:
        numbers = group.numbers(AGREEMENT)
        if numbers and group.oracle in known["oracles"]:
            at = means.setdefault(group.algorithm, {})
            at[float(str(known["oracles"][group.oracle]["corrupt"]))] = sum(numbers) / len(numbers)
    if not means:
        raise DataNotAvailableError(f"{AGREEMENT} was not measured")
    figure, ax = figures.new_figure(5, 3.4)
    for number, (algorithm, at) in enumerate(means.items()):
        shares = sorted(at)
        ax.plot(
            shares,
            [at[share] for share in shares],
            label=algorithm,
            marker="osD^vP"[number],
            color=figures.PALETTE[number],
        )
    ax.set_xlabel("proportion of corrupt pairs")
    ax.set_ylabel("triples found, mean")
    ax.legend()
    return figure
