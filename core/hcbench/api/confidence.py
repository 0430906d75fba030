"""How sure a tree and its clusters are: the algorithm is fitted again to resampled data."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hcbench.analysis.branch_support import (
    Replicate,
    Support,
    Unbiased,
    branch_support,
    unbiased_support,
)
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
from hcbench.api.trees import Fitted
from hcbench.errors import HcbenchError, NotApplicableError, ParameterError
from hcbench.model.arrays import is_sparse
from hcbench.model.problem import Problem
from hcbench.model.trees import Tree
from hcbench.plan.seeds import derive_seed

Resampled: TypeAlias = Literal["auto", "features", "items"]
#: The share of the items in a subsample.
SHARE = 0.8
#: With fewer features, ``auto`` draws items: a bootstrap of 4 features is often 3 different ones.
FEWEST_FEATURES = 20
#: Numbers of features in a multiscale bootstrap, as shares of all; from pvclust.
SCALES = tuple(round(0.5 + 0.1 * step, 1) for step in range(10))
#: The divisions into halves of the prediction strength, and the data sets of the gap statistic.
DIVISIONS = 10
REFERENCES = 20
#: The fits that are made however little time there is.
LEAST_FITS = 2

Refit: TypeAlias = Callable[[Problem, int], Tree]
#: Called with the number of fits that are done, and of all.
Progress: TypeAlias = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Confidence:
    """The support of the branches of a tree.

    Attributes
    ----------
    resampled : {"features", "items"}
        What was drawn.
    count : int
        The number of replicates at scale 1.
    support : Support
    unbiased : Unbiased or None
        With a multiscale bootstrap.
    replicates : sequence of Replicate
        At scale 1.
    failed : int
        The number of replicates in which the algorithm failed; they are not counted.
    omitted : int
        The number of replicates for which there was no time.
    """

    resampled: Resampled
    count: int
    support: Support
    unbiased: Unbiased | None
    replicates: Sequence[Replicate]
    failed: int
    omitted: int = 0


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


class TimeLimit:
    """A time for fits, which begins when it is made.

    Parameters
    ----------
    seconds : float
        Infinity for no limit.
    """

    def __init__(self, seconds: float = math.inf) -> None:
        self._end = time.monotonic() + seconds

    @property
    def is_over(self) -> bool:
        """Whether no further fit may begin."""
        return time.monotonic() >= self._end


def _no_progress(_done: int, _total: int) -> None:
    """Show nothing."""


def measure_support(
    fitted: Fitted,
    count: int,
    *,
    resampled: Resampled = "auto",
    unbiased: bool = False,
    share: float = SHARE,
    seed: int = 0,
    limit: float = math.inf,
    progress: Progress = _no_progress,
) -> Confidence:
    """Fit the algorithm to resampled data, and count the branches of the tree.

    Parameters
    ----------
    fitted : Fitted
        The tree, with its data.
    count : int
        The number of replicates.
    resampled : {"auto", "features", "items"}
        ``features`` draws as many features as there are, with replacement; ``items`` draws a share
        of the items without replacement; ``auto`` draws features if there are at least
        `FEWEST_FEATURES`.
    unbiased : bool
        Whether AU is fitted, with so many replicates at each of `SCALES`; of features only.
    share : float
        The share of the items.
    seed : int
        The base of all seeds.
    limit : float
        Seconds after which no further fit begins; at least `LEAST_FITS` are made.
    progress : callable
        Called with the number of fits that are done, and of all.

    Raises
    ------
    NotApplicableError
        If the data are not at hand, have no features, or there was too little time.
    """
    problem, refit = _data_of(fitted)
    how = _what_to_draw(problem, resampled)
    if unbiased and how == "items":
        raise NotApplicableError(
            "AU is fitted to bootstraps of features: it needs vectors, and --resample features"
        )
    scales = SCALES if unbiased else (1.0,)
    total = count * len(scales)
    progress(0, total)
    time_limit = TimeLimit(limit)
    replicates = []
    failed = 0
    n_done = 0
    for number, (data, items, scale) in enumerate(
        _draw(problem, how, count, scales, share=share, seed=seed), start=1
    ):
        if number > LEAST_FITS and time_limit.is_over:
            break
        n_done = number
        try:
            drawn = refit(data, derive_seed(seed, "replicate", number))
            replicates.append(Replicate(drawn, items, scale))
        except HcbenchError:
            failed += 1
        progress(number, total)
    if not replicates:
        raise NotApplicableError(f"{fitted.title}: the algorithm failed in all {total} replicates")
    # The plain support is of bootstraps of the size of the data; AU is fitted to all scales.
    at_one = [replicate for replicate in replicates if replicate.scale == 1.0]
    if not at_one:
        raise NotApplicableError(
            f"{fitted.title}: in {limit:g} s there was time for {n_done} of {total} fits only, "
            "none of them with as many features as the data; take a longer limit, or fewer "
            "replicates"
        )
    au = None
    if unbiased:
        au = unbiased_support(fitted.tree, replicates)
    return Confidence(
        resampled=how,
        count=len(at_one),
        support=branch_support(fitted.tree, at_one),
        unbiased=au,
        replicates=at_one,
        failed=failed,
        omitted=total - n_done,
    )


def measure_numbers(
    fitted: Fitted,
    numbers: Sequence[int],
    *,
    count: int = 50,
    share: float = SHARE,
    seed: int = 0,
    limit: float = math.inf,
    progress: Progress = _no_progress,
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
    share, seed, progress
        As of `measure_support`.
    limit : float
        Seconds after which no further fit begins. Subsamples come first, of which at least
        `LEAST_FITS` are made, then halves, then data without clusters.

    Raises
    ------
    NotApplicableError
        If the data are not at hand, or there are too few items.
    """
    problem, refit = _data_of(fitted)
    tree = fitted.tree
    possible = check_numbers(numbers, tree.n)
    total = count + 2 * DIVISIONS + REFERENCES
    fits = itertools.count(1)

    def refit_and_count(data: Problem, seed_of_fit: int) -> Tree:
        fitted_tree = refit(data, seed_of_fit)
        progress(next(fits), total)
        return fitted_tree

    progress(0, total)
    time_limit = TimeLimit(limit)
    replicates = []
    for number, (data, items, scale) in enumerate(
        _draw(problem, "items", count, (1.0,), share=share, seed=seed), start=1
    ):
        if number > LEAST_FITS and time_limit.is_over:
            break
        drawn = refit_and_count(data, derive_seed(seed, "replicate", number))
        replicates.append(Replicate(drawn, items, scale))
    distances = _distances_or_none(problem, fitted.metric)
    halves = []
    if distances is not None:
        halves = _halves(problem, refit_and_count, seed, time_limit)
    gaps = _gaps(fitted, problem, refit_and_count, possible, distances, seed, time_limit)
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


