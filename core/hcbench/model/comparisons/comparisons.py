"""Comparisons as a list, as bits, and as all those that a ranking of the pairs implies."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hcbench.errors import InvalidComparisonsError
from hcbench.model.comparisons import _kernels as kernels, arrays
from hcbench.model.comparisons.arrays import PairIds, check_n, pair_items
from hcbench.model.comparisons.bits import PreferenceBits, mirrored, shape_of_sides, write_bits
from hcbench.model.comparisons.order import Keys, are_in_order, distinct_keys, pairs_of_keys

SMALL = 1 << 28
"""Bytes of bits that are acceptable even if the comparisons take fewer."""
FEWEST = 256
"""With fewer than M^2 / FEWEST comparisons, a list is faster than the bits."""


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
        The number, from 0, of who gave each answer. Stored as int32.

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
        Wall time and bytes of bits that `from_bits` has made, once `bits` returned them; else 0.

    Examples
    --------
    >>> answers = Comparisons.from_quadruplets(4, [[0, 1, 2, 3], [0, 1, 0, 2], [0, 1, 2, 3]])
    >>> answers.duplicates(), answers.contradictions()
    (1, 0)
    >>> answers.unique().quadruplets().tolist()
    [[0, 1, 0, 2], [0, 1, 2, 3]]
    >>> hcbench.fit("4-AL", answers).to_newick(lengths=False)
    '(3,(2,(0,1)));'
    """

    n: int
    annotator: NDArray[np.int32] | None
    MOST: ClassVar[int] = 400_000_000
    """The largest number that is generated: 3.2 GB."""

    # The answers are a list or, once each, bits; the other form is made when it is first used.
    _list: tuple[PairIds, PairIds] | None
    _bits: PreferenceBits | None
    _size: int
    _distinct: int  # how many answers are different; 0 until there are bits
    _in_order: bool  # whether the list is ordered as by `unique`
    _drawn: tuple[float, int]  # what `drawn` becomes once `bits` are used
    drawn: tuple[float, int]
    index_seconds: float
    _clock: Callable[[], float]
    __slots__ = (
        "_bits",
        "_clock",
        "_distinct",
        "_drawn",
        "_in_order",
        "_list",
        "_size",
        "annotator",
        "drawn",
        "index_seconds",
        "n",
    )

    def __init__(
        self, n: int, closer: ArrayLike, farther: ArrayLike, annotator: ArrayLike | None = None
    ) -> None:
        check_n(n)
        closer_ids = arrays.pair_ids(n, closer, "closer")
        farther_ids = arrays.pair_ids(n, farther, "farther")
        if closer_ids.size != farther_ids.size:
            raise InvalidComparisonsError(
                f"closer has {closer_ids.size} pairs and farther {farther_ids.size}; give one of "
                "each for every comparison"
            )
        annotators = None
        if annotator is not None:
            annotators = arrays.annotator_ids(annotator, closer_ids.size)
            annotators.flags.writeable = False
        # Views, so that the caller's own array stays writable.
        closer_ids.flags.writeable = False
        farther_ids.flags.writeable = False
        is_same = closer_ids == farther_ids
        if is_same.any():
            row = int(is_same.argmax())
            raise InvalidComparisonsError(
                f"row {row} compares pair {closer_ids[row]} with itself; drop it"
            )
        self.n = int(n)
        self.annotator = annotators
        self._list = (closer_ids, farther_ids)
        self._bits = None
        self._size = closer_ids.size
        self._distinct = 0
        self._in_order = are_in_order(closer_ids, farther_ids)
        self._drawn = (0.0, 0)
        self.drawn = (0.0, 0)
        self.index_seconds = 0.0
        self._clock = perf_counter

    @classmethod
    def _of_bits(cls, n: int, bits: PreferenceBits) -> Comparisons:
        """Answers, each once, and none with its opposite. O(M^2 / 64) to count them."""
        comparisons = cls.__new__(cls)
        comparisons.n = n
        comparisons.annotator = None
        comparisons._list = None
        comparisons._bits = bits
        comparisons._size = int(kernels.count_rows(bits.won).sum())
        comparisons._distinct = comparisons._size
        comparisons._in_order = True
        comparisons._drawn = (0.0, 0)
        comparisons.drawn = (0.0, 0)
        comparisons.index_seconds = 0.0
        comparisons._clock = perf_counter
        return comparisons

    def share(self, clock: Callable[[], float] = perf_counter) -> Comparisons:
        """The same answers, whose arrays are shared, but not the index that is made of them.

        Parameters
        ----------
        clock : callable
            Returns the time in s, by which `index_seconds` are measured.
        """
        comparisons = self.__new__(type(self))
        comparisons.n = self.n
        comparisons.annotator = self.annotator
        comparisons._list = self._list
        # Where there is a list, bits are an index.
        comparisons._bits = self._only_bits
        comparisons._size = self._size
        comparisons._distinct = self._distinct
        comparisons._in_order = self._in_order
        # Each sharer is charged for the bits that it uses, once it uses them.
        comparisons._drawn = self._drawn
        comparisons.drawn = (0.0, 0)
        comparisons.index_seconds = 0.0
        comparisons._clock = clock
        return comparisons

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
        shape = shape_of_sides(n)
        n_pairs = n * (n - 1) // 2
        if sides.shape != shape or sides.dtype != np.uint64 or not sides.flags.c_contiguous:
            raise InvalidComparisonsError(
                f"the bits of {n} items are an array {shape} of uint64 in C order, got "
                f"{sides.shape} of {sides.dtype}"
            )
        has_other_pairs = sides[:, n_pairs:].any()
        if n_pairs % 64:
            # The last word of each row has bits of pairs that do not exist.
            has_other_pairs |= (sides[:, :, -1] >> np.uint64(n_pairs % 64)).any()
        if has_other_pairs:
            raise InvalidComparisonsError(f"{n} items have the pairs 0..{n_pairs - 1}, and no more")
        _compile_both_ways()
        start = perf_counter()
        comparisons = cls._of_bits(int(n), mirrored(sides))
        comparisons._drawn = (perf_counter() - start, sides.nbytes)
        return comparisons

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
            Whether each row is true: bool or, as in cblearn, 1 for yes, -1 for no and 0 for no
            answer; larger numbers count answers.
        annotator : (m,) int array, optional
            The numbers of those who answered.

        Raises
        ------
        InvalidComparisonsError
            If an item does not exist or is paired with itself, or a pair is compared with itself;
            the message names the first such row.

        Examples
        --------
        >>> rows = [[0, 1, 2, 3], [0, 2, 1, 3]]
        >>> answers = Comparisons.from_quadruplets(4, rows, responses=[1, -1])
        >>> answers.quadruplets().tolist()
        [[0, 1, 2, 3], [1, 3, 0, 2]]
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

        Examples
        --------
        >>> Comparisons.from_triplets(3, [[0, 1, 2], [2, 1, 0]]).quadruplets().tolist()
        [[0, 1, 0, 2], [1, 2, 0, 2]]
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

        Examples
        --------
        >>> array = np.zeros((3, 3, 3), int)
        >>> array[0, 1, 2] = 1  # w_01 > w_02
        >>> Comparisons.from_array(array).triplets().tolist()
        [[0, 1, 2]]
        """
        n, rows, counts = arrays.entries(array)
        answers = np.sign(counts)
        if rows.shape[1] == 3:
            return cls.from_triplets(n, rows, answers).unique()
        return cls.from_quadruplets(n, rows, answers).unique()

    @property
    def closer(self) -> PairIds:
        """The more similar pair of each answer, (m,)."""
        return self._pairs()[0]

    @property
    def farther(self) -> PairIds:
        """The less similar pair of each answer, (m,)."""
        return self._pairs()[1]

    def quadruplets(self) -> NDArray[np.int32]:
        """Items, (m, 4): a row ``i, j, k, l`` means ``w_ij > w_kl``; i < j and k < l.

        Examples
        --------
        >>> Comparisons(3, closer=[0], farther=[2]).quadruplets().tolist()  # pair 2 is (1, 2)
        [[0, 1, 1, 2]]
        """
        return kernels.decode_rows(self.closer, self.farther, self.n)

    def triplets(self) -> NDArray[np.int32]:
        """Items, (m, 3): a row ``i, j, k`` means ``w_ij > w_ik``, as in cblearn's lists.

        Raises
        ------
        InvalidComparisonsError
            If a comparison is of four items; `only_triplets` drops those.

        Examples
        --------
        >>> Comparisons.from_quadruplets(4, [[1, 0, 0, 3]]).triplets().tolist()
        [[0, 1, 3]]
        """
        i, j, k, l = self.quadruplets().T  # noqa: E741
        # Put the item that both pairs share first in each.
        j_is_common = (j == k) | (j == l)
        common = np.where(j_is_common, j, i)
        closer = np.where(j_is_common, i, j)
        l_is_common = l == common
        second_common = np.where(l_is_common, l, k)
        farther = np.where(l_is_common, k, l)
        has_no_common = common != second_common
        if has_no_common.any():
            row = int(has_no_common.argmax())
            raise InvalidComparisonsError(
                f"row {row} {self.select([row]).quadruplets()[0].tolist()}: its pairs share no "
                "item, so it is not a triplet; drop such rows with only_triplets()"
            )
        return np.column_stack([common, closer, farther])

    def only_triplets(self) -> Comparisons:
        """Those whose two pairs share an item. O(m), or O(n^3) if there are only bits.

        Examples
        --------
        >>> answers = Comparisons.from_quadruplets(4, [[0, 1, 2, 3], [0, 1, 0, 2]])
        >>> answers.only_triplets().quadruplets().tolist()
        [[0, 1, 0, 2]]
        """
        bits = self._only_bits
        if bits is not None:
            closer, farther = kernels.read_triplets(bits.won, bits.lost, self.n)
            return Comparisons(self.n, closer, farther)
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
        """The comparisons at some positions (int array), or where a mask (m,) is true.

        Examples
        --------
        >>> answers = Comparisons.from_triplets(4, [[0, 1, 2], [0, 1, 3]], annotator=[7, 8])
        >>> answers.select(answers.annotator == 8).triplets().tolist()
        [[0, 1, 3]]
        """
        index = np.asarray(rows)
        if index.size == 0 and index.dtype.kind == "f":
            index = index.astype(np.int64)  # of an empty list
        annotators = None
        if self.annotator is not None:
            annotators = self.annotator[index]
        return Comparisons(self.n, self.closer[index], self.farther[index], annotators)

    def take(self, items: ArrayLike) -> Comparisons:
        """The comparisons among some of the items, which are renumbered in the given order.

        Parameters
        ----------
        items : (size,) int array
            Distinct item numbers.

        Examples
        --------
        >>> answers = Comparisons.from_triplets(4, [[0, 1, 2], [3, 1, 2]])
        >>> answers.take([1, 2, 3]).triplets().tolist()
        [[2, 0, 1]]
        """
        old_items = arrays.distinct_items(items, self.n)
        # -1 for items that are not taken, whose comparisons are dropped.
        new_item = np.full(self.n, -1, np.int64)
        new_item[old_items] = np.arange(old_items.size)
        rows = new_item[self.quadruplets()]
        remains = (rows >= 0).all(axis=1)
        annotators = None
        if self.annotator is not None:
            annotators = self.annotator[remains]
        return Comparisons.from_quadruplets(old_items.size, rows[remains], annotator=annotators)

    def flip(self) -> Comparisons:
        """The opposite of every answer. No copy.

        Examples
        --------
        >>> Comparisons.from_triplets(3, [[0, 1, 2]]).flip().triplets().tolist()
        [[0, 2, 1]]
        """
        bits = self._only_bits
        if bits is not None:
            return Comparisons._of_bits(self.n, PreferenceBits(won=bits.lost, lost=bits.won))
        return Comparisons(self.n, self.farther, self.closer, self.annotator)

    def unique(self) -> Comparisons:
        """Every comparison once, ordered by (smaller pair, larger pair, which is closer).

        O(1) if they are in this order already, as those of the quadruplet-set oracle are, and O(m)
        if annotators are known; O(m + M^2 / 64) through `bits` if they are dense (`is_dense`);
        O(m log m) time and O(m) memory otherwise. Opposite answers both stay. Annotators are
        dropped.

        Examples
        --------
        >>> answers = Comparisons.from_triplets(3, [[0, 1, 2], [0, 1, 2], [0, 2, 1]])
        >>> answers.unique().triplets().tolist()
        [[0, 1, 2], [0, 2, 1]]
        """
        _compile_both_ways()
        if self._in_order:
            if self.annotator is None:
                return self
            closer, farther = self._pairs()
            return Comparisons(self.n, closer, farther)
        if not self.is_dense:
            forward, backward = self._distinct_keys()
            return self._of_keys(forward, backward)
        without_opposites = Comparisons._of_bits(self.n, self.bits())
        if len(without_opposites) == self._distinct:
            return without_opposites
        # Opposite answers have cancelled: write the bits again, above the diagonal alone.
        closer, farther = self._pairs()
        sides = np.zeros(shape_of_sides(self.n), np.uint64)
        kernels.scatter(closer, farther, sides)
        sides.flags.writeable = False  # as the bits, so that one loop is compiled for both
        closer, farther = kernels.read_list(sides[0], sides[1], self._distinct)
        return Comparisons(self.n, closer, farther)

    @property
    def is_dense(self) -> bool:
        """Whether there are so many that `bits` are a better index than a list for each pair."""
        return self.are_dense(self.n, len(self))

    @staticmethod
    def are_dense(n: int, m: int) -> bool:
        """Whether m comparisons of n items are dense, see `is_dense`."""
        n_pairs = n * (n - 1) // 2
        are_many = 0 < n_pairs**2 <= m * FEWEST
        bytes_of_bits = n_pairs**2 // 4
        return are_many and bytes_of_bits <= max(16 * m, SMALL)

    def bits(self) -> PreferenceBits:
        """Which pair is preferred to which, one bit each; made once.

        Opposite answers cancel. O(m + M^2 / 64) time, and M^2 / 4 bytes for M pairs of items.
        """
        if self._bits is None:
            start = self._clock()
            closer, farther = self._pairs()
            self._bits, self._distinct = write_bits(self.n, closer, farther)
            self.index_seconds += self._clock() - start
        self.drawn = self._drawn
        return self._bits

    def duplicates(self) -> int:
        """How many answers repeat another one; `unique` drops them. Cost as `unique`.

        Examples
        --------
        >>> Comparisons.from_triplets(3, [[0, 1, 2], [0, 1, 2], [0, 2, 1]]).duplicates()
        1
        """
        forward, backward = self._distinct_keys()
        return len(self) - forward.size - backward.size

    def contradictions(self) -> int:
        """The number of questions, each counted once, that have both answers. Cost as `unique`.

        Examples
        --------
        >>> Comparisons.from_triplets(3, [[0, 1, 2], [0, 1, 2], [0, 2, 1]]).contradictions()
        1
        """
        if self.is_dense:
            n_uncontradicted = len(Comparisons._of_bits(self.n, self.bits()))
            return (self._distinct - n_uncontradicted) // 2
        forward, backward = self._distinct_keys()
        return np.intersect1d(forward, backward, assume_unique=True).size

    def times_closer(self) -> NDArray[np.int64]:
        """How many answers say of each pair that it is the closer one, (M,). O(m + M).

        O(M^2 / 64) if there are only bits.

        Examples
        --------
        >>> answers = Comparisons.from_triplets(3, [[0, 1, 2], [1, 0, 2]])
        >>> answers.times_closer().tolist()  # of the pairs (0, 1), (0, 2) and (1, 2)
        [2, 0, 0]
        """
        if self._only_bits is not None:
            return self._count_of_pairs(self._only_bits.won)
        return np.bincount(self.closer, minlength=self._n_pairs)

    def times_farther(self) -> NDArray[np.int64]:
        """How many answers say of each pair that it is the farther one, (M,). As `times_closer`.

        Examples
        --------
        >>> answers = Comparisons.from_triplets(3, [[0, 1, 2], [1, 0, 2]])
        >>> answers.times_farther().tolist()  # of the pairs (0, 1), (0, 2) and (1, 2)
        [0, 1, 1]
        """
        if self._only_bits is not None:
            return self._count_of_pairs(self._only_bits.lost)
        return np.bincount(self.farther, minlength=self._n_pairs)

    @property
    def _n_pairs(self) -> int:
        return self.n * (self.n - 1) // 2

    def _count_of_pairs(self, bits: NDArray[np.uint64]) -> NDArray[np.int64]:
        """How many bits each pair has, (M,)."""
        counts: NDArray[np.int64] = kernels.count_rows(bits)
        return counts[: self._n_pairs]

    def never_compared(self) -> NDArray[np.int64]:
        """Items in no comparison, rising. O(m + M), or O(M^2 / 64) if there are only bits.

        Examples
        --------
        >>> Comparisons.from_triplets(5, [[0, 1, 2]]).never_compared().tolist()
        [3, 4]
        """
        compared_pairs = np.flatnonzero(self.times_closer() + self.times_farther())
        is_compared = np.zeros(self.n, bool)
        first, second = pair_items(compared_pairs, self.n)
        is_compared[first] = True
        is_compared[second] = True
        return np.flatnonzero(~is_compared)

    def arrays(self) -> list[NDArray[Any]]:
        """The arrays that it holds at present."""
        held: list[NDArray[Any]] = []
        if self._list is not None:
            held.extend(self._list)
        if self._bits is not None:
            held += [self._bits.won, self._bits.lost]
        if self.annotator is not None:
            held.append(self.annotator)
        return held

    @property
    def _only_bits(self) -> PreferenceBits | None:
        """The bits, where there is no list."""
        if self._list is not None:
            return None
        return self._bits

    def _pairs(self) -> tuple[PairIds, PairIds]:
        """The closer and the farther pairs, (m,) each; made once."""
        if self._list is None:
            assert self._bits is not None
            start = self._clock()
            closer, farther = kernels.read_list(self._bits.won, self._bits.lost, self._size)
            closer.flags.writeable = False
            farther.flags.writeable = False
            self._list = (closer, farther)
            self.index_seconds += self._clock() - start
        return self._list

    def _distinct_keys(self) -> tuple[Keys, Keys]:
        """The different answers as keys; see `distinct_keys`."""
        return distinct_keys(*self._pairs())

    def _of_keys(self, forward: Keys, backward: Keys) -> Comparisons:
        """The answers of two lists as `_distinct_keys` returns them, in the order of `unique`."""
        closer, farther = pairs_of_keys(forward, backward)
        return Comparisons(self.n, closer, farther)

    def __add__(self, second: Comparisons) -> Comparisons:
        _check_same_items(self, second)
        # If one does not know its annotators, their numbers could not be told apart.
        annotators = None
        if self.annotator is not None and second.annotator is not None:
            annotators = np.concatenate([self.annotator, second.annotator])
        closer = np.concatenate([self.closer, second.closer])
        farther = np.concatenate([self.farther, second.farther])
        return Comparisons(self.n, closer, farther, annotators)

    def __or__(self, second: Comparisons) -> Comparisons:
        return (self + second).unique()

    def __and__(self, second: Comparisons) -> Comparisons:
        _check_same_items(self, second)
        forward, backward = self._distinct_keys()
        second_forward, second_backward = second._distinct_keys()
        return self._of_keys(
            np.intersect1d(forward, second_forward, assume_unique=True),
            np.intersect1d(backward, second_backward, assume_unique=True),
        )

    def __sub__(self, second: Comparisons) -> Comparisons:
        _check_same_items(self, second)
        forward, backward = self._distinct_keys()
        second_forward, second_backward = second._distinct_keys()
        return self._of_keys(
            np.setdiff1d(forward, second_forward, assume_unique=True),
            np.setdiff1d(backward, second_backward, assume_unique=True),
        )

    def __len__(self) -> int:
        return self._size

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Comparisons):
            return NotImplemented
        if self.n != other.n or (self.annotator is None) != (other.annotator is None):
            return False
        bits = self._only_bits
        other_bits = other._only_bits
        # Without making both lists, which may take gigabytes; `lost` is the transpose of `won`.
        if bits is not None and other_bits is not None:
            return np.array_equal(bits.won, other_bits.won)
        pairs = zip(_arrays(self), _arrays(other), strict=True)
        return all(np.array_equal(array, other_array) for array, other_array in pairs)

    def __hash__(self) -> int:
        return hash((self.n, self.closer.tobytes(), self.farther.tobytes()))

    def __repr__(self) -> str:
        return f"Comparisons(n={self.n}, m={len(self)})"

    def __reduce__(self) -> tuple[Any, ...]:
        # A pickle forgets that arrays are read-only: they are given to the constructor.
        return Comparisons, (self.n, self.closer, self.farther, self.annotator)


def _arrays(comparisons: Comparisons) -> list[NDArray[Any]]:
    arrays_of_list: list[NDArray[Any]] = [comparisons.closer, comparisons.farther]
    if comparisons.annotator is not None:
        arrays_of_list.append(comparisons.annotator)
    return arrays_of_list


@cache
def _compile_both_ways() -> None:
    """Compile the loops for lists, in order or not, and for bits: the answers decide which run."""
    as_list = Comparisons(2, np.empty(0, np.uint32), np.empty(0, np.uint32))
    as_list.never_compared()
    as_list.bits()
    as_bits = Comparisons._of_bits(2, mirrored(np.zeros(shape_of_sides(2), np.uint64)))
    as_bits.never_compared()
    as_bits._pairs()


def _check_same_items(first: Comparisons, second: Comparisons) -> None:
    if first.n != second.n:
        raise InvalidComparisonsError(
            f"sets of comparisons of {first.n} and of {second.n} items cannot be combined"
        )


def _answered(questions: Comparisons, responses: ArrayLike | None) -> Comparisons:
    """The answers that responses to questions give; without responses all are true."""
    if responses is None:
        return questions
    counts = arrays.answer_counts(responses, len(questions))
    # "No" says that the other pair is closer.
    is_no = counts < 0
    closer = np.where(is_no, questions.farther, questions.closer)
    farther = np.where(is_no, questions.closer, questions.farther)
    answers = Comparisons(questions.n, closer, farther, questions.annotator)
    # No answer, 0, drops a question, and a count repeats it.
    times = np.abs(counts)
    if (times == 1).all():
        return answers
    return answers.select(np.repeat(np.arange(len(answers)), times))
