"""The trees of a report: results beside the truth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from hcbench.model.trees import HeightKind, Tree
from hcbench.model.trees.facing import facing_orders
from hcbench.run.cell import describe
from hcbench.show.plots.dendrograms import layout
from hcbench.show.report.cells import short

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcbench.analysis.results import Results
    from hcbench.model.problem import Problem
    from hcbench.plan.outcome import Outcome
    from hcbench.show.figures import FigureView
    from hcbench.store import Store

MOST_TREES = 60
MOST_LEAVES = 2000
_MOST_CLASSES = 8  # a truth without classes is cut into this many, for colours


@dataclass(slots=True)
class Forest:
    """The trees of a report, as plain values.

    Attributes
    ----------
    datasets : mapping of str to dict
        For each data set and repetition: ``n``, the number of items; ``shown``, how many of them
        are drawn; ``names``; ``levels``, their classes from the coarsest level to the finest;
        ``truth``, a tree; and ``reason``, why there is none.
    trees : list of dict
        ``group``, the number of the group whose first repetition is shown; ``data``, the key in
        ``datasets``; ``tree``; ``order`` and ``truthOrder``, the leaves from top to bottom when
        the result faces the truth.
    excluded : list of str
        What is not shown, and why.
    """

    datasets: dict[str, dict[str, Any]] = field(default_factory=dict)
    trees: list[dict[str, Any]] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)

    def describe(self) -> dict[str, Any]:
        """The data of the page."""
        return {"datasets": self.datasets, "trees": self.trees, "leftOut": self.excluded}


def gather_forest(
    results: Results, store: Store, view: FigureView, most: int = MOST_TREES
) -> Forest:
    """Read the trees of the first repetition of each group, and generate their truths again.

    Parameters
    ----------
    results : Results
    store : Store
        Where the results are stored.
    view : FigureView
        Generates the data again.
    most : int
        The most trees; those of the first algorithms on each data set are preferred.
    """
    forest = Forest()
    wanted = _wanted(results)
    if len(wanted) > most:
        forest.excluded.append(
            f"{len(wanted) - most} of {len(wanted)} trees are not shown; --trees {len(wanted)} "
            "shows all"
        )
    keys = [outcome.key for _, outcome in wanted[:most]]
    stored = store.find(keys, {})
    truths: dict[str, Tree | None] = {}
    for number, outcome in sorted(wanted[:most], key=lambda pair: pair[0]):
        if outcome.key not in stored:
            continue
        points = store.results_of(stored[outcome.key].row)
        tree = next((p.result for p in points if p.checkpoint is None), None)
        if not isinstance(tree, Tree):
            continue
        data = f"{outcome.repetition} {outcome.dataset}"
        if data not in truths:
            truths[data], forest.datasets[data] = _describe_data(view, outcome)
        shown = tree if tree.n <= MOST_LEAVES else tree.restrict(_some_leaves(tree.n))
        forest.trees.append({"group": number, "data": data, **_describe(shown, truths[data])})
    return forest


def _some_leaves(n: int) -> NDArray[np.int64]:
    """A random selection of leaves, the same for all trees with n leaves."""
    return np.sort(np.random.default_rng(n).choice(n, MOST_LEAVES, replace=False))


def _wanted(results: Results) -> list[tuple[int, Outcome]]:
    """The first successful repetition of each group; the first groups of all data sets first."""
    by_dataset: dict[str, list[tuple[int, Outcome]]] = {}
    for number, group in enumerate(results.groups):
        succeeded = [o for o in group.outcomes if o.status == "ok" and o.key]
        if group.checkpoint is None and succeeded:
            by_dataset.setdefault(group.dataset, []).append((number, succeeded[0]))
    ranked = [(rank, pair) for pairs in by_dataset.values() for rank, pair in enumerate(pairs)]
    return [pair for _, pair in sorted(ranked, key=lambda entry: entry[0])]


# ---- Truths --------------------------------------------------------------------------------------


def _describe_data(view: FigureView, outcome: Outcome) -> tuple[Tree | None, dict[str, Any]]:
    """The true tree and a description of the data, or the reason why they are unavailable."""
    try:
        problem = view.problem(outcome.dataset, outcome.repetition)
    except Exception as error:  # an error with one data set must not hide the others
        return None, {"reason": describe(error), "levels": []}
    n = problem.n
    if n > MOST_LEAVES:
        problem = problem.take(_some_leaves(n))
    truth = next(iter(problem.truths.values()), None)
    described: dict[str, Any] = {
        "n": n,
        "shown": problem.n,
        "repetition": outcome.repetition,
        "names": None if problem.names is None else list(problem.names),
        "levels": [column.tolist() for column in _levels(problem, truth)],
        "truth": None if truth is None else _arrays(truth),
    }
    return truth, described


def _levels(problem: Problem, truth: Tree | None) -> Iterator[NDArray[np.int64]]:
    """Class numbers at each level, from the coarsest to the finest."""
    if problem.levels is not None:
        for level in range(problem.levels.shape[1]):
            _, codes = np.unique(problem.levels[:, : level + 1], axis=0, return_inverse=True)
            yield codes.ravel()
    elif truth is not None and truth.n > 1:
        yield truth.cut(min(_MOST_CLASSES, truth.n)).labels


# ---- Plain values --------------------------------------------------------------------------------


def _describe(tree: Tree, truth: Tree | None) -> dict[str, Any]:
    if truth is None:
        return {"tree": _arrays(tree), "order": tree.leaf_order.tolist()}
    order, truth_order = facing_orders(tree, truth)
    return {
        "tree": _arrays(tree),
        "order": order.tolist(),
        "truthOrder": truth_order.tolist(),
    }


def _arrays(tree: Tree) -> dict[str, Any]:
    """Parents, and the position of each node between the leaves at 0 and the root at 1."""
    _, height = layout(tree)
    if tree.kind is HeightKind.AFFINITY:  # grows from the root to the leaves
        height = -height
    low, high = float(height.min()), float(height.max())
    scaled = (height - low) / ((high - low) or 1.0)
    return {
        "parent": _differences(tree.parent),
        "height": [short(value, 4) for value in scaled.tolist()],
        "kind": tree.kind.value,
    }


def _differences(parent: NDArray[np.int64]) -> list[int]:
    """Parent minus child, which takes fewer digits than the parent; -1 for the root."""
    steps = np.asarray(parent) - np.arange(len(parent))
    steps[-1] = -1
    return [int(step) for step in steps]
