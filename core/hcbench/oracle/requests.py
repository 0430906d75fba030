"""What an oracle is asked for, and its answers: one argument each, which can grow.

A function whose first argument is called ``request`` gets one. Functions of an earlier form still
work in this minor release, and a note with their results says so.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import ModelWarning

if TYPE_CHECKING:
    from hcbench.model.problem import Problem

#: The name of the first argument by which a function gets a request.
_NAME = "request"


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleRequest:
    """What an oracle is asked for: ``function(request, **params) -> Answers``.

    Attributes
    ----------
    problem : Problem
        The items that it answers about.
    seed : int
        From which its noise follows, and samples that it draws.
    budget : int or None
        The most queries that the algorithm may make; None if there is no limit.

    Examples
    --------
    >>> def exact(request):
    ...     labels = request.problem.levels[:, -1]
    ...     def answer(request):
    ...         i, j = request.queries.T
    ...         return (labels[i] == labels[j]).astype(np.int8)
    ...     return hcbench.Answers(kind="pair-queries", n=len(labels), arity=2, answer=answer)
    >>> problem = hcbench.Problem(n=3, levels=[[0], [0], [1]])
    >>> oracle = hcbench.Oracle(exact(OracleRequest(problem=problem, seed=0)))
    >>> oracle.ask([[0, 1], [0, 2]]).tolist()
    [1, 0]
    """

    problem: Problem
    seed: int
    budget: int | None = None


@dataclass(frozen=True, slots=True)
class AnswerRequest:
    """Queries to be answered: ``Answers.answer(request) -> codes``.

    Attributes
    ----------
    queries : (m, arity) array of int64
        The items of each query.
    keys : (m,) array of uint64
        They identify the queries, whatever the order of their items.
    times : (m,) array of int64
        How often each query was made before.

    Examples
    --------
    >>> age = np.array([3, 4, 40, 41])
    >>> def are_of_one_generation(request):
    ...     i, j = request.queries.T
    ...     return (abs(age[i] - age[j]) < 20).astype(np.int8)
    >>> answers = hcbench.Answers(kind="pair-queries", n=4, arity=2, answer=are_of_one_generation)
    >>> hcbench.Oracle(answers).ask([[0, 1], [1, 2]]).tolist()
    [1, 0]
    """

    queries: NDArray[np.int64]
    keys: NDArray[np.uint64]
    times: NDArray[np.int64]


#: ``function(request)``, or ``function(queries, keys, times)`` in this minor release.
Answering: TypeAlias = Callable[..., Any]


def takes_request(function: Callable[..., Any]) -> bool:
    """Whether the first argument of a function is called ``request``, or ``_request``."""
    first_name = next(iter(_parameters(function)), "")
    return first_name.lstrip("_") == _NAME


def answers_request(function: Answering) -> bool:
    """Whether a function answers an `AnswerRequest`.

    Its argument may have any name: functions of the earlier form have three.
    """
    if takes_request(function):
        return True
    kinds = [parameter.kind for parameter in _parameters(function).values()]
    one = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.POSITIONAL_ONLY
    return len(kinds) == 1 and kinds[0] in one


def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(function).parameters
    except ValueError:
        # Some functions that are written in C have no signature.
        return {}


def as_taking_request(function: Answering) -> Answering:
    """A function that answers an `AnswerRequest`, whatever the form of the one given."""
    if answers_request(function):
        return function

    def answer(request: AnswerRequest) -> Any:
        return function(request.queries, request.keys, request.times)

    return answer


def warn_of_arguments(function: Callable[..., Any], request: type) -> None:
    """Tell that a function has another form than the next minor release calls."""
    name = getattr(function, "__qualname__", type(function).__qualname__)
    warnings.warn(
        f"{name} has no argument 'request': the next minor release of hcbench calls it with one "
        f"{request.__name__} instead of several arguments (hcbench check tells more)",
        ModelWarning,
        stacklevel=3,
    )
