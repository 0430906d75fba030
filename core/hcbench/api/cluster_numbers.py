"""Criteria of numbers of clusters, from fits of the algorithm to parts of the data."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hcbench.analysis.branch_support import Replicate
from hcbench.analysis.cluster_numbers import (
    Number,
    check_numbers,
    cut_stability,
    gap_statistic,
    log_dispersion,
    mean_silhouette,
    prediction_strength,
    uniform_reference,
    weakest_cluster,
)
from hcbench.analysis.item_distances import distances_of_problem
from hcbench.api.resampling import (
    LEAST_FITS,
    Progress,
    Refit,
    TimeLimit,
    data_of,
    draw,
    no_progress,
)
from hcbench.api.trees import Fitted
from hcbench.errors import NotApplicableError
from hcbench.model.arrays import is_sparse
from hcbench.model.problem import Problem
from hcbench.model.trees import Tree
from hcbench.plan.seeds import derive_seed

#: The divisions of the items into halves, of which the prediction strength is the mean.
DIVISIONS = 10
#: The data sets without clusters, with which the gap statistic compares.
REFERENCES = 20


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Numbers:
    """The criteria of several numbers of clusters.

    Attributes
    ----------
    rows : list of Number
    omitted : tuple of str
        What there was no time for, in words.
    """

    rows: list[Number]
    omitted: tuple[str, ...] = ()


def measure_numbers(
    fitted: Fitted,
    numbers: Sequence[int],
    *,
    count: int = 50,
    seed: int = 0,
    limit: float = math.inf,
    progress: Progress = no_progress,
) -> Numbers:
    """The criteria of each number of clusters; see `hcbench.analysis.cluster_numbers`.

    Parameters
    ----------
    fitted : Fitted
        The tree, with its data.
    numbers : sequence of int
        Numbers of clusters; 1 has a gap statistic only.
    count : int
        The number of subsamples.
    seed, progress
        As of `measure_support`.
    limit : float
        Seconds after which no further fit begins. Subsamples come first, of which at least
        `LEAST_FITS` are made, then halves, then data without clusters.

    Raises
    ------
    NotApplicableError
        If the data are not at hand, or there are too few items.
    """
    problem, refit = data_of(fitted)
    tree = fitted.tree
    possible = check_numbers(numbers, tree.n)
    # Each division has two halves. What is not fitted in the end was counted nevertheless.
    total = count + 2 * DIVISIONS + REFERENCES
    fits = itertools.count(1)

    def refit_and_count(data: Problem, seed_of_fit: int) -> Tree:
        fitted_tree = refit(data, seed_of_fit)
        progress(next(fits), total)
        return fitted_tree

    progress(0, total)
    time_limit = TimeLimit(limit)
    replicates = []
    resamples = draw(problem, "items", count, (1.0,), seed=seed)
    for number, (data, items, scale) in enumerate(resamples, start=1):
        if number > LEAST_FITS and time_limit.is_over:
            break
        drawn = refit_and_count(data, derive_seed(seed, "replicate", number))
        replicates.append(Replicate(drawn, items, scale))
    # Without distances (of comparisons, or of too many items) only the stability can be computed.
    distances = _distances_or_none(problem, fitted.metric)
    halves = []
    if distances is not None:
        halves = _halves(problem, refit_and_count, seed, time_limit)
    gaps = _gaps(fitted, problem, refit_and_count, possible, distances, seed, time_limit)
    # Both parts of the gap statistic have one entry for each possible number, in this order.
    rows = []
    for position, k in enumerate(possible):
        row = _criteria_of(tree, k, replicates, distances, halves)
        if gaps is not None:
            row = replace(row, gap=float(gaps[0][position]), gap_error=float(gaps[1][position]))
        rows.append(row)
    omitted = []
    if time_limit.is_over:
        omitted = _describe_omitted(len(replicates), count, len(halves), gaps is not None)
    return Numbers(rows=rows, omitted=tuple(omitted))


def _distances_or_none(problem: Problem, metric: str) -> NDArray[np.float64] | None:
    """The distances of the items; None if they have none, or are too many."""
    try:
        return distances_of_problem(problem, metric)
    except NotApplicableError:
        return None


def _criteria_of(
    tree: Tree,
    k: int,
    replicates: Sequence[Replicate],
    distances: NDArray[np.float64] | None,
    halves: Sequence[tuple[Replicate, Replicate]],
) -> Number:
    """The criteria of the cut into k clusters, without the gap statistic."""
    partition = tree.cut(k)
    row = Number(k=k, smallest=int(partition.sizes.min()))
    if k == 1:
        # All items are in one cluster in every replicate: nothing could disagree.
        return row
    stability, deviation = cut_stability(tree, replicates, k)
    weakest = weakest_cluster(tree, replicates, k)
    row = replace(row, stability=stability, stability_sd=deviation, weakest=weakest)
    if distances is None:
        return row
    silhouette = mean_silhouette(distances, partition.labels)
    return replace(row, silhouette=silhouette, strength=_strength(distances, halves, k))


def _describe_omitted(n_subsamples: int, count: int, n_halves: int, has_gap: bool) -> list[str]:
    """What there was no time for; empty if everything was done in the end."""
    omitted = []
    if n_subsamples < count:
        omitted.append(f"{count - n_subsamples} of {count} subsamples")
    if n_halves < DIVISIONS:
        omitted.append(f"{DIVISIONS - n_halves} of {DIVISIONS} divisions into halves (strength)")
    if not has_gap:
        omitted.append("data without clusters (gap)")
    return omitted


def _halves(
    problem: Problem, refit: Refit, seed: int, time_limit: TimeLimit
) -> list[tuple[Replicate, Replicate]]:
    """Trees of the halves of several divisions of the items."""
    divisions: list[tuple[Replicate, Replicate]] = []
    for number in range(DIVISIONS):
        if time_limit.is_over:
            break
        rng = np.random.default_rng(derive_seed(seed, "halves", number))
        order = rng.permutation(problem.n)
        # Of an odd number of items, the second half has one more.
        middle = problem.n // 2
        sides = []
        for items in (order[:middle], order[middle:]):
            tree = refit(problem.take(items), derive_seed(seed, "half", number))
            sides.append(Replicate(tree, items))
        divisions.append((sides[0], sides[1]))
    return divisions


def _strength(
    distances: NDArray[np.float64], halves: Sequence[tuple[Replicate, Replicate]], k: int
) -> float | None:
    """The mean prediction strength; None without halves, or if they have too few items."""
    if not halves:
        # With fewer than two items a cluster there are no pairs whose prediction could be checked.
        return None
    values = []
    for first, second in halves:
        if min(first.tree.n, second.tree.n) < 2 * k:
            return None
        # Each half predicts the other one; the two numbers differ, as they are minima over
        # clusters.
        values.append(prediction_strength(distances, first, second, k))
        values.append(prediction_strength(distances, second, first, k))
    return float(np.mean(values))


def _gaps(
    fitted: Fitted,
    problem: Problem,
    refit: Refit,
    numbers: Sequence[int],
    distances: NDArray[np.float64] | None,
    seed: int,
    time_limit: TimeLimit,
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """The gap statistic of each number of clusters; None without dense vectors, or without time."""
    vectors = problem.vectors
    if vectors is None or is_sparse(vectors) or distances is None:
        return None
    log_w = _dispersions(distances, fitted.tree, numbers)
    reference_log_w = []
    for number in range(REFERENCES):
        if time_limit.is_over:
            # Of fewer data sets, the error would be another one.
            return None
        rng = np.random.default_rng(derive_seed(seed, "reference", number))
        reference = Problem(n=problem.n, vectors=uniform_reference(np.asarray(vectors), rng))
        tree = refit(reference, derive_seed(seed, "reference fit", number))
        apart = distances_of_problem(reference, fitted.metric)
        reference_log_w.append(_dispersions(apart, tree, numbers))
    return gap_statistic(np.array(log_w), np.array(reference_log_w))


def _dispersions(distances: NDArray[np.float64], tree: Tree, numbers: Sequence[int]) -> list[float]:
    """The logarithm of the dispersion within the clusters of each cut of a tree."""
    return [log_dispersion(distances, tree.cut(k).labels) for k in numbers]
