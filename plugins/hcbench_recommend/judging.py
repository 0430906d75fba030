"""Which methods the results on parts of the data recommend."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError, NotApplicableError, Result, agreement, common_items
from hcbench.analysis import Replication
from hcbench.plan import Outcome
from hcbench_recommend.candidates import Candidate
from hcbench_recommend.deciding import DECIMALS, ROUNDING_ERROR, Decision, Drawn, decide
from hcbench_recommend.recommendation import BASELINE, Method, Recommendation
from hcbench_recommend.sentences import (
    Setting,
    describe_confidence,
    describe_costs,
    describe_error,
    describe_failures,
    describe_metrics,
    describe_replication,
    in_words,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What was measured of the methods.

    Attributes
    ----------
    data : str
        The data set or file.
    candidates : sequence of Candidate
        Methods with distances, without those that have no result at all.
    on_all : mapping of str to Outcome
        The outcome of each candidate on all items, by its name.
    outcomes : mapping of str to sequence of Outcome
        Its outcomes on the parts of the data.
    times : mapping of str to float
        The median time of calls of each method on all items, in seconds, by its label.
    tables : mapping of str to (candidates, parts) array
        The values of what decides, by the label; NaN is a missing value.
    directed : sequence of (candidates, parts) array
        The same, with the sign for which higher is better.
    drawn : Drawn
        The parts.
    distances : tuple of str
        The distances that were tried.
    replication : mapping of str to Replication
        Of each candidate, by its name; empty if metrics decide.
    stability : mapping of str to float or None
        The mean agreement of its trees of two subsamples.
    results : StoredResults
        The results that a report shows.
    """

    data: str
    candidates: Sequence[Candidate]
    on_all: Mapping[str, Outcome]
    outcomes: Mapping[str, Sequence[Outcome]]
    times: Mapping[str, float]
    tables: Mapping[str, NDArray[np.float64]]
    directed: Sequence[NDArray[np.float64]]
    drawn: Drawn
    distances: tuple[str, ...]
    replication: Mapping[str, Replication] = field(default_factory=dict)
    stability: Mapping[str, float | None] = field(default_factory=dict)
    results: Any

    @property
    def methods(self) -> set[str]:
        """The labels of the methods that have results, without the baseline."""
        return {candidate.algorithm for candidate in self.candidates} - {BASELINE}

    def outcomes_of(self, candidate: Candidate) -> list[Outcome]:
        """The outcomes of a candidate: on all items, then on the parts."""
        outcomes = [self.on_all[candidate.name]]
        outcomes += self.outcomes.get(candidate.name, ())
        return outcomes


def with_results(
    candidates: Sequence[Candidate],
    on_all: Mapping[str, Outcome],
    outcomes: Mapping[str, Sequence[Outcome]],
) -> list[Candidate]:
    """The candidates that apply to the data, and have a result on a part of them.

    Parameters
    ----------
    candidates : sequence of Candidate
    on_all : mapping of str to Outcome
        By the name of the candidate.
    outcomes : mapping of str to sequence of Outcome
        On the parts of the data, by the name of the candidate.
    """
    remaining = []
    for candidate in candidates:
        if on_all[candidate.name].status == "skipped":
            continue
        if any(outcome.points for outcome in outcomes.get(candidate.name, ())):
            remaining.append(candidate)
    return remaining


def first_reason(outcomes: Iterator[Outcome], default: str) -> str:
    """The reason of the first outcome that has one."""
    for outcome in outcomes:
        if outcome.reason:
            return outcome.reason
    return default


def judge(measured: Measured) -> Recommendation:
    """Say which methods are recommended.

    Parameters
    ----------
    measured : Measured

    Returns
    -------
    Recommendation

    Raises
    ------
    DataError
        If no method has a result, or nothing that decides has a value.
    """
    candidates = measured.candidates
    if not measured.tables or not measured.methods:
        outcomes = iter(list(measured.on_all.values()) + list(measured.results.outcomes))
        why = first_reason(outcomes, "nothing that decides has a value")
        raise DataError(f"{measured.data}: there is nothing to recommend, as {why}")
    n_choices = len([one for one in candidates if one.algorithm != BASELINE])
    decision = decide(measured.directed, measured.drawn, n_choices)
    methods = _describe_methods(measured, decision)
    undecided = [candidates[row].name for row in decision.undecided]
    setting = Setting(
        data=measured.data,
        n_methods=len(measured.methods),
        distances=measured.distances,
        is_replicated=bool(measured.replication),
    )
    text = in_words(methods, undecided, setting)
    sentences = [text]
    sentences += describe_replication(methods, setting)
    sentences += describe_costs(methods, undecided)
    sentences += describe_confidence(methods, _wins_of_first(decision), measured.drawn)
    notes = describe_failures(methods)
    notes += describe_metrics(methods, tuple(measured.tables))
    notes += describe_error(measured.drawn)
    return Recommendation(
        data=measured.data,
        methods=tuple(methods),
        metrics=tuple(measured.tables),
        distances=measured.distances,
        undecided=tuple(undecided),
        subsamples=measured.drawn.subsamples,
        text=text,
        sentences=tuple(sentences),
        notes=tuple(notes),
        results=measured.results,
    )


