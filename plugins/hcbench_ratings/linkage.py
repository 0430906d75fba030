"""Average linkage of what is known of pairs, which may not be all of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hcbench import UNSURE, HeightKind, Items, Oracle, Tree

Floats = NDArray[np.float64]


class _RatedPairs:
    """All pairs of items in a random order, of which the first ones are rated.

    Parameters
    ----------
    n : int
        Number of items.
    rng : Generator
        Draws the order.

    Attributes
    ----------
    pairs : (m, 2) array
        The smaller item first.
    rating : (m,) array
        NaN for an answer UNSURE, and for pairs that were not rated yet.
    confidence : (m,) array
        1 unless the oracle tells another one.
    annotator : (m,) array
        -1 where the oracle does not tell who rated.
    """

    def __init__(self, n: int, rng: np.random.Generator) -> None:
        first, second = np.triu_indices(n, 1)
        # With a budget, the pairs that are rated are a random sample.
        order = rng.permutation(len(first))
        self.n = n
        self.pairs = np.column_stack([first, second])[order].astype(np.int64)
        self.rating = np.full(len(self.pairs), np.nan)
        self.confidence = np.ones(len(self.pairs))
        self.annotator = np.full(len(self.pairs), -1)

    def rate(self, part: slice, oracle: Oracle) -> None:
        """Ask for the ratings of some pairs."""
        self.rating[part] = oracle.ask(self.pairs[part])
        # Stored answers and simulated ones may come without any.
        if oracle.details is not None:
            self.confidence[part] = np.nan_to_num(oracle.details["confidence"], nan=1.0)
            self.annotator[part] = oracle.details["annotator"]

    def sums(self, done: int, *, centre: bool) -> tuple[Floats, Floats]:
        """The sums of weighted ratings, and of weights, of the first ``done`` pairs.

        Returns
        -------
        total, weight : (n, n) arrays
            Symmetric; 0 for pairs without a rating.
        """
        rating = self.rating[:done]
        confidence = self.confidence[:done]
        is_rated = ~np.isnan(rating)
        if centre:
            rating = _centred(rating, self.annotator[:done], is_rated)
        i, j = self.pairs[:done][is_rated].T
        weight = np.zeros((self.n, self.n))
        weight[i, j] = confidence[is_rated]
        weight[j, i] = confidence[is_rated]
        total = np.zeros((self.n, self.n))
        total[i, j] = (confidence * rating)[is_rated]
        total[j, i] = total[i, j]
        return total, weight


def rating_linkage(oracle: Oracle, items: Items, rng: np.random.Generator, *, centre: bool) -> Tree:
    """Average linkage of ratings; the height of two clusters is the mean rating between them.

    All pairs are rated in one round, in random order. With a budget the first ones are, and the
    mean is that of the rated pairs; clusters without any merge last, at height 0. A rating counts
    by its confidence, if the oracle tells that. O(n^3) time, O(n^2) memory.

    Parameters
    ----------
    oracle : Oracle
        Of kind rating-queries.
    items : Items
    rng : Generator
    centre : bool
        Whether each annotator's ratings are shifted to have the mean of all ratings.
    """
    rated = _RatedPairs(items.n, rng)
    # Of an oracle that does not say its scale.
    low = 0.0
    high = 9.0
    if oracle.query_kind is not None and oracle.query_kind.scale is not None:
        low, high = oracle.query_kind.scale

    def tree_of_first(done: int) -> Tree:
        total, weight = rated.sums(done, centre=centre)
        return _tree(total, weight, items, low, high)

    done = 0
    for part in _batches(oracle, len(rated.pairs)):
        rated.rate(part, oracle)
        done = part.stop
        # A tree takes O(n^3) time: none is made where nobody asks for it.
        if oracle.checkpoints:
            oracle.record(tree_of_first(done))
    return tree_of_first(done)


def odd_linkage(oracle: Oracle, items: Items, rng: np.random.Generator, *, queries: float) -> Tree:
    """Average linkage by the share of the queries with two items in which neither is odd.

    The queries are about random items, in one round. Each pair counts as if it had been in one
    query more, with the share (k - 2) / k of random answers, so that few queries do not look
    certain. O(n^3) time, O(n^2) memory, besides O(k^2) a query.

    Parameters
    ----------
    oracle : Oracle
        Of kind odd-of-many.
    items : Items
    rng : Generator
    queries : float
        So many for each item, as an average; a budget may allow fewer.
    """
    n = items.n
    # The fewest items of which one can be odd.
    k = 3
    if oracle.query_kind is not None:
        k = oracle.query_kind.arity
    number = int(np.ceil(queries * n / k))
    rows = np.array([rng.choice(n, k, replace=False) for _ in range(number)], dtype=np.int64)
    # Both counts have the additional query of each pair.
    query_count = np.ones((n, n))
    together_count = np.full((n, n), 1 - 2 / k)
    for part in _batches(oracle, number):
        codes = oracle.ask(rows[part])
        # Who is unsure says nothing about any pair.
        is_answered = codes != UNSURE
        queried_items = rows[part][is_answered]
        is_not_odd = np.arange(k) != codes[is_answered][:, None]
        # All ordered pairs of the k items of each query: (m, k, k).
        pairs = queried_items[:, :, None], queried_items[:, None, :]
        np.add.at(query_count, pairs, 1.0)
        np.add.at(together_count, pairs, is_not_odd[:, :, None] & is_not_odd[:, None, :])
        if oracle.checkpoints:
            oracle.record(_tree(together_count, query_count, items, 0.0, 1.0))
    return _tree(together_count, query_count, items, 0.0, 1.0)


def _batches(oracle: Oracle, number: int) -> Iterator[slice]:
    """Parts of so many queries, each up to where a result is due or the budget ends."""
    start = 0
    while start < number:
        size = min(number - start, oracle.until_due)
        # The budget is spent.
        if size == 0:
            return
        yield slice(start, start + size)
        start += size


def _centred(rating: Floats, annotator: NDArray[np.int64], is_rated: NDArray[np.bool_]) -> Floats:
    """The ratings with the same mean for each annotator, that of all."""
    centred = rating.copy()
    # All ratings without an annotator, -1, are as those of one.
    for number in np.unique(annotator[is_rated]):
        is_by_annotator = is_rated & (annotator == number)
        centred[is_by_annotator] += rating[is_rated].mean() - rating[is_by_annotator].mean()
    return centred


def _tree(total: Floats, weight: Floats, items: Items, low: float, high: float) -> Tree:
    """The tree of `merge_by_means`, whose leaves are at the largest value."""
    if items.n == 1:
        return Tree([-1], names=items.names)
    merges = merge_by_means(total, weight, low)
    # With ratings shifted to equal means, some may be above the scale.
    leaf_height = max(high, float(merges[:, 2].max()))
    return Tree.from_linkage(
        merges, kind=HeightKind.AFFINITY, leaf_height=leaf_height, names=items.names
    )


#: Above -inf, the mean of clusters that are gone, so that only living clusters merge.
_NO_WEIGHT = -np.finfo(np.float64).max


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
    total = total.copy()
    weight = weight.copy()
    # A cluster has the row of one of its items; the row of the other cluster of a merge is gone.
    node = np.arange(n)
    size = np.ones(n)
    is_gone = np.zeros(n, dtype=np.bool_)
    mean = _means(total, weight)
    # No cluster merges with itself.
    np.fill_diagonal(mean, -np.inf)
    merges = np.empty((n - 1, 4))
    for step in range(n - 1):
        # Of equal means, those of the first items merge.
        i, j = divmod(int(mean.argmax()), n)
        height = mean[i, j]
        if height == _NO_WEIGHT:
            height = missing
        lower, upper = sorted((node[i], node[j]))
        merges[step] = lower, upper, height, size[i] + size[j]
        # The merged cluster takes the row of the first one.
        node[i] = n + step
        size[i] += size[j]
        is_gone[j] = True
        for sums in (total, weight):
            sums[i] += sums[j]
            sums[:, i] = sums[i]
        # Only the means of the new cluster change.
        row = np.where(is_gone, -np.inf, _means(total[i], weight[i]))
        row[i] = -np.inf
        mean[i] = row
        mean[:, i] = row
        mean[j] = -np.inf
        mean[:, j] = -np.inf
    return merges


def _means(total: Floats, weight: Floats) -> Floats:
    """The means where there is weight."""
    means = np.full(total.shape, _NO_WEIGHT)
    np.divide(total, weight, out=means, where=weight > 0)
    return means
