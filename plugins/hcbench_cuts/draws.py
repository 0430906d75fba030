"""Learning from drawn pairs, block by block: how many to draw, and when to record the cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hcbench import Oracle
from hcbench.model import Cut

LARGEST_BLOCK = 1 << 16


def most_draws(oracle: Oracle, rounds: int | None, for_each_label: float) -> float:
    """The maximum number of pairs to draw.

    ``rounds``; by default ``for_each_label`` times the budget or, without a budget, the number of
    unordered pairs, so that every algorithm ends.
    """
    if oracle.n == 1:
        # There is no pair.
        return 0
    if rounds is not None:
        return rounds
    if oracle.ledger.budget is None:
        return oracle.n * (oracle.n - 1) // 2
    return for_each_label * max(oracle.ledger.budget, 1)


def blocks(oracle: Oracle, rounds: float, current: Callable[[], Cut]) -> Iterator[int]:
    """Sizes of blocks of pairs to draw, each of which may ask as many queries as it has pairs.

    A block ends before the next checkpoint and before the budget's end, where the current cut is
    recorded: every drawn pair is used, and none is queried too early. Skipped labels leave budget
    for further blocks.

    Parameters
    ----------
    oracle : Oracle
    rounds : float
        The maximum number of pairs to draw.
    current : callable
        Makes the current cut.
    """
    n_drawn = 0
    while n_drawn < rounds:
        if oracle.due():
            oracle.record(current().partition)
        block = int(min(LARGEST_BLOCK, rounds - n_drawn, oracle.until_due))
        if block == 0:
            return
        yield block
        n_drawn += block
