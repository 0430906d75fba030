"""All that was measured, a row for each combination."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hcbench.statistics import Summary, summarise
from hcbench.views.axes import KINDS, as_number, parse_label

if TYPE_CHECKING:
    from hcbench.groups import Group
    from hcbench.results import Results
    from hcbench.specs import Params

#: The parameter of an oracle that says how often it errs, by convention.
NOISE = "noise"


@dataclass(frozen=True, slots=True)
class Score:
    """What one metric says.

    Attributes
    ----------
    summary : Summary
        Over the repetitions with a value.
    best : bool
        Whether it is the best mean of its data set (see `Results.best_rows`).
    failed : int
        Repetitions without a value because of a failure.
    reason : str
        Why one has none; "" if all have one.
    """

    summary: Summary
    best: bool
    failed: int
    reason: str


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """One algorithm on one data set, through one oracle, with one budget, at one point.

    Attributes
    ----------
    algorithm, dataset, oracle : str
    oracle_name : str
        Without parameters.
    noise : float or None
        The parameter ``noise`` of the oracle, if it has one.
    budget, checkpoint : int or None
    reference : bool
    repetitions : int
    failed : int
        How many of them have no result.
    reasons : tuple of str
        Why, and why it was skipped; each once.
    scores : mapping of metric label to Score
    """

    algorithm: str
    dataset: str
    oracle: str
    oracle_name: str
    noise: float | None
    budget: int | None
    checkpoint: int | None
    reference: bool
    repetitions: int
    failed: int
    reasons: tuple[str, ...]
    scores: Mapping[str, Score]


def leaderboard(results: Results) -> tuple[LeaderboardRow, ...]:
    """A row for each group of repetitions, in the order asked for; also of failures."""
    best = {
        metric.label: {
            id(group)
            for dataset in results.datasets
            for group in results.best_rows(dataset, metric)
        }
        for metric in results.metrics
    }
    known = results.parameters.get(KINDS["oracle"], {})
    return tuple(_row(results, group, best, known) for group in results.groups)


def _row(
    results: Results, group: Group, best: Mapping[str, set[int]], known: Mapping[str, Params]
) -> LeaderboardRow:
    oracle = parse_label(group.oracle, known)
    reasons = [
        f"{outcome.status}: {outcome.reason}" if outcome.reason else outcome.status
        for outcome in group.outcomes
        if outcome.status != "ok"
    ]
    return LeaderboardRow(
        algorithm=group.algorithm,
        dataset=group.dataset,
        oracle=group.oracle,
        oracle_name=oracle.base,
        noise=as_number(oracle.params.get(NOISE)),
        budget=group.budget,
        checkpoint=group.checkpoint,
        reference=results.is_reference(group),
        repetitions=len(group.outcomes),
        failed=sum(outcome.failed for outcome in group.outcomes),
        reasons=tuple(dict.fromkeys(reasons)),
        scores={
            m.label: _score(group, m.label, id(group) in best[m.label]) for m in results.metrics
        },
    )


def _score(group: Group, metric: str, best: bool) -> Score:
    values = group.values(metric)
    lacking = [value.reason for value in values if value.value is None]
    return Score(
        summarise(group.numbers(metric)), best, group.failed(metric), lacking[0] if lacking else ""
    )
