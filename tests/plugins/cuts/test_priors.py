"""Priors over cuts, against their definitions."""

from math import isclose

import numpy as np
import pytest

import hcbench
from hcbench import HeightKind, Partition, Tree
from hcbench_cuts.priors import bands_prior, prior_of
from tests.plugins.cuts.small_cuts import (
    compiled_oracle,
    cut_by,
    labels_of,
    probability,
    questions_of,
    small_trees,
    tree_of_shape,
)
from tests.plugins.tree_cuts import FIGURE_1, all_cuts, ancestors


def probabilities(tree, log_prior):
    p = np.exp(log_prior.below)
    assert np.allclose(p + np.exp(log_prior.above), 1.0, atol=1e-12)
    return {tree.n + k: float(x) for k, x in enumerate(p)}


def test_figure_1_of_the_paper():
    p = probabilities(FIGURE_1, prior_of(FIGURE_1, "uniform", 1, 0.1))
    # N of the nodes above x1 x2, x7 x8, x1 x2 x3, x4 x5, and so on, as the figure has them.
    assert sorted(round(1 / x) for x in p.values()) == [2, 2, 2, 3, 3, 7, 22]


def test_the_uniform_prior_makes_all_cuts_equally_likely():
    for tree in small_trees(5):
        p = probabilities(tree, prior_of(tree, "uniform", 1, 0.1))
        cuts = all_cuts(tree)
        for cut in cuts:
            assert isclose(probability(tree, cut, p), 1 / len(cuts), rel_tol=1e-9)


@pytest.mark.parametrize("prior", ["uniform", 0.3, "bands"])
def test_the_probabilities_of_all_cuts_sum_to_one(prior):
    for tree in small_trees(5):
        p = probabilities(tree, prior_of(tree, prior, 3, 0.1))
        assert isclose(sum(probability(tree, cut, p) for cut in all_cuts(tree)), 1.0)


def _with_heights(tree, kind, rng):
    steps = rng.integers(1, 4, tree.n_nodes)
    height = np.zeros(tree.n_nodes)
    for v in range(tree.n, tree.n_nodes):
        height[v] = max(height[tree.children(v)]) + steps[v]
    if kind is HeightKind.AFFINITY:
        return Tree(tree.parent, -height, kind)
    return Tree(tree.parent, height, kind)


@pytest.mark.parametrize("kind", [HeightKind.DISTANCE, HeightKind.AFFINITY, HeightKind.NONE])
def test_bands_have_equal_parts_of_each_path_and_epsilon_is_uniform(kind):
    rng = np.random.default_rng(2)
    for plain in list(small_trees(6, 3))[-40::4]:
        tree = plain if kind is HeightKind.NONE else _with_heights(plain, kind, rng)
        sign = -1 if kind is HeightKind.AFFINITY else 1
        bands, epsilon = (1.0, 2.0, 4.0) if kind is HeightKind.NONE else (0.5, 2.0, 3.0), 0.1
        bands = tuple(sign * b for b in bands)
        cut = tree.cut_depth_nodes if kind is HeightKind.NONE else tree.cut_height_nodes
        cuts = [set(cut(int(b) if kind is HeightKind.NONE else b).tolist()) for b in bands]
        p = probabilities(tree, bands_prior(tree, bands, epsilon))
        uniform = probabilities(tree, prior_of(tree, "uniform", 1, 0.1))
        for v in range(tree.n, tree.n_nodes):
            wanted = (1 - epsilon) * sum(v in c for c in cuts) / 3 + epsilon * _reach(
                tree, v, uniform
            )
            assert isclose(_reach(tree, v, p), wanted, rel_tol=1e-9)


def _reach(tree, v, p):
    """q(v) of eq. (3) for the whole tree."""
    return p[v] * float(np.prod([1 - p[u] for u in ancestors(tree, v)[1:]]))