def _data_of(fitted: Fitted) -> tuple[Problem, Refit]:
    """The data, and a function that fits a tree to others."""
    if fitted.problem is None or fitted.refit is None:
        raise NotApplicableError(
            f"{fitted.title}: resampling needs the data and the algorithm; write "
            "hcbench tree ALGORITHM DATA"
        )
    fit_again = fitted.refit

    def refit(problem: Problem, seed: int) -> Tree:
        result = fit_again(problem, seed)
        if not isinstance(result, Tree):
            raise NotApplicableError(f"{fitted.title}: the result is no tree")
        return result

    return fitted.problem, refit


def _what_to_draw(problem: Problem, resampled: Resampled) -> Resampled:
    if resampled not in ("auto", "features", "items"):
        raise ParameterError(f"resampled={resampled!r}: write auto, features or items")
    vectors = problem.vectors
    if resampled == "features" and vectors is None:
        raise NotApplicableError("the data have no features, only items; draw items")
    if resampled != "auto":
        return resampled
    if vectors is not None and vectors.shape[1] >= FEWEST_FEATURES:
        return "features"
    return "items"


def _draw(
    problem: Problem,
    how: Resampled,
    count: int,
    scales: Sequence[float],
    *,
    share: float,
    seed: int,
) -> Iterator[tuple[Problem, NDArray[np.int64] | None, float]]:
    """Resampled data, the items that they have, and their scale."""
    if how == "items":
        if not 0 < share < 1:
            raise ParameterError(f"share={share}: a share is between 0 and 1, such as {SHARE}")
        size = max(3, round(share * problem.n))
        if size >= problem.n:
            raise NotApplicableError(
                f"{problem.n} items are too few for subsamples of {share:.0%}; 5 is the least"
            )
        for number in range(count):
            rng = np.random.default_rng(derive_seed(seed, "items", number))
            items = rng.choice(problem.n, size, replace=False)
            yield problem.take(items), items, 1.0
        return
    vectors = problem.vectors
    assert vectors is not None
    n_features = vectors.shape[1]
    for scale in scales:
        n_drawn = max(1, round(scale * n_features))
        for number in range(count):
            rng = np.random.default_rng(derive_seed(seed, "features", str(scale), number))
            columns = rng.integers(n_features, size=n_drawn)
            yield replace(problem, vectors=vectors[:, columns]), None, scale


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
        return None
    values = []
    for first, second in halves:
        if min(first.tree.n, second.tree.n) < 2 * k:
            return None
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
    log_w = [log_dispersion(distances, fitted.tree.cut(k).labels) for k in numbers]
    reference_log_w = []
    for number in range(REFERENCES):
        if time_limit.is_over:
            # Of fewer data sets, the error would be another one.
            return None
        rng = np.random.default_rng(derive_seed(seed, "reference", number))
        reference = Problem(n=problem.n, vectors=uniform_reference(np.asarray(vectors), rng))
        tree = refit(reference, derive_seed(seed, "reference fit", number))
        apart = distances_of_problem(reference, fitted.metric)
        reference_log_w.append([log_dispersion(apart, tree.cut(k).labels) for k in numbers])
    return gap_statistic(np.array(log_w), np.array(reference_log_w))


