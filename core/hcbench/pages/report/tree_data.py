"""The data behind the trees of a report: items, their classes, and the true tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hcbench.errors import HcbenchError
from hcbench.figures.dendrograms import clades_of
from hcbench.figures.problems import Matrix
from hcbench.model.trees import Tree
from hcbench.pages.report.tree_heat_maps import fitting_matrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench.figures.view import FigureView
    from hcbench.model.problem import Problem

#: Of larger trees a random selection of this many leaves is drawn.
MOST_LEAVES = 500
#: The most classes that a legend lists, and that a level may have.
MOST_CLASSES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """The data of a tree: items, their classes at each level, and the true tree.

    Attributes
    ----------
    n : int
        How many items there are, of which at most `MOST_LEAVES` are drawn.
    names : tuple of str
        The names of the items that are drawn.
    levels : tuple of tuple of str
        The class of each of these items at each level, the coarsest first.
    truth : Tree or None
    matrix : Matrix or None
        The vectors or similarities of these items; None if there are none, or too many.
    n_columns : int
        How many columns the vectors have, of which some are in the matrix.
    reason : str
        Why the data are unavailable; "" if they are available.
    """

    n: int
    names: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    truth: Tree | None
    matrix: Matrix | None = None
    n_columns: int = 0
    reason: str = ""


def some_leaves(n: int) -> NDArray[np.int64]:
    """A random selection of leaves, the same for all trees with n leaves."""
    # Seeded by n, so that a report looks the same each time that it is made.
    return np.sort(np.random.default_rng(n).choice(n, MOST_LEAVES, replace=False))


def read_data(view: FigureView, dataset: str, repetition: int, n: int) -> Data:
    """The data that are generated again, or the reason why they are unavailable."""
    try:
        problem = view.problem(dataset, repetition)
    except Exception as error:  # an error with one data set must not hide the others
        reason = str(error)
        if not isinstance(error, HcbenchError):
            reason = f"{type(error).__name__}: {error}"
        names = _numbered_items(min(n, MOST_LEAVES))
        return Data(n=n, names=names, levels=(), truth=None, reason=reason)
    # The same leaves as of the trees, which are drawn beside it.
    if n > MOST_LEAVES:
        problem = problem.take(some_leaves(n))
    truth = next(iter(problem.truths.values()), None)
    names = tuple(problem.names or _numbered_items(problem.n))
    n_columns = 0
    if problem.vectors is not None:
        n_columns = problem.vectors.shape[1]
    return Data(
        n=n,
        names=names,
        levels=_levels(problem, truth),
        truth=truth,
        matrix=fitting_matrix(problem, dataset),
        n_columns=n_columns,
    )


def _numbered_items(n: int) -> tuple[str, ...]:
    """The names of items that have none."""
    return tuple(f"item {i}" for i in range(n))


def _levels(problem: Problem, truth: Tree | None) -> tuple[tuple[str, ...], ...]:
    """The class of each item at each level of few classes, from the coarsest to the finest."""
    if problem.levels is None:
        # Without classes, those are the clades below the root of the truth.
        if truth is None or truth.n <= 1:
            return ()
        return (tuple(clades_of(truth)),)
    levels = []
    for depth in range(1, problem.levels.shape[1] + 1):
        classes = problem.class_names(depth)
        if len(set(classes)) > MOST_CLASSES:
            continue
        if not problem.classes:
            # The classes are numbers.
            classes = [f"class {name}" for name in classes]
        levels.append(tuple(classes))
    return tuple(levels)
