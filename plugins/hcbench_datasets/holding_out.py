"""Answers of a crowd in two parts: those that oracles give, and those that are held out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hcbench import Comparisons, DataError


def hold_out(
    comparisons: Comparisons, share: float, split: str | None, seed: int, where: str
) -> tuple[Comparisons, Comparisons]:
    """Divide comparisons at random into those that are used, and those that are held out.

    Parameters
    ----------
    comparisons : Comparisons
    share : float
        The share of the questions, or of the annotators, that is held out; at least one of them.
    split : {None, "comparisons", "annotators"}
        comparisons, or None: all answers to one question, about the same two pairs, are in one
        part.
        annotators: all answers of one annotator are in one part.
    seed : int
    where : str
        The file, for messages.

    Raises
    ------
    DataError
        If there are no annotators, or one part would be empty.
    """
    if split == "annotators":
        if comparisons.annotator is None:
            raise DataError(
                f"{where}: there is no column of annotators, such as worker; write "
                "split=comparisons"
            )
        groups: NDArray[np.int64] = comparisons.annotator.astype(np.int64)
        noun = "annotator"
    else:
        groups = _questions(comparisons)
        noun = "question"
    if len(np.unique(groups)) < 2:
        raise DataError(f"{where}: there is one {noun}; at least 2 are needed to hold one out")
    mask = mask_of_groups(groups, share, seed)
    return comparisons.select(~mask), comparisons.select(mask)


def mask_of_groups(groups: NDArray[np.int64], share: float, seed: int) -> NDArray[np.bool_]:
    """Which answers (m,) are held out: all of a share of the groups, at least of one.

    Parameters
    ----------
    groups : (m,) array
        A number for each answer; at least two differ.
    share : float
    seed : int
    """
    distinct, number = np.unique(groups, return_inverse=True)
    # At least one group in each part.
    n_held_out = min(max(round(share * len(distinct)), 1), len(distinct) - 1)
    order = np.random.default_rng(seed).permutation(len(distinct))
    is_held_out = np.zeros(len(distinct), dtype=np.bool_)
    is_held_out[order[:n_held_out]] = True
    mask: NDArray[np.bool_] = is_held_out[number]
    return mask


def _questions(comparisons: Comparisons) -> NDArray[np.int64]:
    """A number (m,) for each comparison, the same for both answers to one question."""
    closer = comparisons.closer.astype(np.int64)
    farther = comparisons.farther.astype(np.int64)
    n_pairs = comparisons.n * (comparisons.n - 1) // 2
    # At most 2^64: there are at most 92,682 items.
    smaller = np.minimum(closer, farther).astype(np.uint64)
    larger = np.maximum(closer, farther).astype(np.uint64)
    keys = smaller * np.uint64(n_pairs) + larger
    numbers: NDArray[np.int64] = np.unique(keys, return_inverse=True)[1]
    return numbers
