"""All cuts of small trees, and oracles about their leaves, for the tests of `hcbench_cuts`."""

from __future__ import annotations

from itertools import product
from math import inf

import numpy as np

from hcbench import Oracle, OracleRequest, Problem, Tree
from hcbench.model import Cut
from hcbench_oracles.pairs import pair_queries

# Figure 1 of Gentile et al. 2019: ((((x1,x2),x3),(x4,x5)),(x6,(x7,x8))), x1 being leaf 0.
FIGURE_1 = Tree([8, 8, 9, 10, 10, 13, 11, 11, 9, 12, 12, 13, 14, 14, -1])


def all_cuts(tree):
    """By the definition: a node itself or, for an inner node, a cut of each child."""
    cuts = []
    for v in range(tree.n_nodes):
        below = [cuts[c] for c in tree.children(v).tolist()]
        split = [sum(parts, ()) for parts in product(*below)] if below else []
        cuts.append([(v,), *split])
    return cuts[tree.root]


def ancestors(tree, v):
    """The node and all above it."""
    path = [v]
    while tree.parent[path[-1]] >= 0:
        path.append(int(tree.parent[path[-1]]))
    return path


def sigma(labels):
    """The matrix of a clustering: 1 where two items are together, -1 where not."""
    labels = np.asarray(labels)
    return np.where(labels[:, None] == labels, 1, -1)


def sigma_of_cut(tree, nodes):
    return sigma(Cut(tree, nodes).partition.labels)


def hamming(first, second):
    """d_H over all n^2 entries."""
    return int((first != second).sum())


def best_of(costs, cuts, K=inf):
    """The lowest cost among cuts into at most K clusters, then the fewest clusters."""
    return min((cost, len(cut)) for cost, cut in zip(costs, cuts, strict=True) if len(cut) <= K)


def random_sigma(n, rng):
    matrix = np.triu(rng.choice([-1, 1], size=(n, n)), 1)
    return matrix + matrix.T + np.eye(n, dtype=int)


def oracle_about(matrix, budget=None, checkpoints=(), seed=0):
    """An oracle of a matrix of 1 and -1, with pairs drawn by a seed."""
    problem = Problem(n=len(matrix), similarity=np.asarray(matrix, dtype=float))
    return Oracle(
        pair_queries(OracleRequest(problem=problem, seed=seed), source="matrix"),
        budget,
        checkpoints,
    )
