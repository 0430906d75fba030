"""People's answers: those that `hcbench ask` recorded, and those of whoever is at the terminal."""

from __future__ import annotations

import warnings
from functools import partial

from hcbench import (
    Answers,
    NewickWarning,
    NotApplicableError,
    Problem,
    RecordedAnswers,
    Tree,
    person_answers,
    read_tree,
)


def _recorded(
    kind: str, problem: Problem, _seed: int, _budget: int | None, *, file: str
) -> Answers:
    """Answer what a person has answered before, and nothing else.

    Items are matched by name, those without names by their numbers. The t-th time that a question
    is asked, it gets the t-th of the recorded answers to it, and after the last one the first.

    Raises
    ------
    DataError
        If the file cannot be read.
    NotApplicableError
        If its answers are to another kind of question, or about none of the items; by the oracle,
        if a question was never answered.
    """
    recorded = RecordedAnswers.read(file)
    if recorded.heading.kind != kind:
        raise NotApplicableError(f"{file} has answers to {recorded.heading.kind}, not to {kind}")
    return recorded.answers_about(_names(problem))


recorded_ordinal = partial(_recorded, "ordinal-queries")
recorded_quadruplet = partial(_recorded, "quadruplet-queries")
recorded_pair = partial(_recorded, "pair-queries")


def person(problem: Problem, _seed: int, _budget: int | None, *, answers: str) -> Answers:
    """Ask the person at the terminal which of three items is the odd one out.

    Raises
    ------
    DataError
        If the file cannot be read or written.
    NotApplicableError
        By the oracle, where the file has no answer and there is no terminal, as in a worker.
    """
    return person_answers("ordinal-queries", _names(problem), answers)


def _names(problem: Problem) -> tuple[str, ...]:
    return problem.names or tuple(map(str, range(problem.n)))


def recorded_items(
    _seed: int, *, path: str, truth: str | None = None, tree: str | None = None
) -> Problem:
    """The items of a file of answers, and nothing else unless files of trees tell it.

    Raises
    ------
    DataError
        If a file cannot be read, or the leaves of a tree are not the items.
    """
    names = RecordedAnswers.read(path).heading.items
    return Problem(
        n=len(names),
        names=names,
        truths={} if truth is None else {"newick": _read_tree(truth, names)},
        tree=None if tree is None else _read_tree(tree, names),
    )


def _read_tree(file: str, names: tuple[str, ...]) -> Tree:
    """A tree of which but the shape matters, so that branch lengths need not be heights."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NewickWarning)
        return read_tree(file, names)