def tables_of_metrics(
    results: Any, groups: Sequence[Sequence[Outcome]], deciding: Sequence[str], subsamples: int
) -> tuple[dict[str, NDArray[np.float64]], list[NDArray[np.float64]]]:
    """The values of the deciding metrics that have any, (groups, subsamples).

    Parameters
    ----------
    results : StoredResults
        The results on the subsamples.
    groups : sequence of sequences of Outcome
        The outcomes of each candidate.
    deciding : sequence of str
        The metrics that decide.
    subsamples : int

    Returns
    -------
    tables : dict of str to array
        By the label of the metric.
    directed : list of arrays
        The same, with the sign for which higher is better.
    """
    tables = {}
    directed = []
    for metric in results.metrics:
        if metric.label not in deciding:
            continue
        table = _values(groups, metric.label, subsamples)
        if not np.isfinite(table).any():
            continue
        tables[metric.label] = table
        directed.append(table if metric.direction == "higher" else -table)
    return tables, directed


def _values(
    groups: Sequence[Sequence[Outcome]], label: str, subsamples: int
) -> NDArray[np.float64]:
    """Values of a metric, (groups, subsamples); NaN where there is none."""
    table = np.full((len(groups), subsamples), np.nan)
    for row, outcomes in zip(table, groups, strict=True):
        for outcome in outcomes:
            if not outcome.points:
                continue
            value = outcome.points[-1].values.get(label)
            if value is not None and value.value is not None:
                row[outcome.repetition] = value.value
    return table


def ranks_of(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks of methods in each subsample: 1 has the best score, and ties share their mean rank."""
    from scipy.stats import rankdata

    ranks: NDArray[np.float64] = rankdata(-np.round(scores, DECIMALS), axis=0)
    return ranks


def _wins_of_first(decision: Decision) -> int:
    """The number of subsamples in which the first method is better than the second, if any."""
    if len(decision.order) < 2:
        return 0
    first = decision.scores[decision.order[0]]
    second = decision.scores[decision.order[1]]
    return int((first > second + ROUNDING_ERROR).sum())


def _describe_methods(measured: Measured, decision: Decision) -> list[Method]:
    """The candidates, best first."""
    ranks = ranks_of(decision.scores)
    is_best = np.isclose(ranks, ranks.min(axis=0))
    methods = []
    for row in decision.order:
        candidate = measured.candidates[row]
        limits = decision.behind[row]
        replication = measured.replication.get(candidate.name)
        method = Method(
            name=candidate.name,
            algorithm=candidate.algorithm,
            distance=candidate.distance,
            values=_means(measured.tables, row),
            score=float(decision.scores[row].mean()),
            low=_finite(limits.low),
            high=_finite(limits.high),
            note=limits.note,
            rank=float(ranks[row].mean()),
            best=int(is_best[row].sum()),
            clusters=None if replication is None else replication.k,
            strength=None if replication is None else replication.strength,
            rand=None if replication is None else replication.rand,
            reference=None if replication is None else replication.reference,
            stability=measured.stability.get(candidate.name),
            seconds=measured.times.get(candidate.algorithm),
            peak_bytes=measured.on_all[candidate.name].cost.peak_bytes,
            reason=_reason_of_failure(measured.outcomes_of(candidate)),
        )
        methods.append(method)
    return methods


def _means(tables: Mapping[str, NDArray[np.float64]], row: int) -> dict[str, float | None]:
    """The mean of each metric over the subsamples; None if a value is missing in any."""
    means: dict[str, float | None] = {}
    for label, table in tables.items():
        values = table[row]
        means[label] = float(values.mean()) if np.isfinite(values).all() else None
    return means


def _finite(limit: float) -> float | None:
    """A limit of an interval; None if there is no interval."""
    return limit if math.isfinite(limit) else None


def _reason_of_failure(outcomes: Sequence[Outcome]) -> str:
    """The reason of the first outcome that failed; "" if none did."""
    for outcome in outcomes:
        if outcome.failed:
            return outcome.reason
    return ""


def stability_of(results: Sequence[Result | None]) -> float | None:
    """Mean agreement of the trees of two subsamples on their common items.

    Parameters
    ----------
    results : sequence of Tree, Partition or None
        Of the subsamples.
    """
    trees = [result for result in results if result is not None]
    values = []
    for first, second in combinations(trees, 2):
        with suppress(NotApplicableError):  # too few common items, or partitions
            values.append(agreement("triplet-agreement", *common_items(first, second)))
    return float(np.mean(values)) if values else None
