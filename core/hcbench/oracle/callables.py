"""Oracles of callables: a person, a model, another system."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hcbench.errors import InvalidQuestionError
from hcbench.oracle.answers import Answers, Code, Questions
from hcbench.oracle.kinds import QUERY_KINDS
from hcbench.oracle.oracle import Oracle


def ask_oracle(
    kind: str,
    function: Callable[..., Any],
    /,
    *,
    n: int,
    arity: int | None = None,
    budget: int | None = None,
    vectorized: bool = False,
) -> Oracle:
    """Make an oracle that counts the calls of a function: a person, a model, another system.

    Parameters
    ----------
    kind : str
        ``"quadruplet-queries"``, ``"ordinal-queries"``, ``"pair-queries"`` or a kind of your own.
    function : callable
        ``f(i, j, k, l) -> bool`` (is w_ij > w_kl? or 1, -1, and 0 for a tie), ``f(i, j, k) ->
        0, 1, 2`` (the position of the odd one out), ``f(i, j) -> bool`` (do they belong
        together?).
    n : int
        Number of items.
    arity : int, optional
        Number of items in a query, for a kind of your own.
    budget : int, optional
        The largest number of queries.
    vectorized : bool
        Whether the function takes arrays, one entry for each query.

    Returns
    -------
    Oracle
        Its ``ledger`` has the counts.
    """
    known = QUERY_KINDS.get(kind)
    items = arity or (known.arity if known else None)
    if items is None:
        raise InvalidQuestionError(
            f"say the arity of {kind!r}; known kinds: {', '.join(QUERY_KINDS)}"
        )

    def answer(questions: Questions, _keys: object, _times: object) -> Code:
        if vectorized:
            codes = np.asarray(function(*questions.T))
        else:
            answers = [function(*(int(i) for i in row)) for row in questions]
            if items == 4:  # one by one: beside an UNSURE, numpy would make False a tie
                answers = [_sign(answer) for answer in answers]
            codes = np.array(answers)
        if codes.shape != (len(questions),):
            raise InvalidQuestionError(
                f"{len(questions)} questions were answered by an array of shape {codes.shape}"
            )
        if codes.size and codes.dtype.kind not in "biu":
            raise InvalidQuestionError(
                f"{kind} were answered by {codes[0]!r}; answer with True or False, or the codes of "
                "Oracle.ask"
            )
        if items == 4 and codes.dtype == bool:
            return np.where(codes, 1, -1).astype(np.int8)
        return codes.astype(np.int8)

    return Oracle(Answers(kind=kind, n=n, arity=items, answer=answer), budget=budget)


def _sign(answer: Any) -> Any:
    """A yes or no to a quadruplet as 1 or -1; other codes as they are."""
    return (1 if answer else -1) if isinstance(answer, bool | np.bool_) else answer
