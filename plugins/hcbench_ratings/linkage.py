"""Average linkage of what is known of pairs, which may not be all of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hcbench import UNSURE, Given, HeightKind, Oracle, Tree

Floats = NDArray[np.float64]


def rating_linkage(oracle: Oracle, given: Given, rng: np.random.Generator, *, centre: bool) -> Tree:
    """Average linkage of ratings; the height of two clusters is the mean rating between them.

    All pairs are rated in one round, in random order. With a budget the first ones are, and the
    mean is that of the rated pairs; clusters without any merge last, at height 0. A rating counts
    by its confidence, if the oracle tells that. O(n^3) time, O(n^2) memory.

    Parameters
    ----------
    oracle : Oracle
        Of kind rating-queries.
    given : Given
    rng : Generator
    centre : bool
        Whether each annotator's ratings are shifted to have the mean of all ratings.
    """
    n = given.n
    first, second = np.triu_indices(n, 1)
    order = rng.permutation(len(first))
    pairs = np.column_stack([first, second])[order].astype(np.int64)
    rating, sure = np.full(len(pairs), np.nan), np.ones(len(pairs))
    who = np.full(len(pairs), -1)
    kind = oracle.query_kind
    low, high = (kind and kind.scale) or (0.0, 9.0)

    def result(done: int) -> Tree:
        rated = ~np.isnan(rating[:done])
        values = _centred(rating[:done], who[:done], rated) if centre else rating[:done]
        total, weight = np.zeros((n, n)), np.zeros((n, n))
        i, j = pairs[:done][rated].T
        weight[i, j] = weight[j, i] = sure[:done][rated]
        total[i, j] = total[j, i] = (sure[:done] * values)[rated]
        return _tree(total, weight, given, low, high)

    done = 0
    for part in _batches(oracle, len(pairs)):
        rating[part] = oracle.ask(pairs[part])
        if oracle.details is not None:
            sure[part] = np.nan_to_num(oracle.details["confidence"], nan=1.0)
            who[part] = oracle.details["annotator"]
        done = part.stop
        if oracle.checkpoints:
            oracle.record(result(done))
    return result(done)


def odd_linkage(oracle: Oracle, given: Given, rng: np.random.Generator, *, queries: float) -> Tree:
    """Average linkage by the share of the queries with two items in which neither is odd.

    The queries are about random items, in one round. Each pair counts as if it had been in one
    query more, with the share (k - 2) / k of random answers, so that few queries do not look
    certain. O(n^3) time, O(n^2) memory, besides O(k^2) a query.

    Parameters
    ----------
    oracle : Oracle
        Of kind odd-of-many.
    given : Given
    rng : Generator
    queries : float
        So many for each item, as an average; a budget may allow fewer.
    """
    n = given.n
    k = oracle.query_kind.arity if oracle.query_kind else 3
    number = int(np.ceil(queries * n / k))
    rows = np.array([rng.choice(n, k, replace=False) for _ in range(number)], dtype=np.int64)
    together, asked = np.full((n, n), 1 - 2 / k), np.ones((n, n))
    for part in _batches(oracle, number):
        codes = oracle.ask(rows[part])
        items, codes = rows[part][codes != UNSURE], codes[codes != UNSURE]
        pairs = items[:, :, None], items[:, None, :]
        others = np.arange(k) != codes[:, None]
        np.add.at(asked, pairs, 1.0)
        np.add.at(together, pairs, others[:, :, None] & others[:, None, :])
        if oracle.checkpoints:
            oracle.record(_tree(together, asked, given, 0.0, 1.0))
    return _tree(together, asked, given, 0.0, 1.0)


def _batches(oracle: Oracle, number: int) -> Iterator[slice]:
    """Parts of so many queries, each up to where a result is due or the budget ends."""
    start = 0
    while start < number and (step := min(number - start, oracle.until_due)):
        yield slice(start, start + step)
        start += step


def _centred(rating: Floats, who: NDArray[np.int64], rated: NDArray[np.bool_]) -> Floats:
    """The ratings with the same mean for each annotator, that of all."""
    values = rating.copy()
    for annotator in np.unique(who[rated]):
        own = rated & (who == annotator)
        values[own] += rating[rated].mean() - rating[own].mean()
    return values


def _tree(total: Floats, weight: Floats, given: Given, low: float, high: float) -> Tree:
    """The tree of `merge_by_means`, whose leaves are at the largest value."""
    if given.n == 1:
        return Tree([-1], names=given.names)
    merges = merge_by_means(total, weight, low)
    leaf = max(high, float(merges[:, 2].max()))
    return Tree.from_linkage(merges, kind=HeightKind.AFFINITY, leaf_height=leaf, names=given.names)


def merge_by_means(total: Floats, weight: Floats, missing: float) -> Floats:
    """Repeatedly merge the two clusters of the largest weighted mean: O(n^3) time.

    Parameters
    ----------
    total, weight : (n, n) arrays
        Symmetric: the sum of the weighted values of a pair, and of the weights.
    missing : float
        The height of clusters between which all weights are 0; they merge last.

    Returns
    -------
    (n - 1, 4) array
        As scipy's `linkage`, with means for distances.
    """
    n = len(total)
    total, weight, node = total.copy(), weight.copy(), np.arange(n)
    size = np.ones(n)
    alive = np.ones(n, dtype=np.bool_)
    least = -np.finfo(np.float64).max  # above -inf, so that only living clusters merge
    mean = np.full((n, n), least)
    np.divide(total, weight, out=mean, where=weight > 0)
    np.fill_diagonal(mean, -np.inf)
    merges = np.empty((n - 1, 4))
    for step in range(n - 1):
        i, j = divmod(int(mean.argmax()), n)
        height = missing if mean[i, j] == least else mean[i, j]
        merges[step] = *sorted((node[i], node[j])), height, size[i] + size[j]
        node[i], size[i] = n + step, size[i] + size[j]
        for sums in (total, weight):
            sums[i] += sums[j]
            sums[:, i] = sums[i]
        alive[[i, j]] = False
        row = np.full(n, least)
        np.divide(total[i], weight[i], out=row, where=weight[i] > 0)
        mean[i] = mean[:, i] = np.where(alive, row, -np.inf)
        mean[j] = mean[:, j] = -np.inf
        alive[i] = True
    return merges
