"""The truth is the best result by every metric that compares results with it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from sklearn.metrics import adjusted_rand_score

import hcbench_metrics
from hcbench import (
    HeightKind,
    NotApplicableError,
    Partition,
    Problem,
    Scored,
    Tree,
    finest_partition,
    fit,
    load_registry,
)
from hcbench.model import Cost
from hcbench.run import make_data
from hcbench_metrics.agreement import aari
from hcbench_metrics.partitions import ari, clustering_error
from hcbench_metrics.purity import dendrogram_purity
from hcbench_metrics.true_cuts import choose_cut, cut_into_as_many, is_reachable, nodes_of
from tests.core.trees import trees
from tests.plugins.scoring import STAR, TWO_PAIRS, scored, two_trees

# Three classes of 5, 3 and 2 items, of which the largest is the only one that is not divided.
UNEVEN = np.array([[0, 0]] * 5 + [[1, 0], [1, 0], [1, 1], [2, 0], [2, 1]])


def crossing_heights():
    """Levels {0..3}, {4..7} and {0,1}, {2,3}, {4..7}; the last class merges above the first two."""
    parent = [8, 8, 9, 9, 10, 10, 10, 10, 11, 11, 12, 12, -1]
    heights = [0.0] * 8 + [1.0, 1.0, 5.0, 2.0, 9.0]
    levels = np.array([[0, 0], [0, 0], [0, 1], [0, 1]] + [[1, 0]] * 4)
    return Tree(parent, heights, HeightKind.DISTANCE), levels


def test_the_truth_made_of_uneven_classes_has_the_best_values():
    truth = Tree.from_levels(UNEVEN)
    # By size the class of 5 items would be divided before those of 3 and 2.
    assert truth.cut(5).n_clusters > 5
    assert aari(scored(truth, levels=UNEVEN)) == 1.0
    assert ari(scored(truth, levels=UNEVEN)) == ari(scored(truth, levels=UNEVEN), level=1) == 1.0
    assert clustering_error(scored(truth, levels=UNEVEN)) == 0.0


def test_the_cut_of_another_result_of_uneven_classes_is_that_into_as_many_clusters():
    truth = Tree.from_levels(UNEVEN)
    heights = truth.depths.max() - truth.depths.astype(float)
    heights[: truth.n] = 0.0
    result = Tree(truth.parent, heights, HeightKind.DISTANCE).relabel(
        [1, 5, 2, 3, 4, 0, 6, 7, 8, 9]
    )
    expected = []
    for level, k in [(1, 3), (2, 5)]:
        _, true = np.unique(UNEVEN[:, :level], axis=0, return_inverse=True)
        expected.append(adjusted_rand_score(true.ravel(), result.cut(k).labels))
    assert aari(scored(result, levels=UNEVEN)) == pytest.approx(np.mean(expected))


def test_where_heights_do_not_separate_the_levels_every_result_is_cut_best():
    truth, levels = crossing_heights()
    score = scored(truth, truth=truth, levels=levels)
    # The cut into three clusters is {0..3} and the four items of the last class.
    assert aari(score, cut="K") < 1.0
    assert aari(score) == aari(score, cut="best") == 1.0
    assert ari(score, cut="K") < ari(score) == 1.0
    # So it is for another result, which has the cluster {4..7} only.
    other = Tree([8, 9, 8, 9, 10, 10, 10, 10, 11, 11, 12, 12, -1], truth.height, truth.kind)
    found = scored(other, truth=truth, levels=levels)
    best = [Partition([0] * 4 + [1] * 4), Partition([0, 1, 2, 3] + [4] * 4)]
    exact = [[0] * 4 + [1] * 4, [0, 0, 1, 1] + [2] * 4]
    expected = [adjusted_rand_score(t, b.labels) for t, b in zip(exact, best, strict=True)]
    assert aari(found) == aari(found, cut="best") == pytest.approx(np.mean(expected))


def test_ties_may_be_split_in_the_order_of_the_true_clusters():
    tied = Tree(
        [6, 6, 7, 7, 8, 8, 9, 9, 10, 10, -1], [0] * 6 + [1, 1, 1, 2, 3], HeightKind.DISTANCE
    )
    for clusters in ([0, 0, 1, 1, 2, 3], [0, 0, 1, 2, 3, 3], [0, 1, 2, 2, 3, 3]):
        assert cut_into_as_many(tied, Partition(clusters)) == Partition(clusters)
    # Node 9, at 2, is above these: its parts cannot be together where others are split.
    assert cut_into_as_many(tied, Partition([0, 0, 0, 0, 1, 2])) == Partition([0, 0, 1, 1, 2, 2])


def test_cuts_that_a_tree_with_heights_cannot_have():
    truth, _ = crossing_heights()
    assert is_reachable(truth, Partition([0] * 4 + [1] * 4))
    assert not is_reachable(truth, Partition([0, 0, 1, 1] + [2] * 4))
    assert is_reachable(Tree(truth.parent), Partition([0, 0, 1, 1] + [2] * 4))
    upside_down = Tree(truth.parent, -truth.height, HeightKind.AFFINITY)
    assert is_reachable(upside_down, Partition([0] * 4 + [1] * 4))
    assert not is_reachable(upside_down, Partition([0, 0, 1, 1] + [2] * 4))


@given(trees(min_leaves=2))
def test_nodes_of_a_cut_are_found_by_their_leaves(tree):
    for k in range(1, tree.n + 1):
        nodes = nodes_of(tree, tree.cut(k))
        assert sorted(nodes) == sorted(tree.cut_nodes(k))
        assert is_reachable(tree, tree.cut(k))
    # Exchanged items are the clusters of a cut only by chance.
    shuffled = tree.cut(min(2, tree.n)).labels[::-1]
    clusters = [frozenset(np.flatnonzero(shuffled == c)) for c in set(shuffled.tolist())]
    all_clusters = {frozenset(tree.leaves(v).tolist()) for v in range(tree.n_nodes)}
    assert (nodes_of(tree, Partition(shuffled)) is None) == (not all_clusters.issuperset(clusters))


def test_labels_that_are_no_clusters_of_the_truth_are_not_its_levels():
    crossing = np.array([[0], [1], [0], [1]])
    assert aari(scored(TWO_PAIRS, truth=TWO_PAIRS, levels=crossing)) == 1.0  # the cut into two
    with pytest.raises(NotApplicableError, match="all clusters of the truth; take levels=powers"):
        aari(scored(TWO_PAIRS, truth=TWO_PAIRS, levels=crossing), levels="labels")
    # Against labels of which there is no truth, a cut into as many clusters is compared.
    assert choose_cut("auto", [TWO_PAIRS], [Partition([0, 1, 0, 1])]) == "K"


def test_the_true_clusters_of_a_tree_are_a_cut_of_it():
    # An item beside clusters is one of its own: (0, 1, (2, 3), (4, 5, (6, 7))).
    truth = Tree([11, 11, 8, 8, 10, 10, 9, 9, 11, 10, 11, -1])
    assert finest_partition(Problem(n=8, truths={"t": truth})) == Partition(
        [0, 1, 2, 2, 3, 4, 5, 5]
    )
    assert dendrogram_purity(scored(truth, truth=truth)) == 1.0
    assert ari(scored(truth, truth=truth)) == 1.0
    assert finest_partition(Problem(n=4, truths={"t": STAR})).n_clusters == 1


COMPARING = [
    spec
    for whole in hcbench_metrics.hcbench_metrics()
    for spec in whole.split()
    if spec.direction != "none"
    and not spec.cost
    and (spec.name == "clustering-error" or set(spec.needs) & {"truth|levels", "truth", "heights"})
]


@given(two_trees(min_leaves=3))
def test_no_tree_is_better_than_the_truth(pair):
    result, truth = pair
    problem = Problem(n=truth.n, truths={"truth": truth})
    for spec in COMPARING:
        values = []
        for tree in (truth, result):
            try:
                values.append(spec.load()(Scored(problem=problem, result=tree, cost=Cost())))
            except NotApplicableError:
                break
        if len(values) == 2:
            sign = -1 if spec.direction == "lower" else 1
            assert sign * values[0] >= sign * values[1] - 1e-9, spec.name


@pytest.mark.parametrize("seed", range(6))
def test_the_truth_is_the_best_of_nested_gaussians(seed):
    (use,) = load_registry().use_datasets("nested-gaussians[n=120]")
    problem = make_data(use, seed)
    assert aari(Scored(problem=problem, result=problem.truth, cost=Cost())) == 1.0
    ward = fit("Ward", problem)
    assert aari(Scored(problem=problem, result=ward, cost=Cost())) <= 1.0
