"""How sure the branches of a tree are: the algorithm is fitted again to resampled data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hcbench.analysis.branch_support import (
    Replicate,
    Support,
    Unbiased,
    branch_support,
    unbiased_support,
)
from hcbench.api.resampling import (
    LEAST_FITS,
    SHARE,
    Progress,
    Resampled,
    TimeLimit,
    data_of,
    draw,
    no_progress,
    what_to_draw,
)
from hcbench.api.trees import Fitted
from hcbench.errors import HcbenchError, NotApplicableError
from hcbench.model.trees import Tree
from hcbench.plan.seeds import derive_seed

#: Numbers of features in a multiscale bootstrap, as shares of all; from pvclust.
SCALES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4)


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


def measure_support(
    fitted: Fitted,
    count: int,
    *,
    resampled: Resampled = "auto",
    unbiased: bool = False,
    seed: int = 0,
    limit: float = math.inf,
    progress: Progress = no_progress,
) -> Confidence:
    """Fit the algorithm to resampled data, and count the branches of the tree.

    Parameters
    ----------
    fitted : Fitted
        The tree, with its data.
    count : int
        The number of replicates.
    resampled : {"auto", "features", "items"}
        ``features`` draws as many features as there are, with replacement; ``items`` draws 80 %
        of the items without replacement; ``auto`` draws features if there are at least
        `FEWEST_FEATURES`.
    unbiased : bool
        Whether AU is fitted, with so many replicates at each of `SCALES`; of features only.
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
    problem, refit = data_of(fitted)
    how = what_to_draw(problem, resampled)
    if unbiased and how == "items":
        raise NotApplicableError(
            "AU is fitted to bootstraps of features: it needs vectors, and --resample features"
        )
    scales: tuple[float, ...] = (1.0,)
    if unbiased:
        scales = SCALES
    total = count * len(scales)
    progress(0, total)
    time_limit = TimeLimit(limit)
    replicates = []
    failed = 0
    n_done = 0
    # Lazily: of data that are large, one replicate at a time is in memory.
    resamples = draw(problem, how, count, scales, seed=seed)
    for number, (data, items, scale) in enumerate(resamples, start=1):
        if number > LEAST_FITS and time_limit.is_over:
            break
        n_done = number
        try:
            drawn = refit(data, derive_seed(seed, "replicate", number))
            replicates.append(Replicate(drawn, items, scale))
        except HcbenchError:
            # A bootstrap may have equal items, which some algorithms refuse. The others still
            # count.
            failed += 1
        progress(number, total)
    if not replicates:
        raise NotApplicableError(f"{fitted.title}: the algorithm failed in all {total} replicates")
    # The plain support is of bootstraps of the size of the data; AU is fitted to all scales.
    at_one = _of_full_size(replicates)
    if not at_one:
        # The scales come in order, and time was over before the sixth.
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


def _of_full_size(replicates: Sequence[Replicate]) -> list[Replicate]:
    """The replicates with as many features as the data."""
    return [replicate for replicate in replicates if replicate.scale == 1.0]


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
            # All items are together in every tree.
            continue
        # A tree without heights has an order of merges only.
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
        row["items"] = _names_below(tree, node)
        rows.append(row)
    return rows


def _names_below(tree: Tree, node: int) -> list[str]:
    """The names of the leaves below a node; their numbers in a tree without names."""
    leaves = tree.leaves(node).tolist()
    if tree.names is None:
        return [str(leaf) for leaf in leaves]
    return [tree.names[leaf] for leaf in leaves]


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
        # NaN where no subsample had two items of the branch and one outside.
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
