"""Stability: how far the results of two repetitions of one algorithm agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from hcbench.api.direct import score
from hcbench.errors import NotApplicableError
from hcbench.model.trees import Tree

if TYPE_CHECKING:
    from hcbench.analysis.groups import Group
    from hcbench.model.trees import Partition
    from hcbench.plan.outcome import Outcome
    from hcbench.results.results import Results
    from hcbench.store.store import Store

    Result: TypeAlias = Tree | Partition

OF_TREES = "triplet-agreement"
OF_PARTITIONS = "ARI"
_NO_NAMES = "repetitions have other items, and these have no names"


@dataclass(frozen=True, slots=True)
class Stability:
    """The agreement of the results of an algorithm on a data set.

    Attributes
    ----------
    algorithm, dataset, oracle : str
        The algorithm, the data set and the oracle.
    budget : int, str or None
        The budget of queries.
    metric : str
        The metric of agreement.
    mean, least : float or None
        The mean and the least agreement of all pairs of repetitions that can be compared; None if
        there is none.
    pairs : int
        The number of these pairs.
    reason : str
        Why pairs could not be compared; "" if all were.
    """

    algorithm: str
    dataset: str
    oracle: str
    budget: int | str | None
    metric: str
    mean: float | None
    least: float | None
    pairs: int
    reason: str


def measure_stability(
    results: Results, store: Store, metrics: Sequence[str] = ()
) -> list[Stability]:
    """How far the results of each two repetitions agree.

    Parameters
    ----------
    results : Results
    store : Store
        Where the trees and partitions are stored.
    metrics : sequence of str
        Metrics that compare with a truth; by default `OF_TREES`, or `OF_PARTITIONS`.

    Returns
    -------
    list of Stability
        For each algorithm, data set, oracle, budget and metric. Over R repetitions there are
        R(R - 1)/2 pairs, each compared in both directions.
    """
    rows = []
    for group in results.groups:
        # Results at checkpoints are earlier states of those at the end.
        if group.checkpoint is not None or not group.ran:
            continue
        repetitions = _results_of(group, store)
        for metric in metrics or (_default_metric(repetitions),):
            values, reasons = _compare_pairs(metric, repetitions)
            mean = None
            if values:
                mean = float(np.mean(values))
            stability = Stability(
                algorithm=group.algorithm,
                dataset=group.dataset,
                oracle=group.oracle,
                budget=group.budget,
                metric=metric,
                mean=mean,
                least=min(values, default=None),
                pairs=len(values),
                reason="; ".join(reasons),
            )
            rows.append(stability)
    return rows


def _results_of(group: Group, store: Store) -> list[tuple[Outcome, Result]]:
    """The repetitions of a group that have a result, with it."""
    repetitions = []
    for outcome in group.outcomes:
        if outcome.status != "ok":
            continue
        result = store.result_of(outcome)
        if result is not None:
            repetitions.append((outcome, result))
    return repetitions


def _default_metric(repetitions: Sequence[tuple[Outcome, Result]]) -> str:
    """The metric of agreement that is defined for all these results."""
    for _, result in repetitions:
        if not isinstance(result, Tree):
            return OF_PARTITIONS
    return OF_TREES


def _compare_pairs(
    metric: str, repetitions: Sequence[tuple[Outcome, Result]]
) -> tuple[list[float], list[str]]:
    """The agreement of each pair of repetitions, and why others could not be compared."""
    if len(repetitions) < 2:
        return [], ["there is one result"]
    values = []
    # Many pairs have one reason; the dictionary has each once, in the order of the pairs.
    reasons: dict[str, None] = {}
    for first, second in combinations(repetitions, 2):
        try:
            values.append(_agreement_of_pair(metric, first, second))
        except NotApplicableError as error:
            reasons[str(error)] = None
    return values, list(reasons)


def _agreement_of_pair(
    metric: str, first: tuple[Outcome, Result], second: tuple[Outcome, Result]
) -> float:
    first_outcome, first_result = first
    second_outcome, second_result = second
    if first_outcome.data_digest == second_outcome.data_digest:
        return agreement(metric, first_result, second_result)
    # Repetitions of random data have other items, some of which may be the same.
    first_tree, second_tree = common_items(first_result, second_result)
    return agreement(metric, first_tree, second_tree)


def common_items(first: Result, second: Result) -> tuple[Tree, Tree]:
    """Two trees of named items, restricted to those that both have.

    Raises
    ------
    NotApplicableError
        If the items have no names, or fewer than three are common.

    Examples
    --------
    >>> first = hcbench.Tree.from_newick("(((a,b),c),d);")
    >>> second = hcbench.Tree.from_newick("((a,c),(b,x));")
    >>> [tree.to_newick() for tree in common_items(first, second)]
    ['(c,(a,b));', '(b,(a,c));']
    """
    if not isinstance(first, Tree) or not isinstance(second, Tree):
        raise NotApplicableError(_NO_NAMES)
    if first.names is None or second.names is None:
        raise NotApplicableError(_NO_NAMES)
    item_of_name = {name: item for item, name in enumerate(second.names)}
    first_items = []
    second_items = []
    for item, name in enumerate(first.names):
        if name in item_of_name:
            first_items.append(item)
            second_items.append(item_of_name[name])
    # Two leaves have one tree only, which agrees with any other.
    if len(first_items) < 3:
        raise NotApplicableError(f"two repetitions have {len(first_items)} items in common")
    return first.restrict(np.array(first_items)), second.restrict(np.array(second_items))


def agreement(metric: str, first: Result, second: Result) -> float:
    """The mean of a metric of each result, with the other one as the truth.

    Parameters
    ----------
    metric : str
        The name of a metric, such as ``"triplet-agreement"``.
    first, second : Tree or Partition
        Two results of the same items.

    Raises
    ------
    NotApplicableError
        If the metric does not compare such results with a truth.

    Examples
    --------
    >>> first = hcbench.Tree.from_newick("((a,b),(c,d));")
    >>> second = hcbench.Tree.from_newick("(((a,b),c),d);")
    >>> agreement("triplet-agreement", first, first)
    1.0
    >>> agreement("triplet-agreement", first, second)
    0.5
    """
    # A metric need not be symmetric: triplets that the truth does not resolve are not counted.
    return (score(metric, first, second) + score(metric, second, first)) / 2
