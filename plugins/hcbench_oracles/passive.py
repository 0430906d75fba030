"""Passive comparisons: a random set, drawn before any algorithm sees it.

Section 2.3 of Ghoshdastidar, Perrot & von Luxburg 2019. With M = n(n-1)/2 pairs of items there are
M(M-1)/2 unordered pairs of pairs, including those that share an item, and n (n-1)(n-2)/2 triplets
(an item and two others); each is observed independently with probability p. Equivalently, the
number is drawn first, and then a uniform set of that size.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hcbench import (
    AllComparisons,
    Answers,
    Comparisons,
    NotApplicableError,
    OracleRequest,
    ParameterError,
)
from hcbench.model import pair_index, pair_items
from hcbench_oracles import _bit_kernels, _kernels
from hcbench_oracles.noise import Noise
from hcbench_oracles.sampling import distinct_bits, distinct_positions
from hcbench_oracles.whole import similarities_of_pairs

DEFAULT_P = 0.1
DEFAULT_COUNT = 1_000_000

Ids: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Sample:
    """How many comparisons are sampled, according to the parameters."""

    kind: str
    p: float | None
    count: int | None
    budget: int | None

    def __post_init__(self) -> None:
        if self.p is not None and self.count is not None:
            raise ParameterError(f"{self.kind} takes p or count, not both")

    def number(self, n: int, total: int, rng: np.random.Generator, *, comes_with_data: bool) -> int:
        """The number out of ``total`` comparisons of n items, which may come with the data."""
        number = self._without_budget(total, rng, comes_with_data=comes_with_data)
        if self.budget is not None:
            number = min(number, self.budget)
        if number > Comparisons.MOST:
            parameter = f"p={self.p}"
            if self.count is not None:
                parameter = f"count={self.count}"
            raise ParameterError(
                f"{self.kind}: n={n} and {parameter} make {number} comparisons, more than "
                f"{Comparisons.MOST}; ask for fewer with count=..."
            )
        return number

    def _without_budget(
        self, total: int, rng: np.random.Generator, *, comes_with_data: bool
    ) -> int:
        # The number of independent events of probability p is binomial.
        if self.count is not None:
            return min(total, self.count)
        if self.p is not None:
            return int(rng.binomial(total, self.p))
        if comes_with_data:
            return total
        if DEFAULT_P * total > DEFAULT_COUNT:
            return DEFAULT_COUNT
        return int(rng.binomial(total, DEFAULT_P))


@dataclass(frozen=True, slots=True)
class _Queries:
    """All queries of one form, numbered from 0.

    Attributes
    ----------
    n : int
        Number of items.
    total : int
        Number of queries.
    pairs_of : callable
        ``pairs_of(positions)`` returns the pairs of items a and b, (m,) each, that are compared.
    are_all : bool
        Whether these are all queries a < b of pairs, numbered in condensed order.
    """

    n: int
    total: int
    pairs_of: Callable[[Ids], tuple[Ids, Ids]]
    are_all: bool


def quadruplet_set(
    request: OracleRequest,
    *,
    p: float | None = None,
    count: int | None = None,
    noise: float = 0.0,
    scale: float = 0.0,
    annotators: int = 0,
    similarity: str = "cosine",
) -> Answers:
    """Observe a random set of comparisons.

    Pairs of equal similarity have no answer, and are excluded from the set. If the problem has
    comparisons of its own, p and count select a subset. A budget below the number drawn leaves a
    uniform subset of that size. All comparisons without noise (p = 1) are not stored: the data are
    `AllComparisons`, unless the budget leaves a subset.

    O(m) time and memory for m comparisons, plus the similarity matrix and, for many comparisons
    (`Comparisons.is_dense`), their bits; O(n^2 log n) for all comparisons.

    Raises
    ------
    ParameterError
        If both p and count are given, the parameters of noise exclude each other (`Noise`), or the
        set would hold more than 4e8 comparisons.
    """
    problem = request.problem
    seed = request.seed
    budget = request.budget
    sample = _Sample("quadruplet-set", p, count, budget)
    model = Noise(seed, noise, scale, annotators)
    if problem.comparisons is not None:
        return _part(problem.comparisons, sample, model)
    w, tolerance = similarities_of_pairs(problem, similarity)
    if p == 1 and model.is_noiseless and not annotators:
        everything = AllComparisons.from_similarity(w, tolerance)
        if budget is None or len(everything) <= budget:
            return Answers(kind=sample.kind, n=problem.n, data=everything, size=len(everything))
    return _observe(w, tolerance, _quadruplets(problem.n), sample, model)


def triplet_set(
    request: OracleRequest,
    *,
    p: float | None = None,
    count: int | None = None,
    noise: float = 0.0,
    scale: float = 0.0,
    annotators: int = 0,
    similarity: str = "cosine",
) -> Answers:
    """Observe a random set of triplets i, j, k: whether i is more similar to j or to k.

    The data are `Comparisons` whose pairs share the item i, so that algorithms for quadruplets can
    use them; `Comparisons.triplets` gives the rows i, j, k. Otherwise as `quadruplet_set`. If the
    problem has comparisons of its own, those that share an item are the triplets.

    O(m) time and memory for m triplets, plus the similarity matrix.

    Raises
    ------
    NotApplicableError
        If the problem has comparisons of its own, and none of them is a triplet.
    ParameterError
        As `quadruplet_set`.
    """
    problem = request.problem
    seed = request.seed
    budget = request.budget
    sample = _Sample("triplet-set", p, count, budget)
    model = Noise(seed, noise, scale, annotators)
    if problem.comparisons is not None:
        triplets = problem.comparisons.only_triplets()
        if len(problem.comparisons) and not len(triplets):
            raise NotApplicableError("no comparison of this data set is a triplet")
        return _part(triplets, sample, model)
    w, tolerance = similarities_of_pairs(problem, similarity)
    return _observe(w, tolerance, _triplets(problem.n), sample, model)


def _quadruplets(n: int) -> _Queries:
    """Pairs of pairs are numbered in condensed order, like pairs of items."""
    n_pairs = n * (n - 1) // 2

    def pairs_of(positions: Ids) -> tuple[Ids, Ids]:
        return pair_items(positions, n_pairs)

    total = n_pairs * (n_pairs - 1) // 2
    return _Queries(n=n, total=total, pairs_of=pairs_of, are_all=True)


def _triplets(n: int) -> _Queries:
    """Triplets are numbered by their first item, then by the pair of the others."""
    per_item = (n - 1) * (n - 2) // 2

    def pairs_of(positions: Ids) -> tuple[Ids, Ids]:
        j, k = pair_items(positions % per_item, n - 1)
        i = _kernels.triplet_items(positions, j, k, per_item)
        return pair_index(i, j, n), pair_index(i, k, n)

    return _Queries(n=n, total=n * per_item, pairs_of=pairs_of, are_all=False)


def _observe(
    w: NDArray[np.float64], tolerance: float, queries: _Queries, sample: _Sample, model: Noise
) -> Answers:
    """Ask a random set of the queries."""
    rng = np.random.default_rng(model.seed)
    n = queries.n
    # Drawn first: which queries are asked does not depend on the answers.
    number = sample.number(n, queries.total, rng, comes_with_data=False)
    follow_from_similarities = model.is_noiseless and not model.annotators
    if queries.are_all and follow_from_similarities and Comparisons.are_dense(n, number):
        return _answers(sample.kind, _as_bits(w, tolerance, n, number, rng))
    closer = np.empty(number, np.uint32)
    farther = np.empty(number, np.uint32)
    n_answered = 0  # fewer than the queries, as ties have no answer
    for positions in distinct_positions(queries.total, number, rng):
        a, b = queries.pairs_of(positions)
        part = slice(n_answered, n_answered + positions.size)
        n_answered += _kernels.compare_pairs(w, tolerance, a, b, closer[part], farther[part])
    closer = closer[:n_answered]
    farther = farther[:n_answered]
    annotator = model.flip_wrong(n, closer, farther, w)
    return _answers(sample.kind, Comparisons(n, closer, farther, annotator))


def _as_bits(
    w: NDArray[np.float64], tolerance: float, n: int, number: int, rng: np.random.Generator
) -> Comparisons:
    """Ask a random set of queries of a given size, represented as bits."""
    n_pairs = w.size
    query_bits = distinct_bits(n_pairs * (n_pairs - 1) // 2, number, rng)
    order = np.argsort(w)
    width = -(-n_pairs // 64)  # words of 64 bits for each pair
    rank = np.zeros(64 * width, np.int32)
    rank[order] = np.arange(n_pairs)
    # Of each pair: how many are less similar, and the first rank of those that are more similar.
    below_rank, above_rank = _bit_kernels.untied_ranks(w[order], tolerance)
    below = below_rank[rank[:n_pairs]]
    above = above_rank[rank[:n_pairs]]
    sides = np.zeros((2, 64 * width, width), np.uint64)
    _bit_kernels.answer_bits(query_bits, rank, below, above, sides)
    comparisons = Comparisons.from_bits(n, sides)
    if comparisons.is_dense:
        return comparisons
    # If most queries were ties, a list of the others is smaller.
    return Comparisons(n, comparisons.closer, comparisons.farther)


def _part(comparisons: Comparisons, sample: _Sample, model: Noise) -> Answers:
    """A random subset of the data's own comparisons."""
    rng = np.random.default_rng(model.seed)
    n = comparisons.n
    number = sample.number(n, len(comparisons), rng, comes_with_data=True)
    if number == len(comparisons) and model.is_noiseless and not model.annotators:
        return _answers(sample.kind, comparisons)
    rows = np.empty(number, np.int64)
    n_filled = 0
    for positions in distinct_positions(len(comparisons), number, rng):
        rows[n_filled : n_filled + positions.size] = positions
        n_filled += positions.size
    part = comparisons.select(rows)
    closer = part.closer.copy()
    farther = part.farther.copy()
    annotator = model.flip_wrong(n, closer, farther, None, part.annotator)
    return _answers(sample.kind, Comparisons(n, closer, farther, annotator))


def _answers(kind: str, comparisons: Comparisons) -> Answers:
    """Wrap comparisons as answers."""
    return Answers(kind=kind, n=comparisons.n, data=comparisons, size=len(comparisons))
