"""All comparisons of a similarity matrix, which are held as ranks."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hcbench.errors import InvalidComparisonsError
from hcbench.model.arguments import number_from
from hcbench.model.arrays import as_plain_array
from hcbench.model.comparisons import _kernels as kernels, arrays
from hcbench.model.comparisons.arrays import check_n, pair_index
from hcbench.model.comparisons.comparisons import Comparisons
from hcbench.model.squares import is_symmetric, symmetrised


@dataclass(frozen=True, slots=True, eq=False, init=False, repr=False)
class AllComparisons:
    """Every answer that a ranking of the M = n(n-1)/2 pairs of items implies; none is stored.

    Pair a is more similar than pair b where ``rank[a] > rank[b]``; pairs of equal rank are tied
    and have no answer. 8 bytes a pair, read-only. Answers never repeat or contradict each other.

    Parameters
    ----------
    n : int
        Number of items, at most 92,682.
    rank : (M,) int array
        Ranks of the pairs in scipy's condensed order (see `pair_index`): dense, from 0 for the
        least similar. Stored as int64; an array of this type is not copied.

    Raises
    ------
    InvalidComparisonsError
        If there is not one rank for each pair, or the ranks are not dense.

    Examples
    --------
    >>> similarity = [[1.0, 0.9, 0.2], [0.9, 1.0, 0.5], [0.2, 0.5, 1.0]]
    >>> answers = AllComparisons.from_similarity(similarity)
    >>> answers.rank.tolist()  # of the pairs (0, 1), (0, 2) and (1, 2)
    [2, 0, 1]
    >>> len(answers)
    3
    >>> answers.materialise().quadruplets().tolist()
    [[0, 1, 0, 2], [0, 1, 1, 2], [1, 2, 0, 2]]
    """

    n: int
    rank: NDArray[np.int64]
    _size: int

    def __init__(self, n: int, rank: ArrayLike) -> None:
        check_n(n)
        array = np.asarray(rank)
        n_pairs = n * (n - 1) // 2
        if array.shape != (n_pairs,):
            raise InvalidComparisonsError(
                f"{n} items have {n_pairs} pairs; rank must have shape ({n_pairs},), got "
                f"{array.shape}"
            )
        if array.size and array.dtype.kind not in "iu":
            raise InvalidComparisonsError(
                f"ranks must be integers, got {array.dtype}; AllComparisons.from_similarity ranks"
            )
        ranks = np.ascontiguousarray(array, dtype=np.int64).view()
        ranks.flags.writeable = False
        # Two pairs of one rank have no answer.
        n_tied = 0
        for size in _sizes_of_ties(ranks).tolist():
            n_tied += size * (size - 1) // 2
        object.__setattr__(self, "n", int(n))
        object.__setattr__(self, "rank", ranks)
        object.__setattr__(self, "_size", n_pairs * (n_pairs - 1) // 2 - n_tied)

    @classmethod
    def from_similarity(cls, similarity: ArrayLike, tolerance: float = 0.0) -> AllComparisons:
        """Rank pairs by their similarity. O(M log M) time, O(M) memory.

        Parameters
        ----------
        similarity : (n, n) symmetric or (M,) array
            A matrix, whose diagonal does not matter, or its pairs in condensed order.
        tolerance : float
            Two successive similarities that differ by at most this are tied.

        Raises
        ------
        InvalidComparisonsError
            If it is neither, or not of finite numbers.

        Examples
        --------
        >>> AllComparisons.from_similarity([0.9, 0.2, 0.85], tolerance=0.1).rank.tolist()
        [1, 0, 1]
        """
        array = as_plain_array(similarity, "similarities")
        # A matrix with NaN would be refused as one that is not symmetric.
        if array.dtype.kind == "f" and np.isnan(array).any():
            raise InvalidComparisonsError("similarities must be finite numbers to be ranked")
        w = _condensed(array)
        if not np.isfinite(w).all():
            raise InvalidComparisonsError("similarities must be finite numbers to be ranked")
        order = np.argsort(w, kind="stable")
        # A chain of small differences is one tie, although its ends differ by more.
        rises = np.diff(w[order]) > number_from(tolerance, "tolerance")
        rank = np.zeros(w.size, np.int64)
        rank[order[1:]] = np.cumsum(rises)
        n = (isqrt(1 + 8 * w.size) + 1) // 2  # from n (n - 1) / 2 pairs
        return cls(n, rank)

    def materialise(self) -> Comparisons:
        """The same answers, stored, in the order of `Comparisons.unique`.

        O(M^2) time, 8 bytes an answer.

        Raises
        ------
        InvalidComparisonsError
            If there are more than `Comparisons.MOST`.

        Examples
        --------
        >>> AllComparisons(3, [2, 0, 1]).materialise().triplets().tolist()
        [[0, 1, 2], [1, 0, 2], [2, 1, 0]]
        """
        if len(self) > Comparisons.MOST:
            raise InvalidComparisonsError(
                f"n={self.n} makes {len(self)} comparisons, more than the {Comparisons.MOST} that "
                "are stored; take a part of the items, or sample with p or count"
            )
        closer, farther = kernels.spell_out(self.rank, len(self))
        return Comparisons(self.n, closer, farther)

    def take(self, items: ArrayLike) -> AllComparisons:
        """The comparisons among some of the items, which are renumbered in the given order.

        Parameters
        ----------
        items : (size,) int array
            Distinct item numbers.

        Examples
        --------
        >>> AllComparisons(4, [5, 4, 3, 2, 1, 0]).take([0, 1, 2]).rank.tolist()
        [2, 1, 0]
        """
        old_items = arrays.distinct_items(items, self.n)
        first, second = np.triu_indices(old_items.size, 1)
        old_ranks = self.rank[pair_index(old_items[first], old_items[second], self.n)]
        # Among fewer pairs some ranks are missing; the inverse numbers those that are there.
        _, dense_ranks = np.unique(old_ranks, return_inverse=True)
        return AllComparisons(old_items.size, dense_ranks)

    def flip(self) -> AllComparisons:
        """The opposite of every answer.

        Examples
        --------
        >>> AllComparisons(3, [2, 0, 1]).flip().rank.tolist()
        [0, 2, 1]
        """
        return AllComparisons(self.n, self.rank.max(initial=0) - self.rank)

    def unique(self) -> AllComparisons:
        """Itself: no answer occurs twice."""
        return self

    def contradictions(self) -> int:
        """0: a ranking does not contradict itself."""
        return 0

    def never_compared(self) -> NDArray[np.int64]:
        """Items that are in no comparison: all of them where all pairs are tied, else none."""
        if len(self):
            return np.arange(0)
        return np.arange(self.n)

    def __len__(self) -> int:
        return self._size

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AllComparisons):
            return NotImplemented
        return self.n == other.n and np.array_equal(self.rank, other.rank)

    def __hash__(self) -> int:
        return hash((self.n, self.rank.tobytes()))

    def __repr__(self) -> str:
        return f"AllComparisons(n={self.n}, m={len(self)})"

    def __reduce__(self) -> tuple[Any, ...]:
        # A pickle forgets that arrays are read-only: they are given to the constructor.
        return AllComparisons, (self.n, self.rank)


def _condensed(similarity: NDArray[Any]) -> NDArray[np.float64]:
    if similarity.dtype.kind not in "iufb":
        raise InvalidComparisonsError(f"similarities must be numbers, got {similarity.dtype}")
    if similarity.ndim == 2 and similarity.shape[0] == similarity.shape[1]:
        matrix = similarity.astype(np.float64)
        np.fill_diagonal(matrix, 0.0)
        if is_symmetric(matrix):
            above_diagonal = np.triu_indices(len(matrix), 1)
            condensed: NDArray[np.float64] = symmetrised(matrix)[above_diagonal]
            return condensed
    # A number of pairs n (n - 1) / 2 is one of which 8 times, plus 1, is a square.
    is_square = isqrt(1 + 8 * similarity.size) ** 2 == 1 + 8 * similarity.size
    if similarity.ndim != 1 or not is_square:
        hint = ""
        if similarity.ndim == 2:
            hint = ", not symmetric"
        raise InvalidComparisonsError(
            "similarities must be a symmetric matrix (n, n) or its n(n-1)/2 pairs, got shape "
            f"{similarity.shape}{hint}"
        )
    return similarity.astype(np.float64, copy=False)


def _sizes_of_ties(rank: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many pairs have each rank."""
    if rank.size and (rank.min() < 0 or rank.max() >= rank.size):
        is_outside = (rank < 0) | (rank >= rank.size)
        pair = int(is_outside.argmax())
        raise InvalidComparisonsError(
            f"pair {pair} has rank {rank[pair]}; ranks are dense, from 0, so below {rank.size}"
        )
    sizes = np.bincount(rank)
    is_missing = sizes == 0
    if is_missing.any():
        raise InvalidComparisonsError(
            f"no pair has rank {int(is_missing.argmax())}; ranks are dense: every number up to "
            f"{rank.max()} is one"
        )
    return sizes
