"""What a call cost, as the worker and the oracle's ledger recorded it. O(1) each.

None of them looks at the result, so any tree or partition of any number of items has them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hcbench import NotApplicableError

if TYPE_CHECKING:
    from hcbench import Scored


_WHOLE_CALL = "known of a whole call only, not of a checkpoint nor of a tree made elsewhere"


def queries(scored: Scored) -> float:
    """Questions asked of the oracle, repeated ones included."""
    return _countable(scored, scored.cost.queries)


def distinct_queries(scored: Scored) -> float:
    """Different questions asked of the oracle."""
    return _countable(scored, scored.cost.distinct_queries)


def rounds(scored: Scored) -> float:
    """Rounds of adaptivity: batches of questions, each of which may depend on earlier answers."""
    return _countable(scored, scored.cost.rounds)


def draws(scored: Scored) -> float:
    """Pairs drawn from the oracle's distribution, which costs no question."""
    if scored.cost.draws is None and scored.cost.seconds is not None:
        raise NotApplicableError("this oracle has no pairs to draw")
    return _countable(scored, scored.cost.draws)


def seconds(scored: Scored) -> float:
    """Wall time of the algorithm alone, in s."""
    if scored.cost.seconds is None:
        raise NotApplicableError(_WHOLE_CALL)
    return scored.cost.seconds


def oracle_seconds(scored: Scored) -> float:
    """Wall time of the answers computed during the call, in s."""
    seconds(scored)
    if scored.cost.oracle_seconds is None:
        raise NotApplicableError(
            "the answers were computed inside the algorithm's own loop and cannot be timed apart"
        )
    return scored.cost.oracle_seconds


def peak_memory(scored: Scored) -> float:
    """The most memory held during the call above what was held before it, in bytes."""
    seconds(scored)
    if scored.cost.peak_bytes is None:
        raise NotApplicableError("this system cannot tell how much memory one call held")
    return float(scored.cost.peak_bytes)


def _countable(scored: Scored, count: int | None) -> float:
    if count is not None:
        return float(count)
    if scored.cost.queries is not None:
        raise NotApplicableError(_WHOLE_CALL)
    raise NotApplicableError("this oracle answers nothing countable")
