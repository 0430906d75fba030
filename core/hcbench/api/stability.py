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
    from hcbench.model.trees import Partition
    from hcbench.plan.outcome import Outcome
    from hcbench.results.results import Results
    from hcbench.store.store import Store

    Result: TypeAlias = Tree | Partition

OF_TREES = "triplet-agreement"
OF_PARTITIONS = "ARI"


@dataclass(frozen=True, slots=True)
class Stability:
    """The agreement of the results of an algorithm on a data set.

    Attributes
    ----------
    algorithm, dataset, oracle : str
    budget : int, str or None
    metric : str
    mean, least : float or None
        Over all pairs of repetitions that can be compared; None if there is none.
    pairs : int
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
        if group.checkpoint is not None or not group.ran:
            continue
        given = [(o, store.result_of(o)) for o in group.outcomes if o.status == "ok"]
        known = [(outcome, result) for outcome, result in given if result is not None]
        is_tree = all(isinstance(result, Tree) for _, result in known)
        for metric in metrics or (OF_TREES if is_tree else OF_PARTITIONS,):
            values, reasons = [], dict.fromkeys([] if len(known) > 1 else ["there is one result"])
            for one, other in combinations(known, 2):
                try:
                    values.append(_of_pair(metric, one, other))
                except NotApplicableError as error:
                    reasons[str(error)] = None
            rows.append(
                Stability(
                    group.algorithm,
                    group.dataset,
                    group.oracle,
                    group.budget,
                    metric,
                    float(np.mean(values)) if values else None,
                    min(values, default=None),
                    len(values),
                    "; ".join(reasons),
                )
            )
    return rows


def _of_pair(metric: str, one: tuple[Outcome, Result], other: tuple[Outcome, Result]) -> float:
    (first, result), (second, rival) = one, other
    if first.data_digest == second.data_digest:
        return agreement(metric, result, rival)
    return agreement(metric, *common_items(result, rival))


def common_items(one: Result, other: Result) -> tuple[Tree, Tree]:
    """Two trees of named items, restricted to those that both have.

    Raises
    ------
    NotApplicableError
        If the items have no names, or fewer than three are common.
    """
    names, others = (tree.names if isinstance(tree, Tree) else None for tree in (one, other))
    if names is None or others is None:
        raise NotApplicableError("repetitions have other items, and these have no names")
    assert isinstance(one, Tree)
    assert isinstance(other, Tree)
    place = {name: item for item, name in enumerate(others)}
    common = [(item, place[name]) for item, name in enumerate(names) if name in place]
    if len(common) < 3:
        raise NotApplicableError(f"two repetitions have {len(common)} items in common")
    mine, theirs = np.transpose(common)
    return one.restrict(mine), other.restrict(theirs)


def agreement(metric: str, one: Result, other: Result) -> float:
    """The mean of a metric of each result, with the other one as the truth.

    Parameters
    ----------
    metric : str
        Such as ``"triplet-agreement"``.
    one, other : Tree or Partition
        Of the same items.

    Raises
    ------
    NotApplicableError
        If the metric does not compare such results with a truth.
    """
    return (score(metric, one, other) + score(metric, other, one)) / 2
