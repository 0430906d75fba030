"""The noise model of passive and active comparisons."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hcbench import ParameterError
from hcbench.model import pair_items
from hcbench_oracles import _kernels

_ANSWERS_AT_A_TIME = 1 << 16  # a few arrays of this length stay in the cache


@dataclass(frozen=True, slots=True)
class Noise:
    """The noise of answers, which depends only on seed, query and number of earlier repetitions.

    Parameters
    ----------
    seed : int
        Seed of the random numbers that decide which answers are wrong.
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
        data_annotators: NDArray[np.int32] | None = None,
    ) -> NDArray[np.int32] | None:
        """Swap closer and farther (m,) of wrong answers; return the annotators. O(m).

        Parameters
        ----------
        n : int
            Number of items.
        closer, farther : (m,) uint32 arrays
            The pairs of each answer, which are changed in place.
        w : (n(n-1)/2,) array, optional
            Similarities of the pairs. Without them the answers come from the data, which may repeat
            a query; each repetition is wrong independently.
        data_annotators : (m,) int32 array, optional
            The annotator of each answer, if the data contain them.

        Returns
        -------
        (m,) int32 array, optional
            The annotator of each answer; None if there are none.

        Raises
        ------
        ParameterError
            If the similarities are needed, and there are none.
        """
        if self.scale and w is None:
            raise ParameterError(
                "scale needs similarities, and the data have only comparisons; use noise"
            )
        if self.is_noiseless and not self.annotators:
            return data_annotators
        if self.is_noiseless and data_annotators is not None:
            return data_annotators
        pairs = np.empty(0)
        times = np.empty(0, np.int64)
        if w is None:
            # The answers come from the data, which may repeat a query.
            times = times_asked(closer, farther)
        else:
            pairs = w
        annotator = np.empty(0, np.int32)
        if self.annotators:
            annotator = np.zeros(closer.size, np.int32)
        has_annotators = data_annotators is not None
        if data_annotators is not None and self.annotators:
            annotator[:] = data_annotators
        model = (float(self.noise), float(self.scale), self.annotators)
        # Answers are changed in the arrays of the caller.
        for start in range(0, closer.size, _ANSWERS_AT_A_TIME):
            part = slice(start, start + _ANSWERS_AT_A_TIME)
            i, j = pair_items(closer[part], n)
            k, l = pair_items(farther[part], n)  # noqa: E741
            _kernels.flip_answers(
                self.seed,
                model,
                pairs,
                closer[part],
                farther[part],
                (i, j, k, l),
                times[part],
                annotator[part],
                has_annotators,
            )
        if self.annotators:
            return annotator
        return data_annotators


def times_asked(closer: NDArray[np.uint32], farther: NDArray[np.uint32]) -> NDArray[np.int64]:
    """How often each query (m,) is asked before, with any answer. O(m log m) time."""
    low = np.minimum(closer, farther)
    high = np.maximum(closer, farther)
    query = low.astype(np.uint64) << np.uint64(32) | high
    # Equal queries in a row, in the order in which they are asked.
    order = np.argsort(query, kind="stable")
    sorted_queries = query[order]
    position = np.arange(order.size)
    is_first = np.append(True, sorted_queries[1:] != sorted_queries[:-1])[: order.size]
    first_position = np.maximum.accumulate(np.where(is_first, position, 0))
    times = np.empty(order.size, np.int64)
    times[order] = position - first_position
    return times
