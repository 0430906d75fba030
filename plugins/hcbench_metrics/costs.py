"""Costs of a call, as recorded by the worker and the oracle's ledger. O(1) each.

They do not depend on the result, so they are defined for any tree or partition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hcbench import NotApplicableError
from hcbench.model import Cost

if TYPE_CHECKING:
    from hcbench import Scored

_WHOLE_CALL = "known only for a whole call, not for a checkpoint or a tree from elsewhere"


def _is_whole_call(scored: Scored) -> bool:
    """Whether more than a number of queries is known: what else a call costs, only at its end."""
    return scored.cost != Cost(queries=scored.cost.queries)


def _require_whole_call(scored: Scored) -> None:
    if not _is_whole_call(scored):
        raise NotApplicableError(_WHOLE_CALL)


def queries(scored: Scored) -> float:
    """Queries to the oracle, including repeated ones."""
    return _counted(scored, scored.cost.queries)


def distinct_queries(scored: Scored) -> float:
    """Distinct queries to the oracle."""
    return _counted(scored, scored.cost.distinct_queries)


def rounds(scored: Scored) -> float:
    """Rounds of adaptivity: batches of queries, each of which may depend on earlier answers."""
    return _counted(scored, scored.cost.rounds)


def draws(scored: Scored) -> float:
    """Pairs drawn from the oracle's distribution, which costs no query."""
    if scored.cost.draws is None and _is_whole_call(scored):
        raise NotApplicableError("this oracle has no pairs to draw")
    return _counted(scored, scored.cost.draws)


def seconds(scored: Scored) -> float:
    """Wall time of the algorithm alone, in s."""
    _require_whole_call(scored)
    if scored.cost.seconds is None:
        raise NotApplicableError(
            "the call compiled or imported something for the first time, and a call that is paid "
            "or asks a person is not repeated"
        )
    return scored.cost.seconds


def oracle_seconds(scored: Scored) -> float:
    """Wall time of the answers computed during the call, in s."""
    _require_whole_call(scored)
    if scored.cost.oracle_seconds is None:
        raise NotApplicableError(
            "the answers were computed inside the algorithm's own loop; their time is not separate"
        )
    return scored.cost.oracle_seconds


def processor_seconds(scored: Scored) -> float:
    """Processor time of the call, with that of the answers, in s."""
    _require_whole_call(scored)
    if scored.cost.processor_seconds is None:
        raise NotApplicableError(
            "processor time is computed when a cell is run; run it again with --fresh"
        )
    return scored.cost.processor_seconds


def peak_memory(scored: Scored) -> float:
    """Peak memory during the call, above that before it, in bytes."""
    _require_whole_call(scored)
    if scored.cost.peak_bytes is None:
        raise NotApplicableError("this system cannot measure the memory of one call")
    return float(scored.cost.peak_bytes)


def price(scored: Scored) -> float:
    """Price of the answers, each different one once, whoever has paid for it."""
    return _expense(scored, scored.cost.price)


def tokens(scored: Scored) -> float:
    """Tokens of the answers, likewise."""
    return _expense(scored, scored.cost.tokens)


def latency(scored: Scored) -> float:
    """Time that the answers took when they were given, in s; at once, the sum is longer."""
    return _expense(scored, scored.cost.latency)


def _expense(scored: Scored, amount: float | None) -> float:
    _require_whole_call(scored)
    if amount is None:
        raise NotApplicableError("this oracle is free")
    return amount


def _counted(scored: Scored, count: int | None) -> float:
    if count is not None:
        return float(count)
    if scored.cost.queries is not None:
        raise NotApplicableError(_WHOLE_CALL)
    raise NotApplicableError("this oracle does not count queries")
