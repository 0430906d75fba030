"""The conformance checks of hcbench, and known trees."""

import numpy as np

import hcbench
from hcbench.testing import parametrize_with_checks

EXEMPT = {"LouvainIteration:renumbered_items": "greedy: nodes move in a random order of numbers"}


@parametrize_with_checks(["hcbench-paris"], exempt=EXEMPT)
def test_conforms(check):
    check()


def test_the_first_merge_of_a_weighted_path_is_that_of_the_paper():
    """On the path 0-1-2-3 with weights 1, 2, 1: w = 8, degrees 1, 3, 3, 1.

    The distance of two nodes is d_a d_b / (w w_ab): 3/8 at the ends, 9/16 in the middle.
    """
    path = np.zeros((4, 4))
    for i, weight in enumerate((1, 2, 1)):
        path[i, i + 1] = path[i + 1, i] = weight
    tree = hcbench.fit("Paris", hcbench.Problem(n=4, similarity=path), k=3)
    assert tree.cut(2) == hcbench.Partition([0, 0, 1, 1])
    np.testing.assert_allclose(tree.height[4:6], 3 / 8)


def test_unconnected_parts_merge_at_infinity():
    two = np.kron(np.eye(2), np.ones((3, 3)))
    tree = hcbench.fit("Paris", two, k=2)
    assert np.isinf(tree.height[-1])
    assert tree.cut(2) == hcbench.Partition([0, 0, 0, 1, 1, 1])


def test_two_cliques_are_split_first():
    cliques = np.kron(np.eye(2), np.ones((5, 5)))
    cliques[4, 5] = cliques[5, 4] = 0.1
    for name in ("Paris", "LouvainIteration"):
        assert hcbench.fit(name, cliques, k=5).cut(2) == hcbench.Partition([0] * 5 + [1] * 5)
