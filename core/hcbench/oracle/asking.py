"""Oracles made of functions: a person, a model or another system that answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hcbench.errors import InvalidQueryError
from hcbench.model.arguments import whole_number
from hcbench.model.cost import Budget
from hcbench.oracle.answers import QUERY_KINDS, Answers, Code, QueryKind
from hcbench.oracle.oracle import Oracle
from hcbench.oracle.requests import AnswerRequest


def ask_oracle(
    kind: str | QueryKind,
    function: Callable[..., Any],
    /,
    *,
    n: int,
    arity: int | None = None,
    budget: Budget | None = None,
    vectorized: bool = False,
) -> Oracle:
    """Make an oracle that counts the calls of a function: a person, a model, another system.

    Parameters
    ----------
    kind : str or QueryKind
        ``"quadruplet-queries"``, ``"ordinal-queries"``, ``"pair-queries"``, ``"rating-queries"`` or
        a kind of your own.
    function : callable
        ``f(i, j, k, l) -> bool`` (is w_ij > w_kl? or 1, -1, and 0 for a tie), ``f(i, j, k) ->
        0, 1, 2`` (the position of the odd one out), ``f(i, j) -> bool`` (do they belong
        together?), ``f(i, j) -> float`` (how alike are they, from 0 to 9?).
    n : int
        Number of items.
    arity : int, optional
        Number of items in a query, for a kind of your own that is no `QueryKind`.
    budget : int, optional
        The largest number of queries.
    vectorized : bool
        Whether the function takes arrays, one entry for each query.

    Returns
    -------
    Oracle
        An oracle whose ``ledger`` has the counts.

    Raises
    ------
    InvalidQueryError
        If the kind is unknown and there is no arity.

    Examples
    --------
    >>> def are_near(i, j):
    ...     return abs(i - j) <= 1
    >>> oracle = ask_oracle("pair-queries", are_near, n=4, budget=5)
    >>> oracle.ask([[0, 1], [0, 3]]).tolist()
    [1, 0]
    >>> oracle.ledger.queries, oracle.ledger.left
    (2, 3)
    """
    if isinstance(kind, QueryKind):
        name = kind.name
        query_kind: QueryKind | None = kind
    else:
        name = kind
        query_kind = QUERY_KINDS.get(kind)
    if not arity and query_kind is not None:
        arity = query_kind.arity
    if not arity:
        raise InvalidQueryError(f"say the arity of {kind!r}; known kinds: {', '.join(QUERY_KINDS)}")
    are_quadruplets = arity == 4

    def answer(request: AnswerRequest) -> Code:
        queries = request.queries
        if vectorized:
            return np.asarray(function(*queries.T))
        codes = []
        for row in queries.tolist():
            code = function(*row)
            # One by one: beside an UNSURE, numpy would make False a tie.
            if are_quadruplets:
                code = _sign(code)
            codes.append(code)
        return np.array(codes)

    n = whole_number(n, "n", least=1)
    answers = Answers(kind=name, n=n, arity=arity, query_kind=query_kind, answer=answer)
    return Oracle(answers, budget=budget)


def _sign(answer: Any) -> Any:
    """A yes or no to a quadruplet as 1 or -1; other codes as they are."""
    if not isinstance(answer, bool | np.bool_):
        return answer
    if answer:
        return 1
    return -1