def branch_rows(tree: Tree, confidence: Confidence) -> list[dict[str, Any]]:
    """A row for each branch with two items or more, the highest first, without the root.

    Returns
    -------
    list of dict
        With ``node``, ``size``, ``height``, ``support`` and its ``standard_error``, ``counted``
        replicates, ``jaccard``, ``au`` if it was fitted, and ``items``, the names.
    """
    support = confidence.support
    rows = []
    for node in tree.split_order.tolist():
        if node == tree.root:
            continue
        height = None
        if tree.height is not None:
            height = _finite(tree.height[node])
        row: dict[str, Any] = {
            "node": node,
            "size": int(tree.sizes[node]),
            "height": height,
            "support": _finite(support.support[node]),
            "standard_error": _finite(support.standard_error[node]),
            "counted": int(support.counted[node]),
            "jaccard": _finite(support.jaccard[node]),
        }
        if confidence.unbiased is not None:
            row["au"] = _finite(confidence.unbiased.au[node])
        leaves = tree.leaves(node).tolist()
        if tree.names is None:
            row["items"] = list(map(str, leaves))
        else:
            row["items"] = [tree.names[leaf] for leaf in leaves]
        rows.append(row)
    return rows


def _finite(value: Any) -> float | None:
    """A number that JSON can have; None if it is infinite or NaN."""
    number = float(value)
    if np.isfinite(number):
        return number
    return None


def support_labels(tree: Tree, confidence: Confidence) -> list[str]:
    """The support of each of the m - n inner nodes in per cent; "" where there is none."""
    labels = []
    for share in confidence.support.support[tree.n :].tolist():
        label = ""
        if not np.isnan(share):
            label = f"{100 * share:.0f}"
        labels.append(label)
    # The root is a branch of every tree.
    labels[-1] = ""
    return labels


def describe_support(confidence: Confidence) -> str:
    """What the support is, in a sentence."""
    drawn = "bootstraps of the features"
    if confidence.resampled == "items":
        drawn = f"subsamples of {SHARE:.0%} of the items"
    text = f"support: the share of {confidence.count} {drawn} in which a branch appears"
    if confidence.omitted:
        text += f" (there was no time for {confidence.omitted} more fits)"
    if confidence.failed:
        text += f"; the algorithm failed in {confidence.failed} more"
    return text
