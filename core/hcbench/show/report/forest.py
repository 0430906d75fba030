"""The trees that a report shows: what was found, and the truth that was to be found."""

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

    from hcbench.analysis.groups import Group
    from hcbench.analysis.results import Results
    from hcbench.model.problem import Problem
    from hcbench.plan.outcome import Outcome
    from hcbench.show.figures import FigureView
    from hcbench.store import Store

MOST_TREES = 60
MOST_LEAVES = 2000
_MOST_CLASSES = 8  # into so many a truth without classes is cut, to be coloured


@dataclass(slots=True)
class Forest:
    """The trees of a report, in plain values.

    Attributes
    ----------
    datasets : mapping of str to dict
        Of each data set and repetition ``n``, how many of the items are ``shown``, their ``names``,
        ``levels``: their classes, from the coarsest level to the finest; ``truth``: a tree;
        ``reason``: why there is none.
    trees : list of dict
        ``group``: the number of the group whose first repetition it is; ``data``: the key of its
        data in ``datasets``; ``tree``; ``order`` and ``truthOrder``: the leaves from top to bottom,
        drawn face to face.
    left_out : list of str
        What is not shown, and why.
    """

    datasets: dict[str, dict[str, Any]] = field(default_factory=dict)
    trees: list[dict[str, Any]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def describe(self) -> dict[str, Any]:
        """As the page has it."""
        return {"datasets": self.datasets, "trees": self.trees, "leftOut": self.left_out}


def gather_forest(
    results: Results, store: Store, view: FigureView, most: int = MOST_TREES
) -> Forest:
    """Read the trees of the first repetition of each group, and make their truths again.

    Parameters
    ----------
    results : Results
    store : Store
        Where the results are kept.
    view : FigureView
        Which makes the data again.
    most : int
        Of more trees than so many, those of the first algorithms on each data set are taken.
    """
    forest = Forest()
    wanted = _wanted(results)
    if len(wanted) > most:
        forest.left_out.append(
            f"{len(wanted) - most} of {len(wanted)} trees are left out; --trees {len(wanted)} "
            "shows them all"
        )
    keys = [outcome.key for _, outcome in wanted[:most]]
    stored = store.find(keys, {})
    truths: dict[tuple[str, int], _Truth] = {}
    for number, outcome in sorted(wanted[:most], key=lambda pair: pair[0]):
        if outcome.key not in stored:
            continue
        points = store.results_of(stored[outcome.key].row)
        tree = next((p.result for p in points if p.checkpoint is None), None)
        if not isinstance(tree, Tree):
            continue
        place = (outcome.dataset, outcome.repetition)
        if place not in truths:
            truths[place] = _find_truth(view, *place)
            forest.datasets[_place_id(place)] = truths[place].described
        shown = tree if tree.n <= MOST_LEAVES else tree.restrict(_some_leaves(tree.n))
        described = _describe(shown, truths[place].tree)
        forest.trees.append({"group": number, "data": _place_id(place), **described})
    return forest


def _place_id(place: tuple[str, int]) -> str:
    dataset, repetition = place
    return f"{repetition} {dataset}"


def _some_leaves(n: int) -> NDArray[np.int64]:
    """As many leaves as are shown, the same of all trees on n."""
    return np.sort(np.random.default_rng(n).choice(n, MOST_LEAVES, replace=False))


def _wanted(results: Results) -> list[tuple[int, Outcome]]:
    """The first repetition of each group at its end, the first of each data set first."""
    found: dict[str, list[tuple[int, Outcome]]] = {}
    for number, group in enumerate(results.groups):
        outcome = _first_ok(group)
        if outcome is not None:
            found.setdefault(group.dataset, []).append((number, outcome))
    ranked = [(rank, pair) for of_one in found.values() for rank, pair in enumerate(of_one)]
    return [pair for _, pair in sorted(ranked, key=lambda entry: entry[0])]


def _first_ok(group: Group) -> Outcome | None:
    if group.checkpoint is not None:
        return None
    return next((o for o in group.outcomes if o.status == "ok" and o.key), None)


# ---- Truths --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Truth:
    tree: Tree | None
    described: dict[str, Any]


def _find_truth(view: FigureView, dataset: str, repetition: int) -> _Truth:
    """What is true of a data set; without its data, why they are not there."""
    try:
        problem = view.problem(dataset, repetition)
    except Exception as error:  # whatever is wrong with one data set, the others are shown
        return _Truth(None, {"reason": describe(error), "levels": []})
    n = problem.n
    if n > MOST_LEAVES:
        problem = problem.take(_some_leaves(n))
    truth = next(iter(problem.truths.values()), None)
    described: dict[str, Any] = {
        "n": n,
        "shown": problem.n,
        "repetition": repetition,
        "names": None if problem.names is None else list(problem.names),
        "levels": [column.tolist() for column in _levels(problem, truth)],
        "truth": None if truth is None else _arrays(truth),
    }
    return _Truth(truth, described)


def _levels(problem: Problem, truth: Tree | None) -> Iterator[NDArray[np.int64]]:
    """Numbers of the classes at each level, from the coarsest to the finest."""
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
    """Parents, and where each node is drawn, between the leaves at 0 and the root at 1."""
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
    """How much larger each parent is than its child, which takes fewer digits; -1 for the root."""
    steps = np.asarray(parent) - np.arange(len(parent))
    steps[-1] = -1
    return [int(step) for step in steps]
