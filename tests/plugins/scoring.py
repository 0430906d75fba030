"""Small trees, and arguments of metrics, for the tests of the metrics."""

from __future__ import annotations

from hypothesis import strategies as st

from hcbench import HeightKind, Problem, Scored, Tree
from hcbench.model import Cost
from tests.core.trees import caterpillar, trees

SINGLE = Tree([-1])
PAIR = Tree([2, 2, -1])
STAR = Tree([4, 4, 4, 4, -1])
TWO_PAIRS = Tree([4, 4, 5, 5, 6, 6, -1])  # ((0,1),(2,3))
CHAIN = Tree([4, 4, 5, 6, 5, 6, -1])  # (((0,1),2),3)


def scored(result, *, truth=None, cost=None, **problem):
    truths = {} if truth is None else {"truth": truth}
    return Scored(
        problem=Problem(n=result.n, truths=truths, **problem),
        result=result,
        cost=cost or Cost(seconds=1.0),
    )


@st.composite
def two_trees(draw, *, min_leaves=1, max_leaves=12, **options):
    n = draw(st.integers(min_leaves, max_leaves))
    options = {"min_leaves": n, "max_leaves": n, **options}
    return draw(trees(**options)), draw(trees(**options))


def random_tree(n, rng, *, width=2):
    """A tree of n leaves made by random merges of up to ``width`` clusters."""
    parent = [-1] * n
    live = list(range(n))
    while len(live) > 1:
        node = len(parent)
        parent.append(-1)
        for _ in range(min(len(live), int(rng.integers(2, width + 1)))):
            parent[live.pop(int(rng.integers(len(live))))] = node
        live.append(node)
    return Tree(parent)


def chained_tree(n, rng):
    return caterpillar(n).relabel(rng.permutation(n))


def affinity_tree(tree, heights):
    return Tree(tree.parent, heights, HeightKind.AFFINITY)
