"""All comparisons of n items that a ranking of their pairs implies, without storing them."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hcbench.errors import InvalidComparisonsError
from hcbench.model.comparisons import _kernels as kernels
from hcbench.model.comparisons.comparisons import Comparisons
from hcbench.model.comparisons.pairs import check_n, distinct_items, pair_index


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
        Of the pairs in scipy's condensed order (see `pair_index`): dense, from 0 for the least
        similar. Stored as int64; an array of this type is not copied.

    Raises
    ------
    InvalidComparisonsError
        If there is not one rank for each pair, or the ranks are not dense.
    """

    n: int
    rank: NDArray[np.int64]
    _size: int

    def __init__(self, n: int, rank: ArrayLike) -> None:
        check_n(n)
        given = np.asarray(rank)
        pairs = n * (n - 1) // 2
        if given.shape != (pairs,):
            raise InvalidComparisonsError(
                f"{n} items have {pairs} pairs; rank must have shape ({pairs},), got {given.shape}"
            )
        if given.size and given.dtype.kind not in "iu":
            raise InvalidComparisonsError(
                f"ranks must be integers, got {given.dtype}; AllComparisons.from_similarity ranks"
            )
        ranks = np.ascontiguousarray(given, dtype=np.int64).view()
        ranks.flags.writeable = False
        tied = _sizes_of_ties(ranks)
        object.__setattr__(self, "n", int(n))
        object.__setattr__(self, "rank", ranks)
        lost = sum(size * (size - 1) // 2 for size in tied[tied > 1].tolist())
        object.__setattr__(self, "_size", pairs * (pairs - 1) // 2 - lost)

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
        """
        w = _condensed(np.asarray(similarity))
        if not np.isfinite(w).all():
            raise InvalidComparisonsError("similarities must be finite numbers to be ranked")
        order = np.argsort(w, kind="stable")
        steps = np.diff(w[order]) > tolerance
        rank = np.zeros(w.size, np.int64)
        rank[order[1:]] = np.cumsum(steps)
        return cls((isqrt(1 + 8 * w.size) + 1) // 2, rank)

    def materialise(self) -> Comparisons:
        """The same answers, stored, in the order of `Comparisons.unique`.

        O(M^2) time, 8 bytes an answer.

        Raises
        ------
        InvalidComparisonsError
            If there are more than `Comparisons.MOST`.
        """
        if len(self) > Comparisons.MOST:
            raise InvalidComparisonsError(
                f"n={self.n} makes {len(self)} comparisons, more than the {Comparisons.MOST} that "
                "are stored; take a part of the items, or sample with p or count"
            )
        return Comparisons(self.n, *kernels.spell_out(self.rank, len(self)))

    def take(self, items: ArrayLike) -> AllComparisons:
        """The comparisons among some of the items, which are renumbered in the given order.

        Parameters
        ----------
        items : (size,) int array
            Distinct item numbers.
        """
        chosen = distinct_items(items, self.n)
        one, two = np.triu_indices(chosen.size, 1)
        rank = self.rank[pair_index(chosen[one], chosen[two], self.n)]
        return AllComparisons(chosen.size, np.unique(rank, return_inverse=True)[1])

    def flip(self) -> AllComparisons:
        """The opposite of every answer."""
        return AllComparisons(self.n, self.rank.max(initial=0) - self.rank)

    def unique(self) -> AllComparisons:
        """Itself: no answer occurs twice."""
        return self

    def contradictions(self) -> int:
        """0: a ranking does not contradict itself."""
        return 0

    def never_compared(self) -> NDArray[np.int64]:
        """Items that are in no comparison: all of them where all pairs are tied, else none."""
        return np.arange(0 if len(self) else self.n)

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
        return AllComparisons, (self.n, self.rank)  # a pickle forgets read-only


def _condensed(similarity: NDArray[Any]) -> NDArray[np.float64]:
    if similarity.dtype.kind not in "iufb":
        raise InvalidComparisonsError(f"similarities must be numbers, got {similarity.dtype}")
    if similarity.ndim == 2 and np.array_equal(similarity, similarity.T, equal_nan=True):
        upper = np.triu_indices(len(similarity), 1)
        return similarity[upper].astype(np.float64, copy=False)
    if similarity.ndim != 1 or isqrt(1 + 8 * similarity.size) ** 2 != 1 + 8 * similarity.size:
        raise InvalidComparisonsError(
            "similarities must be a symmetric matrix (n, n) or its n(n-1)/2 pairs, got shape "
            f"{similarity.shape}{', not symmetric' if similarity.ndim == 2 else ''}"
        )
    return similarity.astype(np.float64, copy=False)


def _sizes_of_ties(rank: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many pairs have each rank."""
    if rank.size and (rank.min() < 0 or rank.max() >= rank.size):
        at = int(((rank < 0) | (rank >= rank.size)).argmax())
        raise InvalidComparisonsError(
            f"pair {at} has rank {rank[at]}; ranks are dense, from 0, so below {rank.size}"
        )
    sizes = np.bincount(rank)
    if (sizes == 0).any():
        raise InvalidComparisonsError(
            f"no pair has rank {int((sizes == 0).argmax())}; ranks are dense: every number up to "
            f"{rank.max()} is one"
        )
    return sizes
