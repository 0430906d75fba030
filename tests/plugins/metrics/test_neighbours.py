"""Nearest items in the tree, silhouettes of cuts, distortion: by hand, and by other libraries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.cluster.hierarchy import cophenet, fcluster, linkage
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics import silhouette_score

from hcbench import HeightKind, NotApplicableError, Partition, Tree
from hcbench_metrics.distortion import ultrametric_distortion
from hcbench_metrics.neighbours import tree_knn
from hcbench_metrics.silhouettes import silhouette
from tests.core.trees import trees
from tests.plugins.scoring import CHAIN, PAIR, SINGLE, STAR, scored

POINTS = np.random.default_rng(0).normal(size=(40, 3))
LINKAGE = linkage(POINTS, "average")
TREE = Tree.from_linkage(LINKAGE)


def labels(*values):
    return np.array(values)[:, None]


# ---- tree-knn ------------------------------------------------------------------------------------


def test_nearest_items_by_hand():
    # (((0,1),2),3): the nearest of 0 is 1 and so on; 2 has 0 or 1, and 3 has 0, 1 or 2.
    result = scored(CHAIN, levels=labels(0, 0, 1, 1))
    assert tree_knn(result, 1) == tree_knn(result, 9) == pytest.approx((1 + 1 + 0 + 1 / 3) / 4)
    assert tree_knn(scored(STAR, levels=labels(0, 0, 1, 1)), 2) == pytest.approx(1 / 3)
    # Of two: 0 has 1 and 2; 2 has 0 and 1; 3 has no other of its class.
    result = scored(CHAIN, levels=labels(0, 1, 0, 2))
    assert tree_knn(result, 2) == pytest.approx((0 + 1 / 2) / 2)
    result = scored(CHAIN, levels=labels(0, 0, 1, 0))
    assert tree_knn(result, 2) == pytest.approx((1 / 2 + 1 / 2 + 2 / 3) / 3)


def test_merges_of_equal_height_are_ties():
    tied = Tree(CHAIN.parent, [0, 0, 0, 0, 1.0, 1.0, 2.0], HeightKind.DISTANCE)
    # 0, 1 and 2 are one cluster.
    assert tree_knn(scored(tied, levels=labels(0, 0, 1, 1)), 1) == pytest.approx(
        (1 / 2 + 1 / 2 + 0 + 1 / 3) / 4
    )


@given(trees(min_leaves=2, max_leaves=9, kind=HeightKind.DISTANCE), st.integers(1, 9), st.data())
def test_nearest_items_are_those_of_random_orders_of_ties(tree, k, data):
    classes = np.array(data.draw(st.lists(st.integers(0, 2), min_size=tree.n, max_size=tree.n)))
    expected = []
    for i in range(tree.n):
        others = np.delete(np.arange(tree.n), i)
        same = classes[others] == classes[i]
        wanted = min(k, same.sum())
        if wanted == 0:
            continue
        # Monotone heights: the cophenetic distance, naively.
        distance = tree.merge_height(np.full(others.size, i), others)
        border = np.sort(distance)[wanted - 1]
        inside, tied = distance < border, distance == border
        near = same[inside].sum() + (wanted - inside.sum()) * same[tied].mean()
        expected.append(near / wanted)
    if expected:
        value = tree_knn(scored(tree, levels=classes[:, None]), k)
        assert value == pytest.approx(np.mean(expected))


def test_single_items_have_no_neighbours():
    for tree in (SINGLE, PAIR):
        with pytest.raises(NotApplicableError, match="every true class is a single item"):
            tree_knn(scored(tree, levels=labels(*range(tree.n))))


# ---- Silhouettes ---------------------------------------------------------------------------------


def test_silhouettes_are_those_of_scikit_learn():
    for metric in ("euclidean", "cosine"):
        expected = [
            silhouette_score(POINTS, fcluster(LINKAGE, k, "maxclust"), metric=metric)
            for k in range(2, 8)
        ]
        result = scored(TREE, vectors=POINTS)
        assert silhouette(result, "best", 7, metric) == pytest.approx(max(expected))
    part = Partition(np.arange(40) % 3)
    assert silhouette(scored(part, vectors=POINTS)) == pytest.approx(
        silhouette_score(POINTS, part.labels)
    )


def test_silhouettes_of_the_numbers_of_classes_and_of_similarities():
    levels = np.column_stack([np.arange(40) % 2, np.arange(40) % 6])
    distances = squareform(pdist(POINTS))
    result = scored(TREE, similarity=5.0 - distances, levels=levels)
    offset = distances[distances > 0].min()  # the largest similarity has distance 0
    shifted = distances - offset
    np.fill_diagonal(shifted, 0.0)
    expected = [
        silhouette_score(shifted, fcluster(LINKAGE, k, "maxclust"), metric="precomputed")
        for k in (2, 6)
    ]
    assert silhouette(result, "levels") == pytest.approx(np.mean(expected))


def test_a_tree_without_cuts_has_no_silhouette():
    with pytest.raises(NotApplicableError, match="no cut has more than one cluster"):
        silhouette(scored(STAR, vectors=POINTS[:4]))
    with pytest.raises(NotApplicableError, match="no levels"):
        silhouette(scored(CHAIN, vectors=POINTS[:4]), "levels")


# ---- Distortion ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("norm", "order"), [("1", 1), ("2", 2), ("inf", np.inf)])
def test_the_distortion_is_a_norm_of_scipys_cophenetic_distances(norm, order):
    distances, heights = pdist(POINTS), cophenet(LINKAGE)
    expected = np.linalg.norm(heights - distances, order) / np.linalg.norm(distances, order)
    assert ultrametric_distortion(scored(TREE, vectors=POINTS), norm) == pytest.approx(expected)
    # As similarities: all distances and heights less the smallest distance.
    shift = distances.min()
    expected *= np.linalg.norm(distances, order) / np.linalg.norm(distances - shift, order)
    affinity = Tree(TREE.parent, 5.0 - TREE.height, HeightKind.AFFINITY)
    result = scored(affinity, similarity=5.0 - squareform(distances))
    assert ultrametric_distortion(result, norm) == pytest.approx(expected)


def test_an_ultrametric_has_no_distortion():
    heights = squareform(cophenet(LINKAGE))
    affinity = Tree(TREE.parent, -TREE.height, HeightKind.AFFINITY)
    assert ultrametric_distortion(scored(affinity, similarity=-heights)) == 0.0


def test_heights_of_another_unit_have_no_distortion():
    with pytest.raises(NotApplicableError, match="kind distance; those of this tree are missing"):
        ultrametric_distortion(scored(CHAIN, vectors=POINTS[:4]))
    with pytest.raises(NotApplicableError, match=r"kind affinity; .* of kind distance"):
        ultrametric_distortion(scored(TREE, similarity=np.eye(40)))
    pair = Tree(PAIR.parent, [0, 0, 1.0], HeightKind.DISTANCE)
    with pytest.raises(NotApplicableError, match="all distances are 0"):
        ultrametric_distortion(scored(pair, vectors=np.ones((2, 2))))
