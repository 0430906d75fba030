"""The noise model of passive and active comparisons."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hcbench import ParameterError
from hcbench.model import pair_items
from hcbench_oracles import _kernels

_STEP = 1 << 16  # answers at a time: a few arrays of this length stay in the cache


@dataclass(frozen=True, slots=True)
class Noise:
    """The noise of answers, which depends only on seed, query and number of earlier repetitions.

    Parameters
    ----------
    seed : int
    noise : float
        Rate of wrong answers, in [0, 0.5).
    scale : float
        If positive, the probability of a wrong answer is 1 / (1 + exp(|w1 - w2| / scale)), with
        scale in the unit of the similarities.
    annotators : int
        If positive, the number of annotators. A random one answers each query, with an error rate
        drawn from U[0, 2 noise]. If the data name their annotators, these are used instead.

    Raises
    ------
    ParameterError
        If a value is out of range, or two models are mixed.
    """

    seed: int
    noise: float = 0.0
    scale: float = 0.0
    annotators: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.noise < 0.5:
            raise ParameterError(f"noise must be in [0, 0.5), got {self.noise}")
        if not 0 <= self.scale < np.inf:
            raise ParameterError(f"scale must be in [0, inf), got {self.scale}")
        if not 0 <= self.annotators < 2**31:
            raise ParameterError(f"annotators must be in [0, 2^31), got {self.annotators}")
        if self.scale and (self.noise or self.annotators):
            raise ParameterError("scale excludes noise and annotators; use only one noise model")

    @property
    def is_noiseless(self) -> bool:
        """Whether no answer is ever wrong."""
        return self.noise == 0 and self.scale == 0

    def flip_wrong(
        self,
        n: int,
        closer: NDArray[np.uint32],
        farther: NDArray[np.uint32],
        w: NDArray[np.float64] | None,
        known: NDArray[np.int32] | None = None,
    ) -> NDArray[np.int32] | None:
        """Swap closer and farther (m,) of wrong answers; return the annotators. O(m).

        Parameters
        ----------
        n : int
            Number of items.
        closer, farther : (m,) uint32 arrays
            Changed in place.
        w : (n(n-1)/2,) array, optional
            Similarities of the pairs. Without them the answers come from the data, which may repeat
            a query; each repetition is wrong independently.
        known : (m,) int32 array, optional
            The annotator of each answer, if the data contain them.

        Raises
        ------
        ParameterError
            If the similarities are needed but not known.
        """
        if self.scale and w is None:
            raise ParameterError(
                "scale needs similarities, and the data have only comparisons; use noise"
            )
        if self.is_noiseless and (known is not None or not self.annotators):
            return known
        pairs = np.empty(0) if w is None else w
        times = times_asked(closer, farther) if w is None else np.empty(0, np.int64)
        who = np.zeros(closer.size if self.annotators else 0, np.int32)
        if known is not None and self.annotators:
            who[:] = known
        model = (float(self.noise), float(self.scale), self.annotators)
        for start in range(0, closer.size, _STEP):
            part = slice(start, start + _STEP)
            one, two = closer[part], farther[part]
            items = (*pair_items(one, n), *pair_items(two, n))
            _kernels.flip_answers(
                self.seed, model, pairs, one, two, items, times[part], who[part], known is not None
            )
        return who if self.annotators else known


def times_asked(closer: NDArray[np.uint32], farther: NDArray[np.uint32]) -> NDArray[np.int64]:
    """How often each query (m,) is asked before, with any answer. O(m log m) time."""
    low, high = np.minimum(closer, farther), np.maximum(closer, farther)
    question = low.astype(np.uint64) << np.uint64(32) | high
    order = np.argsort(question, kind="stable")
    of_it = question[order]
    at = np.arange(order.size)
    first = np.append(True, of_it[1:] != of_it[:-1])[: order.size]
    times = np.empty(order.size, np.int64)
    times[order] = at - np.maximum.accumulate(np.where(first, at, 0))
    return times
