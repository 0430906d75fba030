"""Comparisons: answers to the question which of two pairs of items is the more similar one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hcbench.comparisons import _kernels as kernels
from hcbench.comparisons import arrays
from hcbench.comparisons.bits import PreferenceBits, are_worth_while, write_bits
from hcbench.comparisons.pairs import check_n, distinct_items
from hcbench.errors import InvalidComparisonsError

Keys = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False, init=False, repr=False)
class Comparisons:
    """A set of quadruplet answers, each saying that one pair of items is more similar than another.

    8 bytes a comparison, 12 with annotators; read-only. An answer may be there more than once, and
    beside its opposite: see `duplicates`, `contradictions` and `unique`. ``a + b`` holds all
    answers of both sets; ``a | b``, ``a & b`` and ``a - b`` each answer once, as `unique` does.

    Parameters
    ----------
    n : int
        Number of items, at most 92,682.
    closer, farther : (m,) int arrays
        Pairs of items in scipy's condensed order (see `pair_index`); ``w(closer) > w(farther)``.
        Kept as uint32; arrays that are so already are not copied.
    annotator : (m,) int array, optional
        Who gave each answer, numbered from 0. Kept as int32.

    Raises
    ------
    InvalidComparisonsError
        If an array is of the wrong shape or not of integers, a pair does not exist, or a pair is
        compared with itself.
    """

    n: int
    closer: NDArray[np.uint32]
    farther: NDArray[np.uint32]
    annotator: NDArray[np.int32] | None
    _in_order: bool
    _bits: PreferenceBits | None
    MOST: ClassVar[int] = 400_000_000
    """How many are made where nobody gave them: 3.2 GB."""

    def __init__(
        self, n: int, closer: ArrayLike, farther: ArrayLike, annotator: ArrayLike | None = None
    ) -> None:
        check_n(n)
        pairs = [arrays.pair_ids(n, closer, "closer"), arrays.pair_ids(n, farther, "farther")]
        if pairs[0].size != pairs[1].size:
            raise InvalidComparisonsError(
                f"closer has {pairs[0].size} pairs and farther {pairs[1].size}; give one of each "
                "for every comparison"
            )
        who = None if annotator is None else arrays.annotator_ids(annotator, pairs[0].size)
        for array in pairs if who is None else [*pairs, who]:
            array.flags.writeable = False
        wrong, in_order = kernels.look_through(pairs[0], pairs[1], n * (n - 1) // 2)
        if wrong >= 0:
            for ids, what in zip(pairs, ("closer", "farther"), strict=True):
                arrays.check_pairs(n, ids, what)
            raise InvalidComparisonsError(
                f"row {wrong} compares pair {pairs[0][wrong]} with itself; leave it out"
            )
        object.__setattr__(self, "n", int(n))
        object.__setattr__(self, "closer", pairs[0])
        object.__setattr__(self, "farther", pairs[1])
        object.__setattr__(self, "annotator", who)
        object.__setattr__(self, "_in_order", in_order)
        object.__setattr__(self, "_bits", None)

    @classmethod
    def from_pairs(cls, n: int, closer: ArrayLike, farther: ArrayLike) -> Comparisons:
        """Comparisons of pair ids, as `pair_index` gives them: ``w(closer) > w(farther)``."""
        return cls(n, closer, farther)

    @classmethod
    def from_quadruplets(
        cls,
        n: int,
        rows: ArrayLike,
        responses: ArrayLike | None = None,
        annotator: ArrayLike | None = None,
    ) -> Comparisons:
        """Comparisons of items.

        Parameters
        ----------
        n : int
            Number of items.
        rows : (m, 4) int array
            ``i, j, k, l`` means ``w_ij > w_kl``.
        responses : (m,) array, optional
            Whether it is so: bool, or, as cblearn counts, 1 for yes, -1 for no and 0 for no answer;
            larger numbers are that many answers.
        annotator : (m,) int array, optional
            Who answered.

        Raises
        ------
        InvalidComparisonsError
            Naming the first row with an item that does not exist, an item paired with itself or
            a pair compared with itself.
        """
        check_n(n)
        closer, farther = arrays.encode(n, rows, arrays.QUADRUPLET)
        return _answered(cls(n, closer, farther, annotator), responses)

    @classmethod
    def from_triplets(
        cls,
        n: int,
        rows: ArrayLike,
        responses: ArrayLike | None = None,
        annotator: ArrayLike | None = None,
    ) -> Comparisons:
        """Comparisons with a common item: a row ``i, j, k`` of (m, 3) means ``w_ij > w_ik``.

        The lists of triplets of cblearn are such rows, with or without responses.

        Raises
        ------
        InvalidComparisonsError
            As `from_quadruplets`.
        """
        check_n(n)
        closer, farther = arrays.encode(n, rows, arrays.TRIPLET)
        return _answered(cls(n, closer, farther, annotator), responses)

    @classmethod
    def from_array(cls, array: Any) -> Comparisons:
        """Comparisons in an array with an axis for each item of the question; each once.

        Parameters
        ----------
        array : (n, n, n, n) or (n, n, n) array, or a sparse one with ``coords`` and ``data``
            Entry ``i, j, k, l`` is 1 if ``w_ij > w_kl``, -1 if it is less, 0 if that is unknown, as
            in ComparisonHC; entry ``i, j, k`` the same of ``w_ij`` and ``w_ik``, as in cblearn's
            tensors. Entries that pair an item with itself are left out.

        Raises
        ------
        InvalidComparisonsError
            If the array is of another shape.
        """
        n, rows, counts = arrays.entries(array)
        make = cls.from_triplets if rows.shape[1] == 3 else cls.from_quadruplets
        return make(n, rows, np.sign(counts)).unique()

    @classmethod
    def read(cls, path: str | Path, n: int | None = None) -> Comparisons:
        """Comparisons of a file: see `hcbench.comparisons.files.read_comparisons`."""
        from hcbench.comparisons.files import read_comparisons

        return read_comparisons(Path(path), n)

    def write(self, path: str | Path, *, triplets: bool = False) -> None:
        """Write a .csv or .npz file: see `hcbench.comparisons.files.write_comparisons`."""
        from hcbench.comparisons.files import write_comparisons

        write_comparisons(self, Path(path), triplets=triplets)

    def quadruplets(self) -> NDArray[np.int32]:
        """Items, (m, 4): a row ``i, j, k, l`` means ``w_ij > w_kl``; i < j and k < l."""
        return kernels.decode_rows(self.closer, self.farther, self.n)

    def triplets(self) -> NDArray[np.int32]:
        """Items, (m, 3): a row ``i, j, k`` means ``w_ij > w_ik``, as in cblearn's lists.

        Raises
        ------
        InvalidComparisonsError
            If a comparison is of four items; `only_triplets` leaves such out.
        """
        rows, wrong = kernels.decode_triplets(self.closer, self.farther, self.n)
        if wrong >= 0:
            items = self.select([wrong]).quadruplets()[0].tolist()
            raise InvalidComparisonsError(
                f"row {wrong} {items}: its pairs share no item, so it is no triplet; leave such "
                "rows out with only_triplets()"
            )
        return rows

    def only_triplets(self) -> Comparisons:
        """Those whose two pairs share an item. O(m)."""
        return self.select(kernels.share_item(self.closer, self.farther, self.n))

    def to_array(self) -> NDArray[np.int8]:
        """The array (n, n, n, n) of ComparisonHC, as `from_array` takes it; contradictions are 0.

        Raises
        ------
        InvalidComparisonsError
            If it would take more than 4 GiB.
        """
        return arrays.fill(self.n, self.quadruplets())

    def select(self, rows: ArrayLike) -> Comparisons:
        """The comparisons at some positions (int array), or where a mask (m,) is true."""
        chosen = np.asarray(rows)
        if chosen.size == 0 and chosen.dtype.kind == "f":
            chosen = chosen.astype(np.int64)
        who = None if self.annotator is None else self.annotator[chosen]
        return Comparisons(self.n, self.closer[chosen], self.farther[chosen], who)

    def take(self, items: ArrayLike) -> Comparisons:
        """The comparisons among some of the items, which are renumbered in the given order.

        Parameters
        ----------
        items : (size,) int array
            Distinct item numbers.
        """
        kept = distinct_items(items, self.n)
        number = np.full(self.n, -1, np.int64)
        number[kept] = np.arange(kept.size)
        who = np.empty(0, np.int32) if self.annotator is None else self.annotator
        closer, farther, who = kernels.take_items(
            self.closer, self.farther, who, self.n, number, kept.size
        )
        return Comparisons(kept.size, closer, farther, None if self.annotator is None else who)

    def flip(self) -> Comparisons:
        """The opposite of every answer. No copy."""
        return Comparisons(self.n, self.farther, self.closer, self.annotator)

    def unique(self) -> Comparisons:
        """Every comparison once, ordered by (smaller pair, larger pair, which is closer).

        O(1) if they are in this order already, as those of the quadruplet-set oracle are, and O(m)
        if annotators are known; O(m log m) time and 16 m bytes otherwise. Opposite answers both
        stay. Who answered is forgotten.
        """
        _compile_unique()
        if self._in_order:
            bare = self.annotator is None
            return self if bare else Comparisons(self.n, self.closer, self.farther)
        return self._of_keys(self._distinct_keys())

    @property
    def is_dense(self) -> bool:
        """Whether they are so many that `bits` index them better than a list for each pair does."""
        return are_worth_while(self.n, len(self))

    def bits(self) -> PreferenceBits:
        """Which pair is preferred to which, a bit each; made once, and kept.

        O(m + M^2 / 64) time for comparisons `unique` and in order, M^2 / 4 bytes for M pairs of
        items. An oracle that hands out many comparisons (`is_dense`) makes them beforehand.
        """
        if self._bits is None:
            once = self.unique()
            object.__setattr__(self, "_bits", write_bits(self.n, once.closer, once.farther))
        made: PreferenceBits = self._bits  # type: ignore[assignment]
        return made

    def duplicates(self) -> int:
        """How many answers are there already: those that `unique` leaves out. As `unique`."""
        return len(self) - sum(keys.size for keys in self._distinct_keys())

    def contradictions(self) -> int:
        """The number of questions, each counted once, to which both answers are there."""
        return int(kernels.shared_keys(*self._distinct_keys()))

    def never_compared(self) -> NDArray[np.int64]:
        """Items that are in no comparison, rising. O(m + n)."""
        return np.flatnonzero(~kernels.items_seen(self.closer, self.farther, self.n))

    def _distinct_keys(self) -> list[Keys]:
        """The different answers as two rising lists, by orientation: see `kernels.split_keys`."""
        split: tuple[Keys, ...] = kernels.split_keys(self.closer, self.farther)
        for keys in split:
            keys.sort()
        return [keys[: kernels.drop_repeats(keys)] for keys in split]

    def _of_keys(self, keys: list[Keys]) -> Comparisons:
        return Comparisons(self.n, *kernels.merge_keys(*keys))

    def _pairs_of_keys(self, other: Comparisons) -> list[tuple[Keys, Keys]]:
        _check_same_items(self, other)
        return list(zip(self._distinct_keys(), other._distinct_keys(), strict=True))

    def __add__(self, other: Comparisons) -> Comparisons:
        _check_same_items(self, other)
        who = None
        if self.annotator is not None and other.annotator is not None:
            who = np.concatenate([self.annotator, other.annotator])
        closer = np.concatenate([self.closer, other.closer])
        return Comparisons(self.n, closer, np.concatenate([self.farther, other.farther]), who)

    def __or__(self, other: Comparisons) -> Comparisons:
        return (self + other).unique()

    def __and__(self, other: Comparisons) -> Comparisons:
        both = self._pairs_of_keys(other)
        return self._of_keys([np.intersect1d(a, b, assume_unique=True) for a, b in both])

    def __sub__(self, other: Comparisons) -> Comparisons:
        both = self._pairs_of_keys(other)
        return self._of_keys([np.setdiff1d(a, b, assume_unique=True) for a, b in both])

    def __len__(self) -> int:
        return self.closer.size

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Comparisons):
            return NotImplemented
        if self.n != other.n or (self.annotator is None) != (other.annotator is None):
            return False
        mine, theirs = _arrays(self), _arrays(other)
        return all(np.array_equal(a, b) for a, b in zip(mine, theirs, strict=True))

    def __hash__(self) -> int:
        return hash((self.n, self.closer.tobytes(), self.farther.tobytes()))

    def __repr__(self) -> str:
        return f"Comparisons(n={self.n}, m={len(self)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Comparisons, (self.n, *_arrays(self))  # a pickle forgets read-only


def _arrays(comparisons: Comparisons) -> list[NDArray[Any]]:
    kept = (comparisons.closer, comparisons.farther, comparisons.annotator)
    return [array for array in kept if array is not None]


def _check_same_items(one: Comparisons, other: Comparisons) -> None:
    if one.n != other.n:
        raise InvalidComparisonsError(
            f"sets of comparisons of {one.n} and of {other.n} items cannot be put together"
        )


def _answered(asked: Comparisons, responses: ArrayLike | None) -> Comparisons:
    """What the responses say about comparisons that were asked."""
    if responses is None:
        return asked
    counts = arrays.answer_counts(responses, len(asked))
    closer = np.where(counts < 0, asked.farther, asked.closer)
    farther = np.where(counts < 0, asked.closer, asked.farther)
    said = Comparisons(asked.n, closer, farther, asked.annotator)
    if (np.abs(counts) == 1).all():
        return said
    return said.select(np.repeat(np.arange(len(said)), np.abs(counts)))


@cache
def _compile_unique() -> None:
    """Compile both ways of `unique`: which one a call takes depends on the answers."""
    none = Comparisons(2, np.empty(0, np.uint32), np.empty(0, np.uint32))
    split = kernels.split_keys(none.closer, none.farther)
    kernels.drop_repeats(split[0])
    kernels.merge_keys(*split)
