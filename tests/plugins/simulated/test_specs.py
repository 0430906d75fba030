"""Simulated data sets with a true tree: expected values by hand, trees by other algorithms."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from hcbench import DataRequest, HeightKind, ParameterError, Problem, Tree
from hcbench_simulated.clusters import draw_clusters
from hcbench_simulated.phylogenies import (
    birth_death_tree,
    coalescent_tree,
    evolve,
    jukes_cantor,
)
from hcbench_simulated.specs import DATASETS
from tests.plugins.fitting import cophenetic

SPECS = {spec.name: spec for spec in DATASETS}


def make(name: str, seed: int = 0, **params: object) -> Problem:
    spec = SPECS[name]
    problem: Problem = spec.load()(DataRequest(seed=seed), **spec.resolve(params))  # type: ignore[arg-type]
    assert spec.provides_with(spec.resolve(params)) == problem.provides
    return problem


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def is_mean(values: np.ndarray, expected: float) -> bool:
    """Whether the mean of independent values is within 4 standard errors of the expected one."""
    error = values.std(ddof=1) / np.sqrt(values.size)
    return bool(abs(values.mean() - expected) < 4 * error)


# ---- Clusters ------------------------------------------------------------------------------------


def test_clusters_have_the_sizes_of_their_shares():
    # Shares 1 : 1/2, so 20 and 10 of 30 items, then 13 and 7 of 20, 7 and 3 of 10.
    clusters = draw_clusters(rng(), 30, 2, 2, 0.5, 0.0)
    assert clusters.parent.tolist() == [-1, 0, 0, 1, 1, 2, 2]
    assert np.bincount(clusters.items).tolist() == [0, 0, 0, 13, 7, 7, 3]
    assert clusters.paths()[[0, 2, 5]].tolist() == [[0, 0, 0], [0, 2, 2], [0, 2, 5]]
    levels = clusters.levels()
    assert {tuple(row) for row in levels[clusters.items == 5].tolist()} == {(1, 0)}


def test_the_tree_of_clusters_is_that_of_its_levels():
    clusters = draw_clusters(rng(3), 60, 4, 3, 0.6, 0.3)
    tree = clusters.tree(clusters.level.astype(float), 9.0)
    assert tree.isomorphic(Tree.from_levels(clusters.levels()))
    assert len(set(clusters.level[clusters.items])) > 1  # depths differ
    paths = clusters.paths()[clusters.items]
    i, j = np.triu_indices(60, 1)
    shared = (np.cumprod(paths[i] == paths[j], axis=1)).sum(axis=1) - 1
    shared = np.minimum(shared, clusters.level[clusters.items[i]])
    assert tree.merge_height(i, j).tolist() == shared.tolist()


def test_one_item_is_not_split_and_empty_children_do_not_exist():
    clusters = draw_clusters(rng(), 3, 5, 2, 0.9, 0.0)
    assert np.bincount(clusters.items).sum() == 3
    assert clusters.tree(clusters.level.astype(float), 9.0).n == 3


# ---- Vectors -------------------------------------------------------------------------------------


def dot_products(problem: Problem) -> np.ndarray:
    vectors = (
        problem.vectors if isinstance(problem.vectors, np.ndarray) else problem.vectors.todense()
    )
    return vectors @ vectors.T / vectors.shape[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("nested-gaussians", {"p": 4, "noise_dimensions": 4, "stop": 0.0}),
        ("topics", {"vocabulary": 30, "words": 12}),
    ],
)
def test_heights_are_expected_dot_products(name, params):
    # Means over data sets of all pairs of the same true height; without `stop` these are the same.
    found = {}
    for seed in range(150):
        problem = make(name, seed, n=12, depth=2, **params)
        products, truth = dot_products(problem), problem.truth
        i, j = np.triu_indices(12)
        height = np.where(i == j, truth.height[i], truth.merge_height(i, j))
        for value in np.unique(height):
            found.setdefault(round(value, 9), []).append(products[i, j][height == value].mean())
    assert len(found) == 4  # levels 0, 1, 2 and the items
    for expected, means in found.items():
        assert is_mean(np.array(means), expected), (expected, np.mean(means))


def test_heights_of_nested_gaussians_by_hand():
    # Deviations of centres 2 * 2 and 2, so variances 16 and 4 in half of the coordinates.
    problem = make(
        "nested-gaussians", n=8, depth=2, p=3, noise_dimensions=3, imbalance=0.0, stop=0.0
    )
    assert sorted(set(problem.truth.height.tolist())) == [0.0, 8.0, 10.0, 11.0]
    assert problem.vectors.shape == (8, 6)


def test_documents_have_their_words():
    problem = make("topics", n=20, words=17)
    assert problem.vectors.sum(axis=1).tolist() == [17.0] * 20


# ---- Graphs --------------------------------------------------------------------------------------


def test_densities_of_blocks_are_their_probabilities():
    problem = make("hsbm", n=300, within=0.8, ratio=0.5, depth=2)
    adjacency, truth = problem.similarity, problem.truth
    assert set(np.unique(adjacency)) == {0.0, 1.0}
    assert (np.diag(adjacency) == 0).all()
    assert (adjacency == adjacency.T).all()
    i, j = np.triu_indices(300, 1)
    height = truth.merge_height(i, j)
    for level, probability in enumerate((0.2, 0.4, 0.8)):
        edges = adjacency[i, j][np.isclose(height, probability)]
        # 2 blocks of 150; 4 of 75; pairs inside those
        assert edges.size == (150 * 150, 2 * 75 * 75, 4 * 75 * 74 // 2)[level]
        assert is_mean(edges, probability)


# ---- Phylogenies ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_coalescent_has_its_expected_heights():
    heights = np.array([coalescent_tree(rng(s), 6).height for s in range(600)])
    assert is_mean(heights[:, -1], 2 * (1 - 1 / 6))
    assert is_mean(heights[:, 6], 2 / (6 * 5))
    # Two given items merge at time 1 on average.
    pairs = np.array([coalescent_tree(rng(s), 6).merge_height([0], [5])[0] for s in range(600)])
    assert is_mean(pairs, 1.0)


def test_lineages_of_the_coalescent_merge_with_equal_chances():
    first = [tuple(np.flatnonzero(coalescent_tree(rng(s), 4).parent[:4] == 4)) for s in range(900)]
    pairs, counts = np.unique(first, axis=0, return_counts=True)
    assert len(pairs) == 6
    assert ((counts - 150) ** 2 / 150).sum() < 20.5  # chi square, 5 degrees: p = .001


def test_yule_trees_have_their_expected_height():
    heights = np.array([birth_death_tree(rng(s), 5, 2.0, 0.0).height[-1] for s in range(600)])
    assert is_mean(heights, sum(1 / (2 * k) for k in range(2, 6)))


def forward_birth_death(seed: int, birth: float, death: float, n: int) -> list[float]:
    """Heights of the roots of trees of n living species, by simulating forward from the origin.

    Every origin in (0, 12) is equally likely; at 12 hardly any process has n species left.
    """
    source, found = rng(seed), []
    for origin in source.uniform(0, 12, 4000):
        alive, time = [()], origin  # each species is the path of its splits
        while alive and len(alive) < 60:
            time -= source.exponential(1 / (len(alive) * (birth + death)))
            if time < 0:
                break
            species = alive.pop(source.integers(len(alive)))
            if source.random() < birth / (birth + death):
                alive += [(*species, (time, 0)), (*species, (time, 1))]
        if len(alive) == n and time < 0:
            shared = next(k for k, steps in enumerate(zip(*alive)) if len(set(steps)) > 1)  # noqa: B905
            found.append(alive[0][shared][0])
    return found


@pytest.mark.slow
def test_birth_death_trees_have_the_heights_of_a_forward_simulation():
    forward = np.array(forward_birth_death(1, 1.0, 0.6, 3))
    ours = np.array([birth_death_tree(rng(s), 3, 1.0, 0.6).height[-1] for s in range(1500)])
    assert forward.size > 100
    error = np.hypot(forward.std() / np.sqrt(forward.size), ours.std() / np.sqrt(ours.size))
    assert abs(forward.mean() - ours.mean()) < 4 * error
    with pytest.raises(ParameterError, match="death=2 must be below birth=1"):
        make("birth-death", death=2.0)


def test_items_of_birth_death_trees_are_exchangeable():
    cherries = [birth_death_tree(rng(s), 4, 1.0, 0.3).parent[:4] == 4 for s in range(600)]
    share = np.mean(cherries, axis=0)  # each item is in the first merge with probability 1/2
    assert (abs(share - 0.5) < 4 * np.sqrt(0.25 / 600)).all()


def test_sequences_differ_as_jukes_and_cantor_say():
    tree = Tree([2, 2, -1], [0.0, 0.0, 1.5], HeightKind.DISTANCE)
    bases = evolve(rng(), tree, 40_000, 0.2)
    differing = np.mean(bases[0] != bases[1])
    expected = 0.75 * (1 - np.exp(-4 / 3 * 2 * 0.2 * 1.5))
    assert abs(differing - expected) < 4 * np.sqrt(expected * (1 - expected) / 40_000)
    assert np.abs(np.bincount(bases[0]) / 40_000 - 0.25).max() < 0.01
    # The distance of p is the one that gives p: here 2 * rate * time = 0.6, up to its own error.
    assert abs(jukes_cantor(bases)[0, 1] - 0.6) < 0.03


def test_jukes_cantor_distances_by_hand():
    bases = np.array([[0, 1, 2, 3], [0, 1, 2, 0], [1, 2, 3, 0], [1, 2, 3, 3]], dtype=np.uint8)
    distances = jukes_cantor(bases)
    assert distances[0, 0] == 0.0
    assert distances[0, 1] == pytest.approx(-0.75 * np.log(1 - 4 / 3 * 0.25))
    saturated = -0.75 * np.log(1 - 4 / 3 * (0.75 - 1 / 16))
    assert distances[0, 2] == pytest.approx(saturated)  # all four differ
    assert distances[0, 3] == pytest.approx(saturated)  # three of four


@pytest.mark.parametrize("name", ["coalescent", "birth-death"])
def test_long_sequences_have_the_distances_of_the_tree(name):
    problem = make(name, n=12, length=20_000)
    i, j = np.triu_indices(12, 1)
    true, seen = 1 - problem.truth.merge_height(i, j), 1 - problem.similarity[i, j]
    np.testing.assert_allclose(seen, true, atol=0.06)


# ---- Ultrametrics --------------------------------------------------------------------------------


def test_without_noise_every_linkage_returns_the_truth():
    problem = make("noisy-ultrametric", n=30, noise=0.0)
    for method in ("average", "single", "complete"):
        tree = Tree.from_linkage(linkage(squareform(1 - problem.similarity, checks=False), method))
        assert tree.isomorphic(problem.truth)
        np.testing.assert_allclose(cophenetic(tree), 1 - cophenetic(problem.truth))


def test_the_noise_has_its_standard_deviation():
    problem = make("noisy-ultrametric", n=120, noise=0.3)
    i, j = np.triu_indices(120, 1)
    ratio = np.log((1 - problem.similarity[i, j]) / (1 - problem.truth.merge_height(i, j)))
    assert abs(ratio.std() - 0.3) < 4 * 0.3 / np.sqrt(2 * i.size)
    assert is_mean(ratio, 0.0)


# ---- All -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SPECS)
def test_the_seed_decides_the_data_and_the_order(name):
    problems = [make(name, seed, n=20) for seed in (5, 5, 6)]
    digests = [problem.digest() for problem in problems]
    assert digests[0] == digests[1] != digests[2]
    orders = [problem.truth.leaf_order.tolist() for problem in problems]
    assert all(order != list(range(20)) for order in orders)
    assert all(a != b for a, b in pairwise(orders[1:]))
    assert make(name, n=2).n == 2
