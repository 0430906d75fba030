"""Passive quadruplets: a random set of comparisons, drawn before any algorithm sees them.

Section 2.3 of Ghoshdastidar, Perrot & von Luxburg 2019. With M = n(n-1)/2 pairs of items there are
M(M-1)/2 unordered pairs of pairs, those that share an item included; each is observed independently
with probability p. Drawing the number first and then a uniform set of that size is the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hcbench import Answers, Comparisons, ParameterError, Problem, pair_items, similarity_matrix
from hcbench_oracles import _kernels
from hcbench_oracles.sampling import distinct_positions

DEFAULT_P = 0.1
DEFAULT_COUNT = 1_000_000
MOST = 400_000_000
ROUNDING = 1e-12
"""Similarities computed from vectors are tied if they differ by this part of the largest one."""


def quadruplet_set(
    problem: Problem,
    seed: int,
    budget: int | None,
    *,
    p: float | None = None,
    count: int | None = None,
    noise: float = 0.0,
    similarity: str = "cosine",
) -> Answers:
    """Observe a random set of comparisons.

    Pairs of equal similarity are no answer: the set is smaller by these. Of comparisons that the
    problem brings along, p and count take a part. A budget below the number drawn leaves a uniform
    part of that size.

    O(m) time and memory for m comparisons, beside the similarity matrix.

    Raises
    ------
    ParameterError
        If both p and count are given, or the set would hold more than 4e8 comparisons.
    """
    if p is not None and count is not None:
        raise ParameterError("quadruplet-set takes p or count, not both")
    if not 0 <= noise < 0.5:
        raise ParameterError(f"quadruplet-set: noise must be in [0, 0.5), got {noise}")
    rng = np.random.default_rng(seed)
    fixed = problem.comparisons
    n_pairs = problem.n * (problem.n - 1) // 2
    total = n_pairs * (n_pairs - 1) // 2 if fixed is None else len(fixed)
    number = _number(total, p, count, fixed is not None, rng)
    if budget is not None:
        number = min(number, budget)
    if number > MOST:
        raise ParameterError(
            f"quadruplet-set: n={problem.n} and {f'{p=}' if count is None else f'{count=}'} make "
            f"{number} comparisons, more than {MOST}; ask for fewer with count=..."
        )
    if fixed is None:
        closer, farther = _observe(problem, similarity, total, number, rng)
    else:
        closer, farther = _part(fixed, number, rng)
    if noise > 0:
        _flip(seed, noise, problem.n, closer, farther)
    comparisons = Comparisons(problem.n, closer, farther)
    return Answers(kind="quadruplet-set", n=problem.n, data=comparisons, size=len(comparisons))


def _number(
    total: int, p: float | None, count: int | None, fixed: bool, rng: np.random.Generator
) -> int:
    """How many of all ``total`` comparisons to take."""
    if count is None and p is None and fixed:
        return total
    if count is None and p is None and DEFAULT_P * total > DEFAULT_COUNT:
        return DEFAULT_COUNT
    if count is not None:
        return min(total, count)
    return int(rng.binomial(total, DEFAULT_P if p is None else p))


def _observe(
    problem: Problem, similarity: str, total: int, number: int, rng: np.random.Generator
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Compare ``number`` of the ``total`` unordered pairs of pairs.

    Those are numbered in condensed order, too: the pairs are to them as the items to the pairs.
    """
    w = np.array(similarity_matrix(problem, similarity), dtype=np.float64, order="C")
    tolerance = ROUNDING * float(np.abs(w).max()) if problem.similarity is None else 0.0
    n_pairs = problem.n * (problem.n - 1) // 2
    closer, farther = np.empty(number, np.uint32), np.empty(number, np.uint32)
    answered = 0
    for positions in distinct_positions(total, number, rng):
        a, b = pair_items(positions, n_pairs)
        items = (*pair_items(a, problem.n), *pair_items(b, problem.n))
        out = slice(answered, answered + positions.size)
        answered += _kernels.compare_pairs(w, tolerance, a, b, items, closer[out], farther[out])
    return closer[:answered], farther[:answered]


def _part(
    fixed: Comparisons, number: int, rng: np.random.Generator
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    rows = np.empty(number, np.int64)
    filled = 0
    for positions in distinct_positions(len(fixed), number, rng):
        rows[filled : filled + positions.size] = positions
        filled += positions.size
    return fixed.closer[rows], fixed.farther[rows]


def _flip(
    seed: int, noise: float, n: int, closer: NDArray[np.uint32], farther: NDArray[np.uint32]
) -> None:
    step = 1 << 16
    for start in range(0, closer.size, step):
        part = slice(start, start + step)
        items = (*pair_items(closer[part], n), *pair_items(farther[part], n))
        _kernels.flip_answers(seed, noise, closer[part], farther[part], items)
