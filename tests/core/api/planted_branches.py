"""How often branches are true, by their support, in tables with planted trees.

``python -m tests.core.api.planted_branches 300`` prints the numbers of core/docs/trees.md; the
nightly test `tests.core.api.test_planted_branches` makes fewer tables.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import click
import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage

from hcbench import Problem, Tree
from hcbench.api.confidence import measure_support
from hcbench.api.trees import Fitted

N_ITEMS = 10
N_FEATURES = 50
REPLICATES = 50
#: The bins of the support: up to, and from below these.
BINS = (0.0, 0.5, 0.8, 0.95, 1.01)


@dataclass(frozen=True, slots=True)
class Branches:
    """The branches of the trees that were fitted.

    Attributes
    ----------
    support : mapping of str to (b,) float array
        By ``features``, ``AU`` and ``items``.
    is_true : (b,) bool array
        Whether the planted tree has the branch.
    """

    support: Mapping[str, NDArray[np.float64]]
    is_true: NDArray[np.bool_]


def planted_tree(rng: np.random.Generator) -> tuple[Tree, NDArray[np.float64]]:
    """A tree of random merges, and features that drift along its branches.

    A squared distance is expected to be the number of features times twice the height of the merge.
    """
    height = 0.0
    clusters = [[item] for item in range(N_ITEMS)]
    nodes = list(range(N_ITEMS))
    rows = []
    values = np.zeros((N_ITEMS, N_FEATURES))
    for step in range(N_ITEMS - 1):
        # Lineages merge as in a coalescent, the last ones after the longest time.
        duration = rng.exponential(2 / (len(clusters) * (len(clusters) - 1)))
        height += duration
        for cluster in clusters:
            values[cluster] += rng.normal(size=N_FEATURES) * np.sqrt(duration)
        first, second = sorted(rng.choice(len(clusters), 2, replace=False).tolist())
        joined = clusters[first] + clusters[second]
        rows.append([nodes[first], nodes[second], height, len(joined)])
        for position in (second, first):
            del clusters[position]
            del nodes[position]
        clusters.append(joined)
        nodes.append(N_ITEMS + step)
    return Tree.from_linkage(np.array(rows)), values


def refit(problem: Problem, _seed: int) -> Tree:
    """Average linkage of Euclidean distances, by scipy."""
    return Tree.from_linkage(linkage(np.asarray(problem.vectors), "average"))


def clades(tree: Tree) -> list[frozenset[int]]:
    """The items of the inner nodes but the root."""
    return [frozenset(tree.leaves(node).tolist()) for node in range(tree.n, tree.root)]


def simulate(tables: int) -> Branches:
    """Support of all branches of so many trees."""
    support: dict[str, list[NDArray[np.float64]]] = {"features": [], "AU": [], "items": []}
    is_true: list[bool] = []
    for seed in range(tables):
        truth, values = planted_tree(np.random.default_rng(seed))
        problem = Problem(n=N_ITEMS, vectors=values)
        tree = refit(problem, 0)
        fitted = Fitted(result=tree, title="planted", problem=problem, refit=refit)
        by_features = measure_support(
            fitted, REPLICATES, resampled="features", unbiased=True, seed=seed
        )
        by_items = measure_support(fitted, REPLICATES, resampled="items", seed=seed)
        inner = slice(tree.n, tree.root)
        assert by_features.unbiased is not None
        support["features"].append(by_features.support.support[inner])
        support["AU"].append(by_features.unbiased.au[inner])
        support["items"].append(by_items.support.support[inner])
        true_clades = set(clades(truth))
        is_true += [clade in true_clades for clade in clades(tree)]
    joined = {name: np.concatenate(arrays) for name, arrays in support.items()}
    return Branches(joined, np.array(is_true))


def rows_of(branches: Branches) -> list[str]:
    """A line for each kind of support and bin: how many branches, and how many of them are true."""
    lines = []
    for name, support in branches.support.items():
        for low, high in pairwise(BINS):
            is_in = (support >= low) & (support < high)
            if not is_in.any():
                continue
            mean = support[is_in].mean()
            share = branches.is_true[is_in].mean()
            lines.append(f"{name} {low}-{high}: {is_in.sum()}, mean {mean:.2f}, true {share:.2f}")
    return lines


if __name__ == "__main__":
    click.echo("\n".join(rows_of(simulate(int(sys.argv[1])))))
