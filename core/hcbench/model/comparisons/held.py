"""How a set of comparisons is held: as a list or as bits, and the other is made if asked for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hcbench.model.comparisons import _bit_kernels as bit_kernels, _kernels as kernels
from hcbench.model.comparisons.bits import PreferenceBits, mirrored, shape_of_sides, write_bits

PairIds = NDArray[np.uint32]
Keys = NDArray[np.uint64]


class Held:
    """Answers about the pairs of n items, each as it is told by a list or, once, by a bit.

    Parameters
    ----------
    n : int
    closer, farther : (m,) uint32 arrays, read-only

    Attributes
    ----------
    size : int
        How many answers there are, m.
    in_order : bool
        Whether they are in the order of `hcbench.Comparisons.unique`, each once.
    wrong : int
        The first that cannot be; -1 if all can. Of a set with such one nothing else may be asked.
    """

    __slots__ = ("_bits", "_list", "in_order", "n", "size", "wrong")

    def __init__(self, n: int, closer: PairIds, farther: PairIds) -> None:
        self.n = n
        self.size = int(closer.size)
        self.wrong, self.in_order = kernels.look_through(closer, farther, n * (n - 1) // 2)
        self._list: tuple[PairIds, PairIds] | None = (closer, farther)
        self._bits: PreferenceBits | None = None

    @classmethod
    def of_bits(cls, n: int, bits: PreferenceBits) -> Held:
        """Answers, each once, and none beside its opposite. O(M^2 / 64) to count them."""
        held = cls.__new__(cls)
        held.n, held.wrong, held.in_order = n, -1, True
        held.size = int(bit_kernels.count_rows(bits.won).sum())
        held._list, held._bits = None, bits
        return held

    @property
    def only_bits(self) -> PreferenceBits | None:
        """The bits, where there is no list."""
        return self._bits if self._list is None else None

    def list(self) -> tuple[PairIds, PairIds]:
        """The pairs that are closer and those that are farther, (m,) each; kept."""
        if self._list is None:
            bits = self.bits()
            self._list = bit_kernels.read_list(bits.won, bits.lost, self.size)
            for pairs in self._list:
                pairs.flags.writeable = False
        return self._list

    def bits(self) -> PreferenceBits:
        """A bit for each of the different answers that have no opposite; kept."""
        if self._bits is None:
            once = self.list() if self.in_order else kernels.merge_keys(*self.distinct_keys())
            self._bits = write_bits(self.n, *once)
        return self._bits

    def distinct_keys(self) -> tuple[Keys, Keys]:
        """The different answers as two rising lists, by orientation: see `kernels.split_keys`."""
        forward, backward = kernels.split_keys(*self.list())
        forward.sort()
        backward.sort()
        return forward[: kernels.drop_repeats(forward)], backward[: kernels.drop_repeats(backward)]

    def flipped(self) -> Held:
        """The opposite of every answer. No copy."""
        if self.only_bits is not None:
            return Held.of_bits(self.n, PreferenceBits(self.only_bits.lost, self.only_bits.won))
        closer, farther = self.list()
        return Held(self.n, farther, closer)

    def times(self, side: int) -> NDArray[np.int64]:
        """How many answers say of each pair that it is the closer one, (M,); or 1, the farther."""
        n_pairs = self.n * (self.n - 1) // 2
        if self.only_bits is not None:
            bits = self.only_bits.lost if side else self.only_bits.won
            rows: NDArray[np.int64] = bit_kernels.count_rows(bits)
            return rows[:n_pairs]
        return np.bincount(self.list()[side], minlength=n_pairs)

    def items_seen(self) -> NDArray[np.bool_]:
        """Which items are in an answer, (n,)."""
        seen: NDArray[np.bool_]
        if self.only_bits is not None:
            seen = bit_kernels.items_seen(self.only_bits.won, self.only_bits.lost, self.n)
        else:
            seen = kernels.items_seen(*self.list(), self.n)
        return seen

    def triplets(self) -> tuple[PairIds, PairIds]:
        """A list of the answers about two pairs that share an item, of a set without a list."""
        bits = self.bits()
        triplets: tuple[PairIds, PairIds] = bit_kernels.read_triplets(bits.won, bits.lost, self.n)
        return triplets


def compile_both_ways() -> None:
    """Compile all that is told by a list, in order or not, or by bits: the answers decide which."""
    no_pairs = np.empty(0, np.uint32)
    no_pairs.flags.writeable = False
    listed = Held(2, no_pairs, no_pairs)
    kernels.merge_keys(*listed.distinct_keys())
    listed.items_seen()
    held = Held.of_bits(2, mirrored(np.zeros(shape_of_sides(2), np.uint64)))
    held.triplets()
    held.items_seen()
    held.list()