def test_a_number_of_bands_stands_for_heights_of_equal_rank():
    height = [0] * 6 + [1.0, 2.0, 5.0, 8.0, 9.0]
    tree = Tree([6, 6, 7, 8, 9, 10, 7, 8, 9, 10, -1], height, HeightKind.DISTANCE)
    # Ranks 5/3 and 10/3 of 1..5, rounded up: the second and the fourth.
    counted, by_heights = bands_prior(tree, 2, 0.2), bands_prior(tree, (8.0, 2.0), 0.2)
    assert np.allclose(counted.below, by_heights.below, rtol=0, atol=1e-12)


def test_with_bands_a_path_costs_log_b_plus_two_queries():
    """Theorem 6: log2 4 to find the band, two to confirm the cut; else log2 1024."""
    n = 1024
    tree = Tree.from_parents([n, *range(n, 2 * n - 1), *range(n + 1, 2 * n - 1), -1])
    depths = (100, 300, 400, 700)
    for depth in depths:
        labels = labels_of(tree, tuple(tree.cut_depth_nodes(depth).tolist()))
        asked = questions_of("WDP", tree, labels, prior="bands", bands=depths, epsilon=1e-6)
        assert len(asked) <= 4
        assert len(questions_of("WDP", tree, labels)) >= 9


def test_a_number_a_list_and_a_function_are_equivalent():
    tree = tree_of_shape((((), ()), (((), ()), ((), (), ()))))
    wanted = prior_of(tree, 0.25, 1, 0.1)
    for prior in ((0.25,) * 5, lambda t: np.full(t.n_nodes - t.n, 0.25)):
        found = prior_of(tree, prior, 1, 0.1)
        assert np.array_equal(found.below, wanted.below)
        assert np.array_equal(found.above, wanted.above)


@pytest.mark.parametrize("shape", ["balanced", "caterpillar"])
def test_numbers_of_cuts_beyond_floats_work(shape):
    n = 1 << 12
    if shape == "balanced":
        parent = np.append(n + np.arange(2 * n - 2) // 2, -1)  # N is about 10^720
    else:
        parent = [n, *range(n, 2 * n - 1), *range(n + 1, 2 * n - 1), -1]
    tree = Tree.from_parents(parent)
    for prior in ("uniform", "bands"):
        found = prior_of(tree, prior, 4, 1e-3)
        assert np.isfinite(found.below).all()
        assert (found.above <= 0).all()
        for labels in (np.zeros(n, np.int64), np.arange(n)):
            oracle = compiled_oracle(labels)
            assert cut_by("WDP", tree, oracle, prior=prior) == Partition(labels)
            if labels[-1] == 0:  # the cut at the root is the least likely place of one path
                assert oracle.ledger.queries <= 24
        half = cut_by("WDP", tree, compiled_oracle(np.zeros(n, np.int64), 1), prior=prior)
        assert 1 <= half.n_clusters <= n


def test_fit_takes_a_list_an_array_or_a_function():
    tree = tree_of_shape((((), ()), ((), ())))
    for prior in ([0.2, 0.2, 0.3], np.array([0.2, 0.2, 0.3]), lambda t: [0.2, 0.2, 0.3], 0.2):
        found = hcbench.fit("WDP", tree, same_cluster=lambda i, j: i // 2 == j // 2, prior=prior)
        assert found == Partition([0, 0, 1, 1])
    with pytest.raises(hcbench.ParameterError, match="must be str or float or list or callable"):
        hcbench.fit("WDP", tree, same_cluster=lambda i, j: True, prior={"a": 1})


def test_a_correct_prior_saves_queries():
    """The constant prior favours few clusters in a balanced tree, the uniform one does not."""
    n = 1 << 10
    tree = Tree.from_parents(np.append(n + np.arange(2 * n - 2) // 2, -1))
    labels = np.arange(n) // (n // 4)
    asked = {}
    for prior in ("uniform", 0.5):
        oracle = compiled_oracle(labels)
        cut_by("WDP", tree, oracle, prior=prior)
        asked[prior] = oracle.ledger.queries
    assert asked[0.5] < asked["uniform"]
    assert asked[0.5] <= 11  # 7 by breadth-first search
