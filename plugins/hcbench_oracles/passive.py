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
    ParameterError,
    Problem,
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
class _Wanted:
    """The number of comparisons to sample, as requested by the parameters."""

    kind: str
    p: float | None
    count: int | None
    budget: int | None

    def __post_init__(self) -> None:
        if self.p is not None and self.count is not None:
            raise ParameterError(f"{self.kind} takes p or count, not both")

    def number(self, n: int, total: int, fixed: bool, rng: np.random.Generator) -> int:
        """The number out of ``total`` comparisons, which come with the data if ``fixed``."""
        drawn = self._drawn(total, fixed, rng)
        number = drawn if self.budget is None else min(drawn, self.budget)
        if number > Comparisons.MOST:
            asked = f"p={self.p}" if self.count is None else f"count={self.count}"
            raise ParameterError(
                f"{self.kind}: n={n} and {asked} make {number} comparisons, more than "
                f"{Comparisons.MOST}; ask for fewer with count=..."
            )
        return number

    def _drawn(self, total: int, fixed: bool, rng: np.random.Generator) -> int:
        if self.count is not None:
            return min(total, self.count)
        if self.p is not None:
            return int(rng.binomial(total, self.p))
        if fixed:
            return total
        if DEFAULT_P * total > DEFAULT_COUNT:
            return DEFAULT_COUNT
        return int(rng.binomial(total, DEFAULT_P))


@dataclass(frozen=True, slots=True)
class _Questions:
    """All queries of one form, numbered.

    ``name(positions)`` gives the pairs of items a and b, (m,) each, that are compared. ``of_all``:
    these are all queries a < b of pairs, numbered in condensed order.
    """

    n: int
    total: int
    name: Callable[[Ids], tuple[Ids, Ids]]
    of_all: bool


def quadruplet_set(
    problem: Problem,
    seed: int,
    budget: int | None,
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
    wanted = _Wanted("quadruplet-set", p, count, budget)
    model = Noise(seed, noise, scale, annotators)
    if problem.comparisons is not None:
        return _part(problem.comparisons, wanted, model)
    w, tolerance = similarities_of_pairs(problem, similarity)
    if p == 1 and model.is_noiseless and not annotators:
        everything = AllComparisons.from_similarity(w, tolerance)
        if budget is None or len(everything) <= budget:
            return Answers(kind=wanted.kind, n=problem.n, data=everything, size=len(everything))
    return _observe(w, tolerance, _quadruplets(problem.n), wanted, model)


def triplet_set(
    problem: Problem,
    seed: int,
    budget: int | None,
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
    wanted = _Wanted("triplet-set", p, count, budget)
    model = Noise(seed, noise, scale, annotators)
    fixed = problem.comparisons
    if fixed is not None:
        triplets = fixed.only_triplets()
        if len(fixed) and not len(triplets):
            raise NotApplicableError("no comparison of this data set is a triplet")
        return _part(triplets, wanted, model)
    w, tolerance = similarities_of_pairs(problem, similarity)
    return _observe(w, tolerance, _triplets(problem.n), wanted, model)


def _quadruplets(n: int) -> _Questions:
    """Pairs of pairs are numbered in condensed order, like pairs of items."""
    n_pairs = n * (n - 1) // 2

    def name(positions: Ids) -> tuple[Ids, Ids]:
        return pair_items(positions, n_pairs)

    return _Questions(n, n_pairs * (n_pairs - 1) // 2, name, of_all=True)


def _triplets(n: int) -> _Questions:
    """Triplets are numbered by their first item, then by the pair of the others."""
    per_item = (n - 1) * (n - 2) // 2

    def name(positions: Ids) -> tuple[Ids, Ids]:
        j, k = pair_items(positions % per_item, n - 1)
        i = _kernels.triplet_items(positions, j, k, per_item)
        return pair_index(i, j, n), pair_index(i, k, n)

    return _Questions(n, n * per_item, name, of_all=False)


def _observe(
    w: NDArray[np.float64], tolerance: float, questions: _Questions, wanted: _Wanted, model: Noise
) -> Answers:
    """Ask a random set of the queries."""
    rng = np.random.default_rng(model.seed)
    n = questions.n
    number = wanted.number(n, questions.total, False, rng)
    exact = model.is_noiseless and not model.annotators  # answers follow from the similarities
    if questions.of_all and exact and Comparisons.are_dense(n, number):
        return _answers(wanted.kind, _as_bits(w, tolerance, n, number, rng))
    closer, farther = np.empty(number, np.uint32), np.empty(number, np.uint32)
    answered = 0
    for positions in distinct_positions(questions.total, number, rng):
        a, b = questions.name(positions)
        out = slice(answered, answered + positions.size)
        answered += _kernels.compare_pairs(w, tolerance, a, b, closer[out], farther[out])
    closer, farther = closer[:answered], farther[:answered]
    who = model.flip_wrong(n, closer, farther, w)
    return _answers(wanted.kind, Comparisons(n, closer, farther, who))


def _as_bits(
    w: NDArray[np.float64], tolerance: float, n: int, number: int, rng: np.random.Generator
) -> Comparisons:
    """Ask a random set of queries of a given size, represented as bits."""
    n_pairs = w.size
    asked = distinct_bits(n_pairs * (n_pairs - 1) // 2, number, rng)
    order = np.argsort(w)
    width = -(-n_pairs // 64)
    rank = np.zeros(64 * width, np.int32)
    rank[order] = np.arange(n_pairs)
    below, above = (
        ranks[rank[:n_pairs]] for ranks in _bit_kernels.untied_ranks(w[order], tolerance)
    )
    sides = np.zeros((2, 64 * width, width), np.uint64)
    _bit_kernels.answer_bits(asked, rank, below, above, sides)
    made = Comparisons.from_bits(n, sides)
    # If most queries were ties, a list of the rest is smaller.
    return made if made.is_dense else Comparisons(n, made.closer, made.farther)


def _part(fixed: Comparisons, wanted: _Wanted, model: Noise) -> Answers:
    """A random subset of the data's own comparisons."""
    rng = np.random.default_rng(model.seed)
    number = wanted.number(fixed.n, len(fixed), True, rng)
    if number == len(fixed) and model.is_noiseless and not model.annotators:
        return _answers(wanted.kind, fixed)
    rows = np.empty(number, np.int64)
    filled = 0
    for positions in distinct_positions(len(fixed), number, rng):
        rows[filled : filled + positions.size] = positions
        filled += positions.size
    part = fixed.select(rows)
    closer, farther = part.closer.copy(), part.farther.copy()
    who = model.flip_wrong(fixed.n, closer, farther, None, part.annotator)
    return _answers(wanted.kind, Comparisons(fixed.n, closer, farther, who))


def _answers(kind: str, made: Comparisons) -> Answers:
    """Wrap comparisons as answers."""
    return Answers(kind=kind, n=made.n, data=made, size=len(made))
