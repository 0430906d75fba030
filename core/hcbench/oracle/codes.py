"""The codes of answers: whether they are of their kind, and which of them are no answers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import InvalidAnswerError
from hcbench.oracle.answers import UNSURE, Code, QueryKind

#: The codes of a kind that hcbench does not know: any of 8 bits.
_ANY = (-128, 127)


def are_unsure(codes: Code) -> NDArray[np.bool_]:
    """Which answers (m,) are UNSURE, or NaN among numbers."""
    if codes.dtype.kind == "f":
        return np.isnan(codes)
    unsure: NDArray[np.bool_] = codes == UNSURE
    return unsure


def valid_codes(
    codes: NDArray[Any], rows: NDArray[np.integer[Any]], kind_name: str, kind: QueryKind | None
) -> Code:
    """The codes (m,) of answers, if they are of the kind. O(m), in vector instructions.

    Parameters
    ----------
    codes : (m,) array
        What the oracle has answered.
    rows : (m, arity) int array
        The queries, for messages.
    kind_name : str
        The kind of oracle.
    kind : QueryKind, optional
        The kind of queries, if it is known.

    Returns
    -------
    (m,) int8 array, or float64 for kinds with a scale
        True and False of quadruplets as 1 and -1, and UNSURE among numbers as NaN.

    Raises
    ------
    InvalidAnswerError
        If one is none of the codes of this kind, or outside of the scale.
    """
    if kind is not None and kind.scale:
        return _valid_numbers(codes, rows, kind_name, kind.scale)
    possible = list(_ANY)
    if kind is not None:
        possible = [choice.code for choice in kind.offered(neither=True)]
    if kind_name == "pair-queries":
        possible.append(-1)  # apart, as Gentile et al. write it
    if codes.dtype == bool and kind_name == "quadruplet-queries":
        codes = np.where(codes, 1, -1)
    is_wrong = _are_outside(codes, min(possible), max(possible))
    if is_wrong.any():
        at = int(is_wrong.argmax())
        options = " or ".join(map(str, sorted(possible)))
        raise InvalidAnswerError(
            f"{kind_name}: {rows[at].tolist()} was answered by {codes.tolist()[at]!r}; answer "
            f"with {options}, or UNSURE ({UNSURE})"
        )
    return codes.astype(np.int8, copy=False)


def _are_outside(codes: NDArray[Any], low: int, high: int) -> NDArray[np.bool_]:
    """Which codes are neither whole numbers from low to high nor UNSURE; empty if none is."""
    if codes.size == 0:
        return np.zeros(0, np.bool_)
    if codes.dtype.kind not in "biuf":
        return np.ones(codes.shape, np.bool_)
    if codes.dtype.kind != "f" and codes.min() >= low and codes.max() <= high:
        return np.zeros(0, np.bool_)  # as nearly always
    is_wrong: NDArray[np.bool_] = ((codes < low) | (codes > high)) & (codes != UNSURE)
    if codes.dtype.kind == "f":
        is_wrong |= codes != np.rint(codes)
    return is_wrong


def _valid_numbers(
    answers: NDArray[Any],
    rows: NDArray[np.integer[Any]],
    kind_name: str,
    scale: tuple[float, float],
) -> NDArray[np.float64]:
    """The answers (m,) as numbers in a range, or NaN, which UNSURE becomes."""
    low, high = scale
    numbers = np.full(answers.shape, np.inf)  # what is no number is outside
    if answers.dtype.kind in "iuf":
        numbers = answers.astype(np.float64)
        numbers[answers == UNSURE] = np.nan
    is_wrong = (numbers < low) | (numbers > high)
    if is_wrong.any():
        at = int(is_wrong.argmax())
        raise InvalidAnswerError(
            f"{kind_name}: {rows[at].tolist()} was answered by {answers.tolist()[at]!r}; answer "
            f"with a number from {low:g} to {high:g}, or NaN"
        )
    return numbers
