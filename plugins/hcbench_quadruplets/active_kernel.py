"""4K-AL from active comparisons of pairs that contain landmarks with reference pairs."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hcbench import Items, ModelWarning, Oracle, ParameterError, Tree
from hcbench.model import pair_items
from hcbench_quadruplets._active_product_kernels import add_products
from hcbench_quadruplets.landmarks import (
    References,
    draw_landmarks,
    few_bytes,
    sorted_references,
)
from hcbench_quadruplets.linkage import tree_by_mean

DEFAULT_P = 0.1
DEFAULT_COUNT = 1_000_000
BLOCK = 1 << 20
"""Number of signs in a block, so the maximum number of queries: for up to 256 items 8 MB."""


def four_k_al_act(
    oracle: Oracle,
    items: Items,
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
    if items.n == 1:
        return tree_by_mean(np.zeros((1, 1), np.int64), items.names)
    if kernel == "code":
        q = 1.0
    elif q is None:
        q = float(np.log(items.n) / items.n)
    plan = _planned(oracle, items.n, references, p, q, landmarks == "fresh", rng)
    similarity = np.zeros((items.n, items.n), np.int64)
    pairs = items.n * (items.n - 1) // 2
    work = np.empty((4, max(BLOCK, pairs)), few_bytes(items.n))
    for block in _blocks(plan):
        signs = _query(oracle, block, work, with_itself=kernel == "code")
        present, minus = bits_of_signs(signs)
        add_products(present, minus, similarity)
    return tree_by_mean(similarity, items.names)


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
    # Read before any query is asked, as queries reduce it.
    budget = oracle.ledger.left
    limit = _most_queries(budget, n_pairs, references, p)
    i, j = pair_items(rng.permutation(n_pairs)[:references], n)
    i = i.astype(few_bytes(n))
    j = j.astype(few_bytes(n))
    # References with landmarks of their own are planned one at a time, since these are drawn then.
    group_size = i.size
    if fresh:
        group_size = 1
    n_queries = 0
    has_landmarks = False
    is_cut = False
    for start in range(0, i.size, group_size):
        landmarks = draw_landmarks(n, q, rng)
        group_i = i[start : start + group_size]
        group_j = j[start : start + group_size]
        position = landmarks.find(group_i, group_j)
        # How many references of the group are within the limit: the first one of all is, always.
        total = n_queries + np.cumsum(_new_questions(position, landmarks.n_pairs))
        count = total.size
        if limit is not None:
            count = int(np.count_nonzero(total <= limit))
        if start == 0:
            count = max(count, 1)
        if count > 0:
            n_queries = int(total[count - 1])
            if landmarks.n_pairs > 0:
                has_landmarks = True
            yield sorted_references(landmarks, group_i[:count], group_j[:count], position[:count])
        if count < position.size:
            is_cut = True
            break
    if not is_cut and (references is None or references > n_pairs):
        _note_the_cap(n_pairs, references, p, n_queries, budget)
    if not has_landmarks:
        warnings.warn(
            f"no item was drawn as a landmark with q={q:.3g}: the tree is arbitrary",
            ModelWarning,
            stacklevel=2,
        )


def _most_queries(
    budget: int | None, n_pairs: int, references: int | None, p: float | None
) -> int | None:
    """The largest number of comparisons; None if only ``references`` limits them."""
    limit = None
    if references is None:
        limit = _comparisons_of(n_pairs, p)
    if budget is None:
        return limit
    if limit is None:
        return budget
    return min(limit, budget)


def _new_questions(position: NDArray[np.int64], m: int) -> NDArray[np.int64]:
    """The number of queries for each reference (r,), given its position among the m pairs."""
    # A touching reference is not compared with itself, nor with the touching ones before it.
    touches = position >= 0
    return m - np.where(touches, np.cumsum(touches), 0)


def _comparisons_of(n_pairs: int, p: float | None) -> int:
    """The number of comparisons that the parameter p, or its default, allows."""
    total = n_pairs * (n_pairs - 1) // 2
    if p is None:
        return min(int(DEFAULT_P * total), DEFAULT_COUNT)
    return int(p * total)


def _note_the_cap(
    n_pairs: int, references: int | None, p: float | None, n_queries: int, budget: int | None
) -> None:
    """Warn that there are fewer pairs than requested references."""
    if references is not None:
        request = f"references={references}"
    else:
        requested = _comparisons_of(n_pairs, p)
        if n_queries >= requested:
            return
        if budget is not None and budget < requested:
            return  # the budget was too small, too
        parameter = "the default"
        if p is not None:
            parameter = f"p={p:g}"
        request = f"{parameter}, {requested} comparisons,"
    warnings.warn(
        f"{request} would take more reference pairs than the {n_pairs} that exist: all of them "
        f"were used, {n_queries} comparisons",
        ModelWarning,
        stacklevel=3,
    )


class _Part(NamedTuple):
    """Some consecutive references of a group, of which a block consists."""

    references: References
    part: slice


def _blocks(plan: Iterable[References]) -> Iterator[list[_Part]]:
    """Parts of the references with at most `BLOCK` signs, or else one reference."""
    block: list[_Part] = []
    # Signs of the block, including those of earlier answers, which need memory, too.
    n_signs = 0
    for references in plan:
        n_references = references.position.size
        # Each reference is compared with the m pairs that contain a landmark.
        m = references.landmarks.n_pairs
        most = n_references
        if m > 0:
            most = max(1, BLOCK // m)
        for start in range(0, n_references, most):
            part = slice(start, min(start + most, n_references))
            n_new = (part.stop - start) * m
            if block and n_signs + n_new > BLOCK:
                yield block
                block = []
                n_signs = 0
            block.append(_Part(references, part))
            n_signs += n_new
    if block:
        yield block


def _query(
    oracle: Oracle, block: list[_Part], work: NDArray[Any], *, with_itself: bool
) -> NDArray[np.int8]:
    """Signs (n, columns) of a block; the queries are written into ``work`` (4, any)."""
    # All parts in one batch, since it is one round.
    ends = [0]
    for references, part in block:
        start = ends[-1]
        n_queries = references.ask_about(part, work[:, start:])
        ends.append(start + n_queries)
    codes = oracle.ask(work[:, : ends[-1]].T)
    signs = []
    for (references, part), (start, end) in zip(block, pairwise(ends), strict=True):
        signs.append(references.signs(part, codes[start:end], with_itself=with_itself))
    if len(signs) == 1:
        return signs[0]
    return np.concatenate(signs, axis=1)


def bits_of_signs(signs: NDArray[np.int8]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Where signs (n, columns) are not 0, and where they are -1: a bit each, (n, words).

    The signs are overwritten.
    """
    n, columns = signs.shape
    # Rounded up.
    n_bytes = -(-columns // 8)
    n_words = -(-columns // 64)
    bits = np.zeros((2, n, 8 * n_words), np.uint8)
    bits[0, :, :n_bytes] = np.packbits(signs, axis=1)
    # The highest bit of a signed byte is that of -1 only: 0 for 0 and 1.
    signs >>= 7
    bits[1, :, :n_bytes] = np.packbits(signs, axis=1)
    present, minus = bits.view(np.uint64)
    return present, minus
