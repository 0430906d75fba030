"""4K-AL from active comparisons of pairs that contain landmarks with reference pairs."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hcbench import Given, ModelWarning, Oracle, ParameterError, Tree
from hcbench.model import pair_items
from hcbench_quadruplets import _quadruplet_kernels as kernels
from hcbench_quadruplets.landmarks import References, compared_with, draw_landmarks, few_bytes
from hcbench_quadruplets.linkage import tree_by_mean

DEFAULT_P = 0.1
DEFAULT_COUNT = 1_000_000
BLOCK = 1 << 20
"""Number of signs in a block, so the maximum number of queries: for up to 256 items 8 MB."""


def four_k_al_act(
    oracle: Oracle,
    given: Given,
    rng: np.random.Generator,
    *,
    references: int | None = None,
    p: float | None = None,
    landmarks: Literal["shared", "fresh"] = "shared",
    q: float | None = None,
    kernel: Literal["paper", "code"] = "paper",
) -> Tree:
    """Average linkage on the active quadruplets kernel.

    Equation 2 of Ghoshdastidar, Perrot & von Luxburg 2019: with sign(ik, r) = 1 if w_ik > w_r, -1
    if w_ik < w_r, 0 if they are tied or the same pair,

        K_ij = sum over references r and landmarks k != i, j of sign(ik, r) sign(jk, r).

    Reference pairs are drawn without replacement; every item is a landmark with probability q.

    Parameters
    ----------
    oracle : Oracle
        Of kind quadruplet-queries. A budget limits the number of references.
    references : int, optional
        Number of reference pairs.
    p : float, optional
        Instead: as many references as take at most this proportion of all M(M-1)/2 comparisons of
        the M = n(n-1)/2 pairs, but at least one. With neither, 0.1, or 1,000,000 comparisons if
        that is fewer.
    landmarks : {"shared", "fresh"}
        Whether all references share one set of landmarks, or each has its own.
    q : float, optional
        By default ln(n) / n.
    kernel : {"paper", "code"}
        "code" is the computation of the authors' program: all items are landmarks, and k runs over
        i and j as well, where an item counts as more similar to itself than any pair.

    Returns
    -------
    Tree
        Kind ORDER; ``linkage`` is the mean of K over the two clusters of each merge. K is of
        integers, and ties are exact: see `merge_by_mean`.

    Raises
    ------
    ParameterError
        If parameters exclude each other.
    BudgetExceededError
        If the budget does not allow one reference.

    Warns
    -----
    ModelWarning
        If there are fewer pairs than requested references, or no landmark is ever drawn.

    Notes
    -----
    No query depends on an answer; they are asked in blocks of at most `BLOCK`, each a round.
    With shared landmarks no query is asked twice; with fresh ones two references may be compared
    with each other twice. O(n^2 |S|) time for each reference, 16 n^2 bytes, and with shared
    landmarks t^2 bytes for the t references that touch one.
    """
    if references is not None and p is not None:
        raise ParameterError("4K-AL-act takes references or p, not both")
    if kernel == "code" and (q is not None or landmarks == "fresh"):
        raise ParameterError(
            "4K-AL-act[kernel=code] uses all items as landmarks; remove q and landmarks"
        )
    if given.n == 1:
        return tree_by_mean(np.zeros((1, 1), np.int64), given.names)
    chance = 1.0 if kernel == "code" else np.log(given.n) / given.n if q is None else q
    plan = _planned(oracle, given.n, references, p, chance, landmarks == "fresh", rng)
    similarity = np.zeros((given.n, given.n), np.int64)
    pairs = given.n * (given.n - 1) // 2
    work = np.empty((4, max(BLOCK, pairs)), few_bytes(given.n))
    for block in _blocks(plan):
        signs = _query(oracle, block, work, own=kernel == "code")
        kernels.add_products(*bits_of_signs(signs), similarity)
    return tree_by_mean(similarity, given.names)


def _planned(
    oracle: Oracle,
    n: int,
    references: int | None,
    p: float | None,
    q: float,
    fresh: bool,
    rng: np.random.Generator,
) -> Iterator[References]:
    """The references, in order, within the remaining budget."""
    n_pairs = n * (n - 1) // 2
    left = oracle.ledger.left
    most = None if references is not None else _wanted(n_pairs, p)
    if left is not None:
        most = left if most is None else min(most, left)
    drawn = pair_items(rng.permutation(n_pairs)[:references], n)
    i, j = (items.astype(few_bytes(n)) for items in drawn)
    together = 1 if fresh else i.size
    planned = touched = 0
    for start in range(0, i.size, together):
        landmarks = draw_landmarks(n, q, rng)
        these = slice(start, start + together)
        at = landmarks.find(i[these], j[these])
        total = planned + np.cumsum(_new_questions(at, landmarks.i.size))
        fits = total <= (total[-1] if most is None else most)
        fits[0] |= start == 0
        taken = int(np.count_nonzero(fits))
        if taken:
            planned = int(total[taken - 1])
            touched += taken * landmarks.i.size
            yield compared_with(landmarks, i[these][:taken], j[these][:taken], at[:taken])
        if taken < at.size:
            break
    else:
        if references is None or references > n_pairs:
            _note_the_cap(n_pairs, references, p, planned, left)
    if not touched:
        warnings.warn(
            f"no item was drawn as a landmark with q={q:.3g}: the tree is arbitrary",
            ModelWarning,
            stacklevel=2,
        )


def _new_questions(at: NDArray[np.int64], m: int) -> NDArray[np.int64]:
    """The number of queries for each reference (r,), given its position among the m pairs."""
    return m - np.where(at >= 0, np.cumsum(at >= 0), 0)


def _wanted(n_pairs: int, p: float | None) -> int:
    total = n_pairs * (n_pairs - 1) // 2
    return min(int(DEFAULT_P * total), DEFAULT_COUNT) if p is None else int(p * total)


def _note_the_cap(
    n_pairs: int, references: int | None, p: float | None, planned: int, left: int | None
) -> None:
    """Warn that there are fewer pairs than requested references."""
    if references is not None:
        wanted = f"references={references}"
    else:
        count = _wanted(n_pairs, p)
        if planned >= count or (left is not None and left < count):
            return
        wanted = f"{'the default' if p is None else f'p={p:g}'}, {count} comparisons,"
    warnings.warn(
        f"{wanted} would take more reference pairs than the {n_pairs} that exist: all of them were "
        f"used, {planned} comparisons",
        ModelWarning,
        stacklevel=3,
    )


def _blocks(plan: Iterable[References]) -> Iterator[list[tuple[References, slice]]]:
    """Parts of the references with at most `BLOCK` signs, or else one reference."""
    block: list[tuple[References, slice]] = []
    signs = 0  # those known from earlier references need memory, too
    for references in plan:
        r, m = references.at.size, references.landmarks.i.size
        most = max(1, BLOCK // m) if m else r
        for start in range(0, r, most):
            part = slice(start, min(start + most, r))
            if block and signs + (part.stop - start) * m > BLOCK:
                yield block
                block, signs = [], 0
            block.append((references, part))
            signs += (part.stop - start) * m
    if block:
        yield block


def _query(
    oracle: Oracle, block: list[tuple[References, slice]], work: NDArray[Any], *, own: bool
) -> NDArray[np.int8]:
    """Signs (n, columns) of a block; the queries are written into ``work`` (4, any)."""
    ends = [0]
    for references, part in block:
        ends.append(ends[-1] + references.ask_about(part, work[:, ends[-1] :]))
    codes = oracle.ask(work[:, : ends[-1]].T)
    signs = [
        references.signs(part, codes[start:end], own=own)
        for (references, part), (start, end) in zip(block, pairwise(ends), strict=True)
    ]
    return signs[0] if len(signs) == 1 else np.concatenate(signs, axis=1)


def bits_of_signs(signs: NDArray[np.int8]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Where signs (n, columns) are not 0, and where they are -1: a bit each, (n, words).

    The signs are overwritten.
    """
    n, columns = signs.shape
    bits = np.zeros((2, n, -(-columns // 64) * 8), np.uint8)
    bits[0, :, : -(-columns // 8)] = np.packbits(signs, axis=1)
    signs >>= 7
    bits[1, :, : -(-columns // 8)] = np.packbits(signs, axis=1)
    present, minus = bits.view(np.uint64)
    return present, minus
