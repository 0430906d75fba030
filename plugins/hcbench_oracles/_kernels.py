"""Compiled loops of the oracles. They trust their input."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.extending import register_jitable
from numpy.typing import NDArray

from hcbench.compiled import WITH_ITSELF, query_key, uniform

QUADRUPLET = 1  # two unordered pairs in either order: see hcbench.compiled.query_key
# Other random numbers than those that decide whether an answer is wrong.
WHO = np.uint64(0x5851F42D4C957F2D)  # which annotator answers a query
RATE = np.uint64(0x14057B7EF767814F)  # how often an annotator is wrong
# Entries of ``floats``.
TOLERANCE = 0  # similarities that differ by no more than this are tied
NOISE = 1
SCALE = 2
# Entries of ``ints``.
SEED = 0
ANNOTATORS = 1
PERSISTENT = 2  # 1 if a query is answered as if it were asked for the first time
HEADER = 3  # numbers, of ``ints`` or of ``floats``, before the data


@njit(cache=True)
def compare_pairs(
    w: NDArray[np.float64],
    tolerance: float,
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    closer: NDArray[np.uint32],
    farther: NDArray[np.uint32],
) -> int:
    """Answer which of the pairs a and b (m,) is more similar; return the number of answers. O(m).

    Parameters
    ----------
    w : (n(n-1)/2,) float64
        Similarities of the pairs.
    tolerance : float
        Similarities that differ by no more than this are tied: no answer.
    closer, farther : (m,) uint32, written from the start
    """
    ties = 0
    for at in range(a.size):
        # Unsigned numbers, as indices of which the sign need not be checked.
        first = np.uint64(a[at])
        second = np.uint64(b[at])
        difference = w[first] - w[second]
        closer[at] = np.uint32(first if difference > 0 else second)
        farther[at] = np.uint32(second if difference > 0 else first)
        ties += int(abs(difference) <= tolerance)
    if ties == 0:
        return a.size
    return drop_ties(w, tolerance, closer, farther)


@register_jitable
def drop_ties(
    w: NDArray[np.float64],
    tolerance: float,
    closer: NDArray[np.uint32],
    farther: NDArray[np.uint32],
) -> int:
    """Move the comparisons (m,) of untied pairs to the front; return their number. O(m)."""
    answered = 0
    for at in range(closer.size):
        first = closer[at]
        second = farther[at]
        # Written in any case: a branch that depends on an answer could not be predicted.
        closer[answered] = first
        farther[answered] = second
        answered += int(abs(w[first] - w[second]) > tolerance)
    return answered


@register_jitable
def annotator_of(seed: int, key: Any, time: Any, annotators: int) -> int:
    """The annotator who answers a query the (time + 1)-th time, drawn uniformly."""
    return int(uniform(seed, key ^ WHO, time) * annotators)


@njit(cache=True)
def error_rate(
    seed: int, noise: float, scale: float, annotators: int, who: int, margin: float
) -> Any:
    """Probability of a wrong answer.

    ``1 / (1 + exp(margin / scale))`` if scale > 0: one half at a tie. With annotators, the rate of
    annotator ``who``, drawn once from U[0, 2 noise]. Otherwise ``noise``.
    """
    if scale > 0:
        return 1.0 / (1.0 + np.exp(margin / scale))
    # The mean rate over the annotators is the noise.
    if annotators > 0:
        return 2.0 * noise * uniform(seed, RATE + np.uint64(who), 0)
    return noise


@njit(cache=True)
def flip_answers(
    seed: int,
    model: tuple[float, float, int],
    w: NDArray[np.float64],
    closer: NDArray[np.uint32],
    farther: NDArray[np.uint32],
    items: tuple[Any, Any, Any, Any],
    times: NDArray[np.int64],
    annotator: NDArray[np.int32],
    has_annotators: bool,
) -> None:
    """Reverse answers (m,), each with its `error_rate`. O(m).

    Whether an answer is reversed depends only on the seed, the query and how often it was asked
    before: see `hcbench.compiled.uniform`.

    Parameters
    ----------
    model : noise, scale, annotators
        Parameters of `error_rate`.
    w : (n(n-1)/2,) float64
        Similarities of the pairs; not read where scale is 0.
    items : i, j, k, l, (m,) each
        Items of ``closer`` and ``farther``.
    times : (m,) int64
        How often each query was asked before; empty if none was.
    annotator : (m,) int32, written
        Who answered; unchanged without annotators, or if the data have them.
    has_annotators : bool
        Whether the data have the annotators.
    """
    noise, scale, annotators = model
    i, j, k, l = items  # noqa: E741
    who = 0
    margin = 0.0
    time = 0
    for at in range(closer.size):
        key = query_key(QUADRUPLET, i[at], j[at], k[at], l[at])
        if times.size > 0:
            time = times[at]
        # The data name the annotator of each answer, or one is drawn.
        if annotators > 0:
            if not has_annotators:
                annotator[at] = annotator_of(seed, key, time, annotators)
            who = annotator[at]
        if scale > 0:
            margin = abs(w[closer[at]] - w[farther[at]])
        if uniform(seed, key, time) < error_rate(seed, noise, scale, annotators, who, margin):
            was_closer = closer[at]
            closer[at] = farther[at]
            farther[at] = was_closer


def row_starts(n: int) -> NDArray[np.int64]:
    """Offsets (n,): w_ij, j > i, is at offset[i] + j in the floats of `answer_quadruplet`."""
    i = np.arange(n)
    return i * (2 * n - i - 1) // 2 - i - 1 + HEADER


@njit(cache=True)
def _place(ints: Any, i: Any, j: Any) -> Any:
    """Index of w_ij, unsigned to avoid the check for negative indices."""
    return np.uint64(ints[np.uint64(HEADER + min(i, j))] + max(i, j))


@register_jitable
def _difference(floats: Any, ints: Any, i: Any, j: Any, k: Any, l: Any) -> Any:  # noqa: E741
    """w_ij - w_kl."""
    return floats[_place(ints, i, j)] - floats[_place(ints, k, l)]


@njit(cache=True)
def compare_exactly(
    floats: Any,
    ints: Any,
    i: Any,
    j: Any,
    k: Any,
    l: Any,  # noqa: E741
    _key: Any,
    _time: Any,
) -> Any:
    """The answer of `answer_quadruplet` without noise, computed without branches."""
    difference = _difference(floats, ints, i, j, k, l)
    tolerance = floats[TOLERANCE]
    sign = np.int64(difference > tolerance) - np.int64(difference < -tolerance)
    # Selected, not jumped to: the sign is computed in any case.
    return WITH_ITSELF if (i == j) | (k == l) else sign


@njit(cache=True)
def answer_quadruplet(
    floats: Any,
    ints: Any,
    i: Any,
    j: Any,
    k: Any,
    l: Any,  # noqa: E741
    key: Any,
    time: Any,
) -> Any:
    """1 if w_ij > w_kl, -1 if w_ij < w_kl (reversed if wrong), 0 if they are tied.

    `WITH_ITSELF` if an item is paired with itself.

    Parameters
    ----------
    floats : float64 array
        The header; then the similarities (n(n-1)/2,) in condensed order.
    ints : int64 array
        The header; then the `row_starts`.
    """
    if i == j or k == l:
        return WITH_ITSELF
    seed = ints[SEED]
    annotators = ints[ANNOTATORS]
    difference = _difference(floats, ints, i, j, k, l)
    margin = abs(difference)
    if margin <= floats[TOLERANCE]:
        return 0
    answer = 1 if difference > 0 else -1
    repetition = 0 if ints[PERSISTENT] == 1 else time
    who = 0
    if annotators > 0:
        who = annotator_of(seed, key, repetition, annotators)
    rate = error_rate(seed, floats[NOISE], floats[SCALE], annotators, who, margin)
    if uniform(seed, key, repetition) < rate:
        return -answer
    return answer


@njit(cache=True)
def triplet_items(
    positions: NDArray[np.int64], j: NDArray[np.int64], k: NDArray[np.int64], per_item: int
) -> NDArray[np.int64]:
    """The item i of each of the numbered triplets (m,). O(m).

    Triplets are numbered by i, then by the pair of the n-1 other items, of which j and k (m,) hold
    the positions; these are turned into items.
    """
    i = np.empty(positions.size, np.int64)
    for at in range(positions.size):
        i[at] = positions[at] // per_item
        # Positions among the other items: those from i on are of the next item.
        j[at] += j[at] >= i[at]
        k[at] += k[at] >= i[at]
    return i
