"""Which methods the results on subsamples recommend."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError, NotApplicableError, Result, agreement, common_items
from hcbench.plan import Outcome
from hcbench_recommend.deciding import DECIMALS, ROUNDING_ERROR, Decision, Drawn, decide
from hcbench_recommend.recommendation import BASELINE, Method, Recommendation
from hcbench_recommend.sentences import (
    describe_confidence,
    describe_costs,
    describe_error,
    describe_failures,
    describe_metrics,
    in_words,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What was measured of the methods.

    Attributes
    ----------
    data : str
        The data set or file.
    on_all : mapping of str to Outcome
        The outcome of each method on all items.
    times : mapping of str to float
        The median time of calls of each method on all items, in seconds.
    results : StoredResults
        The results on the subsamples.
    drawn : Drawn
        The subsamples.
    """

    data: str
    on_all: Mapping[str, Outcome]
    times: Mapping[str, float]
    results: Any
    drawn: Drawn

    def outcomes_of_methods(self) -> dict[str, list[Outcome]]:
        """The outcomes on subsamples, by the methods that have a result on any of them."""
        by_method: dict[str, list[Outcome]] = {}
        for outcome in self.results.outcomes:
            is_skipped = "skipped" in (outcome.status, self.on_all[outcome.algorithm].status)
            if not is_skipped:
                by_method.setdefault(outcome.algorithm, []).append(outcome)
        for name, outcomes in list(by_method.items()):
            if not any(outcome.points for outcome in outcomes):
                del by_method[name]
        return by_method

    def reasons(self) -> Iterator[str]:
        """The reasons of all outcomes that have one."""
        for outcome in list(self.on_all.values()) + list(self.results.outcomes):
            if outcome.reason:
                yield outcome.reason


def judge(measured: Measured, deciding: Sequence[str]) -> Recommendation:
    """Say which methods are recommended.

    Parameters
    ----------
    measured : Measured
    deciding : sequence of str
        The metrics that decide.

    Returns
    -------
    Recommendation

    Raises
    ------
    DataError
        If no method has a result, or no metric has a value.
    """
    by_method = measured.outcomes_of_methods()
    names = list(by_method)
    tables, directed = _tables_of(measured, by_method, deciding)
    if not tables or set(names) <= {BASELINE}:
        why = next(measured.reasons(), f"no value of {', '.join(deciding)} is defined")
        raise DataError(f"{measured.data}: there is nothing to recommend, as {why}")
    n_methods = len(set(names) - {BASELINE})
    decision = decide(directed, measured.drawn, n_methods)
    methods = _describe_methods(measured, by_method, tables, decision)
    undecided = [names[row] for row in decision.undecided]
    text = in_words(methods, undecided)
    confidence = describe_confidence(methods, _wins_of_first(decision), measured.drawn)
    notes = describe_failures(methods)
    notes += describe_metrics(methods, tuple(tables))
    notes += describe_error(measured.drawn)
    return Recommendation(
        data=measured.data,
        methods=tuple(methods),
        metrics=tuple(tables),
        undecided=tuple(undecided),
        subsamples=measured.drawn.subsamples,
        text=text,
        sentences=(text, *describe_costs(methods, undecided), *confidence),
        notes=tuple(notes),
        results=measured.results,
    )


def _tables_of(
    measured: Measured, by_method: Mapping[str, Sequence[Outcome]], deciding: Sequence[str]
) -> tuple[dict[str, NDArray[np.float64]], list[NDArray[np.float64]]]:
    """The values of the deciding metrics that have any, (methods, subsamples).

    Returns
    -------
    tables : dict of str to array
        By the label of the metric.
    directed : list of arrays
        The same, with the sign for which higher is better.
    """
    tables = {}
    directed = []
    for metric in measured.results.metrics:
        if metric.label not in deciding:
            continue
        table = _values(list(by_method.values()), metric.label, measured.drawn.subsamples)
        if not np.isfinite(table).any():
            continue
        tables[metric.label] = table
        directed.append(table if metric.direction == "higher" else -table)
    return tables, directed


def _values(
    groups: Sequence[Sequence[Outcome]], label: str, subsamples: int
) -> NDArray[np.float64]:
    """Values of a metric, (methods, subsamples); NaN where there is none."""
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


def _describe_methods(
    measured: Measured,
    by_method: Mapping[str, Sequence[Outcome]],
    tables: Mapping[str, NDArray[np.float64]],
    decision: Decision,
) -> list[Method]:
    """The methods, best first; the rows of tables and scores are those of ``by_method``."""
    names = list(by_method)
    ranks = ranks_of(decision.scores)
    is_best = np.isclose(ranks, ranks.min(axis=0))
    methods = []
    for row in decision.order:
        name = names[row]
        outcomes = by_method[name]
        limits = decision.behind[row]
        method = Method(
            name=name,
            values=_means(tables, row),
            score=float(decision.scores[row].mean()),
            low=_finite(limits.low),
            high=_finite(limits.high),
            note=limits.note,
            rank=float(ranks[row].mean()),
            best=int(is_best[row].sum()),
            stability=_stability(measured.results.results_of(outcomes)),
            seconds=measured.times.get(name),
            peak_bytes=measured.on_all[name].cost.peak_bytes,
            reason=_reason_of_failure([measured.on_all[name], *outcomes]),
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


def _stability(results: Sequence[Result | None]) -> float | None:
    """Mean agreement of the trees of two subsamples on their common items."""
    trees = [result for result in results if result is not None]
    values = []
    for first, second in combinations(trees, 2):
        with suppress(NotApplicableError):  # too few common items, or partitions
            values.append(agreement("triplet-agreement", *common_items(first, second)))
    return float(np.mean(values)) if values else None
