"""What an algorithm gets without asking, which may include parts of the truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hcbench.errors import NotApplicableError, ParameterError
from hcbench.model.problem import Problem
from hcbench.model.trees import Partition, Tree
from hcbench.registry.specs import HINTS, unknown_hint


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Given:
    """What an algorithm gets without asking.

    Attributes
    ----------
    n : int
        Number of items.
    names : tuple of str, optional
        Their names.
    tree : Tree, optional
        The tree to be cut.
    hints : mapping
        Parts of the truth that the algorithm declares it is helped by (see
        ``hcbench.registry.specs.HINTS``); they are recorded with its row.
    """

    n: int
    names: tuple[str, ...] | None = None
    tree: Tree | None = None
    hints: Mapping[str, Any] = field(default_factory=dict)


def give(problem: Problem, hints: Sequence[str]) -> Given:
    """Give an algorithm what it may know of a problem: size, names, tree and its declared hints."""
    values = {name: _hint(problem, name) for name in hints}
    return Given(n=problem.n, names=problem.names, tree=problem.tree, hints=values)


def _hint(problem: Problem, name: str) -> Tree | Partition | int:
    if name not in HINTS:
        raise ParameterError(unknown_hint(name))
    if name == "truth":
        return problem.truth
    finest = finest_partition(problem)
    return finest if name == "clusters" else finest.n_clusters


def finest_partition(problem: Problem, level: int | None = None) -> Partition:
    """The finest true clusters: of the label levels, else the parents of the truth's leaves.

    Parameters
    ----------
    problem : Problem
    level : int, optional
        The clusters of this level of labels instead; 1 is the coarsest.

    Raises
    ------
    NotApplicableError
        If there is no such level, or no truth.
    """
    if problem.levels is not None:
        n_levels = problem.levels.shape[1]
        if level is not None and not 1 <= level <= n_levels:
            raise NotApplicableError(
                f"level={level}: there are {n_levels} levels of labels, from 1"
            )
        columns = iter(problem.levels[:, :level].T)
        nested = Partition(next(columns, np.zeros(problem.n, np.int64)))
        for column in columns:
            own = Partition(column)
            nested = Partition(nested.labels * own.n_clusters + own.labels)
        return nested
    if level is not None:
        raise NotApplicableError(f"level={level}: this data set has no levels of labels")
    truth = problem.truth
    return Partition(truth.parent[: truth.n])
