"""Learning from drawn pairs, block by block: how far it goes, and what is kept on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hcbench import Cut, Oracle

LARGEST_BLOCK = 1 << 16


def most_draws(oracle: Oracle, rounds: int | None, for_each_label: float) -> float:
    """How many pairs are drawn at most.

    ``rounds``; if left out, so many for each label of the budget, and without a budget as many as
    there are unordered pairs: any algorithm ends.
    """
    if oracle.n == 1:
        return 0  # there is no pair
    if rounds is not None:
        return rounds
    if oracle.ledger.budget is None:
        return oracle.n * (oracle.n - 1) // 2
    return for_each_label * max(oracle.ledger.budget, 1)


def blocks(oracle: Oracle, rounds: float, current: Callable[[], Cut]) -> Iterator[int]:
    """Sizes of blocks of pairs to draw, each of which may ask as many questions as it has pairs.

    A block ends before the next checkpoint and before the budget's end, where the current cut is
    recorded: no pair is drawn in vain, and none is asked about too early. Labels that are skipped
    leave room for further blocks.

    Parameters
    ----------
    oracle : Oracle
    rounds : float
        The most pairs to draw.
    current : callable
        Makes the current cut.
    """
    done = 0
    while done < rounds:
        if oracle.due():
            oracle.record(current().partition)
        block = int(min(LARGEST_BLOCK, rounds - done, oracle.until_due))
        if block == 0:
            return
        yield block
        done += block
