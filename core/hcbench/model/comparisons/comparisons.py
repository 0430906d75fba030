"""Comparisons as a list, as bits, and as all those that a ranking of the pairs implies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import isqrt
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hcbench.errors import InvalidComparisonsError
from hcbench.model.arrays import as_plain_array
from hcbench.model.comparisons import _kernels as kernels, arrays
from hcbench.model.comparisons.arrays import PairIds, check_n, pair_index, pair_items
from hcbench.model.squares import is_symmetric, symmetrised

SMALL = 1 << 28
"""Bytes of bits that are acceptable even if the comparisons take fewer."""
FEWEST = 256
"""With fewer than M^2 / FEWEST comparisons, a list is faster than the bits."""
_STEP = 1 << 16  # comparisons whose order is checked at a time


@dataclass(frozen=True, slots=True, eq=False)
class PreferenceBits:
    """Which of the M = n(n-1)/2 pairs of items is preferred to which, a bit each.

    Both answers to one question cancel: neither bit is set.

    Attributes
    ----------
    won : (64 w, w) uint64 array, w = ceil(M / 64)
        Bit ``b % 64`` of word ``b // 64`` of row a is 1 if "a is closer than b" is an answer. Bits
        and rows from M on are 0. Read-only.
    lost : array of the same shape
        The transpose: whether "b is closer than a" is an answer.
    """

    won: NDArray[np.uint64]
    lost: NDArray[np.uint64]


def write_bits(
    n: int, closer: NDArray[np.uint32], farther: NDArray[np.uint32]
) -> tuple[PreferenceBits, int]:
    """Write comparisons as bits, and count the different ones. O(m + M^2 / 64), M^2 / 4 bytes."""
    sides = np.zeros(shape_of_sides(n), np.uint64)  # in one piece: of fewer, larger pages
    kernels.scatter(closer, farther, sides)
    distinct = sum(int(kernels.count_rows(side).sum()) for side in sides)
    return mirrored(sides), distinct


def shape_of_sides(n: int) -> tuple[int, int, int]:
    """Of both matrices of the bits of n items: (2, 64 w, w)."""
    width = -(-(n * (n - 1) // 2) // 64)
    return 2, 64 * width, width


def mirrored(sides: NDArray[np.uint64]) -> PreferenceBits:
    """Bits that are given above the diagonals. O(M^2 / 64), in place where they are many.

    Parameters
    ----------
    sides : (2, 64 w, w) uint64 array, changed
        ``won`` and ``lost`` of `PreferenceBits`; bits on and below the diagonals are ignored.
    """
    missing = max(0, kernels.TILE - sides.shape[2])
    room = np.pad(sides, ((0, 0), (0, 64 * missing), (0, missing))) if missing else sides
    kernels.mirror_sides(room)
    sides = np.ascontiguousarray(room[:, : sides.shape[1], : sides.shape[2]])
    sides.flags.writeable = False
    return PreferenceBits(*sides)


Keys = NDArray[np.uint64]


class Comparisons:
    """A set of quadruplet answers: each says that one pair of items is more similar than another.

    Takes 8 bytes a comparison, 12 with annotators, or M^2 / 4 bytes for M pairs of items with
    `from_bits`; read-only. An answer may occur more than once, and so may its opposite: see
    `duplicates`, `contradictions` and `unique`. ``a + b`` holds all answers of both sets;
    ``a | b``, ``a & b`` and ``a - b`` hold each answer once, as `unique` does.

    Parameters
    ----------
    n : int
        Number of items, at most 92,682.
    closer, farther : (m,) int arrays
        Pairs of items in scipy's condensed order (see `pair_index`); ``w(closer) > w(farther)``.
        Stored as uint32; an array of this type is not copied.
    annotator : (m,) int array, optional
        Who gave each answer, numbered from 0. Stored as int32.

    Raises
    ------
    InvalidComparisonsError
        If an array is of the wrong shape or not of integers, a pair does not exist, or a pair is
        compared with itself.

    Attributes
    ----------
    index_seconds : float
        Wall time that making `bits` of a list, or a list of bits, has taken.
    drawn : (float, int)
        Wall time and bytes of bits that `from_bits` has made, once `bits` gave them; else 0.
    """

    n: int
    annotator: NDArray[np.int32] | None
    MOST: ClassVar[int] = 400_000_000
    """The largest number that is generated: 3.2 GB."""

    # The answers are a list or, once each, bits; the other is made when it is asked for.
    _bits: PreferenceBits | None
    _distinct: int  # how many are different, once there are bits
    _in_order: bool  # as `unique` orders them
    _list: tuple[PairIds, PairIds] | None
    _size: int
    _drawn: tuple[float, int]  # what `drawn` becomes
    drawn: tuple[float, int]
    index_seconds: float
    __slots__ = (
        *("_bits", "_distinct", "_drawn", "_in_order", "_list", "_size"),
        *("annotator", "drawn", "index_seconds", "n"),
    )

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
        annotators = None if annotator is None else arrays.annotator_ids(annotator, pairs[0].size)
        for array in pairs if annotators is None else [*pairs, annotators]:
            array.flags.writeable = False
        same = pairs[0] == pairs[1]
        if same.any():
            row = int(same.argmax())
            raise InvalidComparisonsError(
                f"row {row} compares pair {pairs[0][row]} with itself; drop it"
            )
        self.n, self.annotator = int(n), annotators
        self._list, self._bits = (pairs[0], pairs[1]), None
        self._size, self._distinct, self._in_order = pairs[0].size, 0, _in_order(*pairs)
        self.index_seconds, self._drawn, self.drawn = 0.0, (0.0, 0), (0.0, 0)

    @classmethod
    def _of_bits(cls, n: int, bits: PreferenceBits) -> Comparisons:
        """Answers, each once, and none with its opposite. O(M^2 / 64) to count them."""
        made = cls.__new__(cls)
        made.n, made.annotator = n, None
        made._list, made._bits = None, bits
        made._size = made._distinct = int(kernels.count_rows(bits.won).sum())
        made._in_order, made.index_seconds = True, 0.0
        made._drawn = made.drawn = 0.0, 0
        return made

    def share(self) -> Comparisons:
        """The same answers, whose arrays are shared, but not the index that is made of them."""
        made = self.__new__(type(self))
        made.n, made.annotator, made.index_seconds = self.n, self.annotator, 0.0
        made._list, made._bits = self._list, self._only_bits
        made._size, made._distinct, made._in_order = self._size, self._distinct, self._in_order
        made._drawn, made.drawn = self._drawn, (0.0, 0)
        return made

    @classmethod
    def from_bits(cls, n: int, sides: NDArray[np.uint64]) -> Comparisons:
        """Comparisons, each at most once, as bits above the diagonals of two matrices.

        O(M^2 / 64) time for M pairs of items. Their list, in the order of `unique`, is made when it
        is first used.

        Parameters
        ----------
        n : int
            Number of items.
        sides : (2, 64 w, w) uint64 array, w = ceil(M / 64)
            Bit ``b % 64`` of word ``b // 64`` of row a, for pairs a < b: in ``sides[0]`` whether "a
            is closer than b" is an answer, in ``sides[1]`` whether "b is closer than a" is. Where
            both are, they cancel. Bits on and below the diagonals are ignored. The array is not
            copied; it becomes the `bits`, and read-only.

        Raises
        ------
        InvalidComparisonsError
            If the array is of another shape or type, or has bits of pairs that do not exist.
        """
        check_n(n)
        shape, n_pairs = shape_of_sides(n), n * (n - 1) // 2
        if sides.shape != shape or sides.dtype != np.uint64 or not sides.flags.c_contiguous:
            raise InvalidComparisonsError(
                f"the bits of {n} items are an array {shape} of uint64 in C order, got "
                f"{sides.shape} of {sides.dtype}"
            )
        beyond = sides[:, :, -1:] >> np.uint64(n_pairs % 64) if n_pairs % 64 else sides[:, :0]
        if beyond.any() or sides[:, n_pairs:].any():
            raise InvalidComparisonsError(f"{n} items have the pairs 0..{n_pairs - 1}, and no more")
        _compile_both_ways()
        start = perf_counter()
        made = cls._of_bits(int(n), mirrored(sides))
        made._drawn = perf_counter() - start, sides.nbytes
        return made

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
            Whether it is true: bool or, as in cblearn, 1 for yes, -1 for no and 0 for no answer;
            larger numbers count answers.
        annotator : (m,) int array, optional
            Who answered.

        Raises
        ------
        InvalidComparisonsError
            If an item does not exist or is paired with itself, or a pair is compared with itself;
            it names the first such row.
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
            tensors. Entries that pair an item with itself are ignored.

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
        """Comparisons of a file: see `hcbench.files.comparisons.read_comparisons`."""
        from hcbench.files.comparisons import read_comparisons

        return read_comparisons(Path(path), n)

    def write(self, path: str | Path, *, triplets: bool = False) -> None:
        """Write a .csv or .npz file: see `hcbench.files.comparisons.write_comparisons`."""
        from hcbench.files.comparisons import write_comparisons

        write_comparisons(self, Path(path), triplets=triplets)

    @property
    def closer(self) -> PairIds:
        """The more similar pair of each answer, (m,)."""
        return self._pairs()[0]

    @property
    def farther(self) -> PairIds:
        """The less similar pair of each answer, (m,)."""
        return self._pairs()[1]

    def quadruplets(self) -> NDArray[np.int32]:
        """Items, (m, 4): a row ``i, j, k, l`` means ``w_ij > w_kl``; i < j and k < l."""
        return kernels.decode_rows(self.closer, self.farther, self.n)

    def triplets(self) -> NDArray[np.int32]:
        """Items, (m, 3): a row ``i, j, k`` means ``w_ij > w_ik``, as in cblearn's lists.

        Raises
        ------
        InvalidComparisonsError
            If a comparison is of four items; `only_triplets` drops those.
        """
        i, j, k, l = self.quadruplets().T  # noqa: E741
        second = (j == k) | (j == l)  # whether the common item is the second of the closer pair
        i, j = np.where(second, j, i), np.where(second, i, j)
        k, l = np.where(l == i, l, k), np.where(l == i, k, l)  # noqa: E741
        wrong = i != k
        if wrong.any():
            row = int(wrong.argmax())
            raise InvalidComparisonsError(
                f"row {row} {self.select([row]).quadruplets()[0].tolist()}: its pairs share no "
                "item, so it is not a triplet; drop such rows with only_triplets()"
            )
        return np.column_stack([i, j, l])

    def only_triplets(self) -> Comparisons:
        """Those whose two pairs share an item. O(m), or O(n^3) if there are only bits."""
        bits = self._only_bits
        if bits is not None:
            return Comparisons(self.n, *kernels.read_triplets(bits.won, bits.lost, self.n))
        i, j, k, l = self.quadruplets().T  # noqa: E741
        return self.select((i == k) | (i == l) | (j == k) | (j == l))

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
        annotators = None if self.annotator is None else self.annotator[chosen]
        return Comparisons(self.n, self.closer[chosen], self.farther[chosen], annotators)

    def take(self, items: ArrayLike) -> Comparisons:
        """The comparisons among some of the items, which are renumbered in the given order.

        Parameters
        ----------
        items : (size,) int array
            Distinct item numbers.
        """
        chosen = arrays.distinct_items(items, self.n)
        number = np.full(self.n, -1, np.int64)
        number[chosen] = np.arange(chosen.size)
        rows = number[self.quadruplets()]
        both = (rows >= 0).all(axis=1)
        annotators = None if self.annotator is None else self.annotator[both]
        return Comparisons.from_quadruplets(chosen.size, rows[both], annotator=annotators)

    def flip(self) -> Comparisons:
        """The opposite of every answer. No copy."""
        bits = self._only_bits
        if bits is not None:
            return Comparisons._of_bits(self.n, PreferenceBits(bits.lost, bits.won))
        return Comparisons(self.n, self.farther, self.closer, self.annotator)

    def unique(self) -> Comparisons:
        """Every comparison once, ordered by (smaller pair, larger pair, which is closer).

        O(1) if they are in this order already, as those of the quadruplet-set oracle are, and O(m)
        if annotators are known; O(m + M^2 / 64) through `bits` if they `is_dense`; O(m log m) time
        and O(m) memory otherwise. Opposite answers both stay. Annotators
        are dropped.
        """
        _compile_both_ways()
        if self._in_order:
            return self if self.annotator is None else Comparisons(self.n, *self._pairs())
        if self.is_dense:
            made = Comparisons._of_bits(self.n, self.bits())
            if len(made) == self._distinct:  # no opposite answers have cancelled
                return made
            sides = np.zeros(shape_of_sides(self.n), np.uint64)
            kernels.scatter(*self._pairs(), sides)
            sides.flags.writeable = False  # as the bits, so that one loop is compiled for both
            return Comparisons(self.n, *kernels.read_list(sides[0], sides[1], self._distinct))
        return self._of_keys(*self._distinct_keys())

    @property
    def is_dense(self) -> bool:
        """Whether there are so many that `bits` are a better index than a list for each pair."""
        return self.are_dense(self.n, len(self))

    @staticmethod
    def are_dense(n: int, m: int) -> bool:
        """Whether m comparisons of n items are dense, see `is_dense`."""
        n_pairs = n * (n - 1) // 2
        return 0 < n_pairs**2 <= m * FEWEST and n_pairs**2 // 4 <= max(16 * m, SMALL)

    def bits(self) -> PreferenceBits:
        """Which pair is preferred to which, one bit each; made once.

        Opposite answers cancel. O(m + M^2 / 64) time, and M^2 / 4 bytes for M pairs of items.
        """
        if self._bits is None:
            start = perf_counter()
            self._bits, self._distinct = write_bits(self.n, *self._pairs())
            self.index_seconds += perf_counter() - start
        self.drawn = self._drawn
        return self._bits

    def duplicates(self) -> int:
        """How many answers repeat another one; `unique` drops them. Cost as `unique`."""
        return len(self) - sum(keys.size for keys in self._distinct_keys())

    def contradictions(self) -> int:
        """The number of questions, each counted once, that have both answers. Cost as `unique`."""
        if self.is_dense:
            uncontradicted = len(Comparisons._of_bits(self.n, self.bits()))
            return (self._distinct - uncontradicted) // 2
        return np.intersect1d(*self._distinct_keys(), assume_unique=True).size

    def times_closer(self) -> NDArray[np.int64]:
        """How many answers say of each pair that it is the closer one, (M,). O(m + M).

        O(M^2 / 64) if there are only bits.
        """
        return self._times(0)

    def times_farther(self) -> NDArray[np.int64]:
        """How many answers say of each pair that it is the farther one, (M,). As `times_closer`."""
        return self._times(1)

    def _times(self, side: int) -> NDArray[np.int64]:
        n_pairs = self.n * (self.n - 1) // 2
        if self._only_bits is not None:
            bits = self._only_bits.lost if side else self._only_bits.won
            rows: NDArray[np.int64] = kernels.count_rows(bits)
            return rows[:n_pairs]
        return np.bincount(self._pairs()[side], minlength=n_pairs)

    def never_compared(self) -> NDArray[np.int64]:
        """Items in no comparison, rising. O(m + M), or O(M^2 / 64) if there are only bits."""
        compared = np.flatnonzero(self.times_closer() + self.times_farther())
        seen = np.zeros(self.n, bool)
        for items in pair_items(compared, self.n):
            seen[items] = True
        return np.flatnonzero(~seen)

    def arrays(self) -> list[NDArray[Any]]:
        """The arrays that it holds at present."""
        annotators = [] if self.annotator is None else [self.annotator]
        bits = [] if self._bits is None else [self._bits.won, self._bits.lost]
        return [*(self._list or ()), *bits, *annotators]

    @property
    def _only_bits(self) -> PreferenceBits | None:
        """The bits, where there is no list."""
        return self._bits if self._list is None else None

    def _pairs(self) -> tuple[PairIds, PairIds]:
        """The closer and the farther pairs, (m,) each; made once."""
        if self._list is None:
            assert self._bits is not None
            start, bits = perf_counter(), self._bits
            self._list = kernels.read_list(bits.won, bits.lost, self._size)
            for pairs in self._list:
                pairs.flags.writeable = False
            self.index_seconds += perf_counter() - start
        return self._list

    def _distinct_keys(self) -> tuple[Keys, Keys]:
        """The different answers as two rising lists of (smaller pair, larger pair) in 64 bits.

        Those whose closer pair is the smaller one, and the others.
        """
        closer, farther = self._pairs()
        ahead = closer < farther
        forward = _keys_once(closer[ahead], farther[ahead])
        return forward, _keys_once(farther[~ahead], closer[~ahead])

    def _of_keys(self, forward: Keys, backward: Keys) -> Comparisons:
        keys = np.concatenate([forward, backward])
        order = np.argsort(keys, kind="stable")
        low, high = (keys[order] >> 32).astype(np.uint32), keys[order].astype(np.uint32)
        ahead = order < forward.size
        return Comparisons(self.n, np.where(ahead, low, high), np.where(ahead, high, low))

    def _pairs_of_keys(self, other: Comparisons) -> list[tuple[Keys, Keys]]:
        _check_same_items(self, other)
        return list(zip(self._distinct_keys(), other._distinct_keys(), strict=True))

    def __add__(self, other: Comparisons) -> Comparisons:
        _check_same_items(self, other)
        annotators = None
        if self.annotator is not None and other.annotator is not None:
            annotators = np.concatenate([self.annotator, other.annotator])
        closer = np.concatenate([self.closer, other.closer])
        return Comparisons(
            self.n, closer, np.concatenate([self.farther, other.farther]), annotators
        )

    def __or__(self, other: Comparisons) -> Comparisons:
        return (self + other).unique()

    def __and__(self, other: Comparisons) -> Comparisons:
        both = self._pairs_of_keys(other)
        return self._of_keys(*(np.intersect1d(a, b, assume_unique=True) for a, b in both))

    def __sub__(self, other: Comparisons) -> Comparisons:
        both = self._pairs_of_keys(other)
        return self._of_keys(*(np.setdiff1d(a, b, assume_unique=True) for a, b in both))

    def __len__(self) -> int:
        return self._size

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Comparisons):
            return NotImplemented
        if self.n != other.n or (self.annotator is None) != (other.annotator is None):
            return False
        bits, their_bits = self._only_bits, other._only_bits
        if bits is not None and their_bits is not None:
            return np.array_equal(bits.won, their_bits.won)
        mine, theirs = _arrays(self), _arrays(other)
        return all(np.array_equal(a, b) for a, b in zip(mine, theirs, strict=True))

    def __hash__(self) -> int:
        return hash((self.n, self.closer.tobytes(), self.farther.tobytes()))

    def __repr__(self) -> str:
        return f"Comparisons(n={self.n}, m={len(self)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Comparisons, (self.n, *_arrays(self))  # a pickle forgets read-only


def _keys_once(low: PairIds, high: PairIds) -> Keys:
    """The different pairs of numbers in 64 bits each, rising; `np.unique` takes ten times as long.

    None is 0, as the numbers of a pair differ.
    """
    keys = np.sort(low.astype(np.uint64) << np.uint64(32) | high)
    once: Keys = keys[np.diff(keys, prepend=np.uint64(0)) != 0]
    return once


def _in_order(closer: PairIds, farther: PairIds) -> bool:
    """Whether comparisons rise by (smaller pair, larger pair, which is closer), each once."""
    for start in range(0, closer.size, _STEP):
        part = slice(start, start + _STEP + 1)
        one, other = closer[part], farther[part]
        rises = one[1:] > one[:-1]
        for ids in (np.maximum(one, other), np.minimum(one, other)):
            rises = (ids[1:] > ids[:-1]) | ((ids[1:] == ids[:-1]) & rises)
        if not rises.all():
            return False
    return True


def _arrays(comparisons: Comparisons) -> list[NDArray[Any]]:
    whole = (comparisons.closer, comparisons.farther, comparisons.annotator)
    return [array for array in whole if array is not None]


@cache
def _compile_both_ways() -> None:
    """Compile the loops for lists, in order or not, and for bits: the answers decide which run."""
    listed = Comparisons(2, np.empty(0, np.uint32), np.empty(0, np.uint32))
    listed.never_compared()
    listed.bits()
    in_bits = Comparisons._of_bits(2, mirrored(np.zeros(shape_of_sides(2), np.uint64)))
    in_bits.never_compared()
    in_bits._pairs()


def _check_same_items(one: Comparisons, other: Comparisons) -> None:
    if one.n != other.n:
        raise InvalidComparisonsError(
            f"sets of comparisons of {one.n} and of {other.n} items cannot be combined"
        )


def _answered(asked: Comparisons, responses: ArrayLike | None) -> Comparisons:
    """The answers that responses to questions give."""
    if responses is None:
        return asked
    counts = arrays.answer_counts(responses, len(asked))
    closer = np.where(counts < 0, asked.farther, asked.closer)
    farther = np.where(counts < 0, asked.closer, asked.farther)
    answers = Comparisons(asked.n, closer, farther, asked.annotator)
    if (np.abs(counts) == 1).all():
        return answers
    return answers.select(np.repeat(np.arange(len(answers)), np.abs(counts)))


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
        given = as_plain_array(similarity, "similarities")
        if given.dtype.kind == "f" and np.isnan(given).any():
            raise InvalidComparisonsError("similarities must be finite numbers to be ranked")
        w = _condensed(given)
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
        chosen = arrays.distinct_items(items, self.n)
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
    if similarity.ndim == 2 and similarity.shape[0] == similarity.shape[1]:
        matrix = similarity.astype(np.float64)
        np.fill_diagonal(matrix, 0.0)
        if is_symmetric(matrix):
            condensed: NDArray[np.float64] = symmetrised(matrix)[np.triu_indices(len(matrix), 1)]
            return condensed
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
