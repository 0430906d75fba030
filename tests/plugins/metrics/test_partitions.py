"""Measures of partitions, against scikit-learn, enumeration of all pairs, and by hand."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn import metrics as peer

import hcbench_metrics
from hcbench import (
    Answers,
    NotApplicableError,
    ParameterError,
    Partition,
    Problem,
    Scored,
    Tree,
    score,
)
from hcbench.errors import InvalidPartitionError
from hcbench.model import AnswerMatrix, Cost, Cut
from hcbench_metrics import partitions
from tests.core.trees import trees
from tests.plugins.scoring import CHAIN, TWO_PAIRS
from tests.plugins.tree_cuts import all_cuts

SPECS = {spec.name: spec for spec in hcbench_metrics.hcbench_metrics()}
AGREEMENT = ("clustering-error", "ARI", "AMI", "homogeneity", "completeness", "V-measure")


def scored(found, true, **more):
    result = found if isinstance(found, Tree) else Partition(found)
    levels = np.asarray(true)
    levels = levels[:, None] if levels.ndim == 1 else levels
    return Scored(problem=Problem(n=len(true), levels=levels), result=result, cost=Cost(), **more)


@st.composite
def two_labellings(draw, max_items=12):
    n = draw(st.integers(1, max_items))
    labels = st.lists(st.integers(0, n - 1), min_size=n, max_size=n)
    return np.array(draw(labels)), np.array(draw(labels))


@given(two_labellings())
def test_precision_and_recall_are_those_of_pairs(labels):
    found, true = labels
    (_, wrong), (missed, both) = peer.pair_confusion_matrix(true, found)
    numbers = partitions.pairs(scored(found, true))
    assert numbers["precision"] == pytest.approx(both / (both + wrong) if both + wrong else 1)
    assert numbers["recall"] == pytest.approx(both / (both + missed) if both + missed else 1)
    whole = 2 * both + wrong + missed
    assert numbers["F1"] == pytest.approx(2 * both / whole if whole else 1)


def test_precision_and_recall_by_hand():
    # Together: 01, 02, 12, 34; in one class: 01, 23, 24, 34.
    numbers = partitions.pairs(scored([0, 0, 0, 1, 1], [0, 0, 1, 1, 1]))
    assert numbers == {"precision": 0.5, "recall": 0.5, "F1": 0.5}
    assert score("pairs.precision", Partition([0, 0, 0, 0]), Partition([0, 0, 1, 1])) == 1 / 3
    assert score("pairs.recall", Partition([0, 0, 0, 0]), Partition([0, 0, 1, 1])) == 1


def all_pairs_that_differ(one, other):
    """Among all n^2 ordered pairs."""
    return int(((one[:, None] == one) != (other[:, None] == other)).sum())


@given(two_labellings())
def test_the_clustering_error_counts_all_ordered_pairs(labels):
    one, other = labels
    expected = all_pairs_that_differ(one, other) / len(one) ** 2
    assert partitions.clustering_error(scored(one, other)) == pytest.approx(expected)
    assert Partition(one).disagreements(Partition(other)) * 2 == all_pairs_that_differ(one, other)


def test_a_partition_of_other_items_is_not_compared():
    with pytest.raises(InvalidPartitionError, match="2 items cannot be compared with one of 3"):
        Partition([0, 0]).disagreements(Partition([0, 0, 1]))


def test_the_paper_counts_ten_equal_classes_in_one_cluster_as_ninety_percent():
    classes = np.repeat(np.arange(10), 20)
    assert partitions.clustering_error(scored(np.zeros(200, int), classes)) == pytest.approx(0.9)
    singletons = partitions.clustering_error(scored(np.arange(200), classes))
    assert singletons == pytest.approx(0.1 - 1 / 200)


@pytest.mark.slow
@given(two_labellings(), st.sampled_from(["arithmetic", "geometric", "min", "max"]))
def test_agreement_is_that_of_scikit_learn(labels, average):
    found, true = labels
    score = scored(found, true)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of many small clusters
        assert partitions.ari(score) == pytest.approx(peer.adjusted_rand_score(true, found))
        assert partitions.homogeneity(score) == pytest.approx(
            peer.homogeneity_score(true, found), abs=1e-12
        )
        assert partitions.completeness(score) == pytest.approx(
            peer.completeness_score(true, found), abs=1e-12
        )
        for beta in (1.0, 0.5, 3.0):
            assert partitions.v_measure(score, beta=beta) == pytest.approx(
                peer.v_measure_score(true, found, beta=beta), abs=1e-12
            )
        one, other = len(set(found.tolist())), len(set(true.tolist()))
        if Partition(found) != Partition(true) and not {one, other} & {1, len(found)}:
            # Otherwise scikit-learn divides rounding errors by each other.
            expected = peer.adjusted_mutual_info_score(true, found, average_method=average)
            assert partitions.ami(score, average=average) == pytest.approx(expected, abs=1e-9)


def test_agreement_is_that_of_scikit_learn_for_many_items():
    rng = np.random.default_rng(3)
    true = rng.integers(0, 20, 5000)
    found = np.where(rng.random(5000) < 0.3, rng.integers(0, 400, 5000), true)
    score = scored(found, true)
    expected = peer.adjusted_mutual_info_score(true, found)
    assert partitions.ami(score) == pytest.approx(expected, abs=1e-9)
    assert partitions.v_measure(score) == pytest.approx(peer.v_measure_score(true, found))


@pytest.mark.parametrize(
    ("found", "true", "expected"),
    [
        ([0], [0], 1.0),
        ([0, 0], [1, 1], 1.0),
        ([0, 1], [1, 0], 1.0),
        ([0, 0], [0, 1], 0.0),
        ([0, 1, 2, 3], [0, 0, 1, 1], 0.0),
        ([0, 0, 0, 0], [0, 0, 1, 1], 0.0),
    ],
)
def test_adjusted_information_of_trivial_partitions(found, true, expected):
    for average in ("arithmetic", "geometric", "min", "max"):
        value = partitions.ami(scored(found, true), average=average)
        assert value == pytest.approx(expected, abs=1e-12)


@given(two_labellings(), st.randoms(use_true_random=False))
def test_names_of_clusters_and_order_of_items_do_not_matter(labels, random):
    found, true = labels
    order = random.sample(range(len(found)), len(found))
    names = np.array(random.sample(range(100), len(found)))
    for name in AGREEMENT:
        metric = SPECS[name].load()
        again = metric(scored(names[found][order], true[order]))
        assert metric(scored(found, true)) == pytest.approx(again, abs=1e-12)


@given(two_labellings())
def test_the_best_value_is_that_of_equal_partitions_alone(labels):
    found, true = labels
    is_equal = Partition(found) == Partition(true)
    for name in ("clustering-error", "ARI", "AMI", "V-measure"):
        best = 0.0 if name == "clustering-error" else 1.0
        value = SPECS[name].load()(scored(found, true))
        assert (value == pytest.approx(best, abs=1e-12)) == is_equal, name
        low, high = (float(x) for x in SPECS[name].interval.strip("[]()").split(","))
        assert low <= value <= high + 1e-12


@given(two_labellings())
def test_homogeneity_one_way_is_completeness_the_other(labels):
    found, true = labels
    there = partitions.homogeneity(scored(found, true))
    assert there == pytest.approx(partitions.completeness(scored(true, found)))


def test_a_tree_is_cut_at_the_number_of_true_clusters():
    true = [0, 0, 1, 1]
    for name in AGREEMENT:
        metric = SPECS[name].load()
        assert metric(scored(TWO_PAIRS, true)) == metric(scored([0, 0, 1, 1], true)), name
        three = metric(scored(TWO_PAIRS, true), k=3)
        assert three == metric(scored(TWO_PAIRS.cut(3).labels, true)), name
    with pytest.raises(ParameterError, match="k=5 is more than the 4 items"):
        partitions.ari(scored(CHAIN, true), k=5)


@given(trees(max_leaves=7), st.data())
def test_the_best_cut_has_the_smallest_error_and_is_used_by_all_measures(tree, data):
    true = np.array(data.draw(st.lists(st.integers(0, 3), min_size=tree.n, max_size=tree.n)))
    cuts = [Cut(tree, nodes).partition.labels for nodes in all_cuts(tree)]
    errors = [all_pairs_that_differ(labels, true) for labels in cuts]
    _, fewest, at = min(zip(errors, map(len, all_cuts(tree)), range(len(cuts)), strict=True))
    coarsest = cuts[at]
    assert len(set(coarsest.tolist())) == fewest
    for name in AGREEMENT:
        metric = SPECS[name].load()
        found = metric(scored(tree, true), cut="best")
        assert found == pytest.approx(metric(scored(coarsest, true)), abs=1e-12), name


def test_the_best_cut_against_answers_is_the_one_nearest_to_them():
    """By hand: TWO_PAIRS is ((0, 1), (2, 3)); by the answers 2 and 3 are apart."""

    def make_answers():
        exceptions = [(np.array([2]), np.array([3]))]
        matrix = AnswerMatrix(Partition([0, 0, 1, 1]), lambda: exceptions)
        return Answers(kind="pair-queries", n=4, arity=2, matrix=matrix)

    result = scored(TWO_PAIRS, [0, 0, 1, 1], make_answers=make_answers)
    assert partitions.clustering_error(result, against="truth", cut="best") == 0
    assert partitions.clustering_error(result, against="answers") == 2 / 16
    assert partitions.clustering_error(result, against="answers", cut="best") == 0


def test_the_best_cut_refuses_a_number_of_clusters_and_partitions_are_not_cut():
    true = [0, 0, 1, 1]
    with pytest.raises(ParameterError, match=r"k=2 and cut=best: .* omit one"):
        partitions.ari(scored(TWO_PAIRS, true), cut="best", k=2)
    apart = scored([0, 1, 2, 3], true)
    assert partitions.ari(apart, cut="best") == partitions.ari(apart)


@pytest.mark.parametrize("size", [10, 100])
def test_independent_clusters_have_exactly_no_information(size):
    """Not 1e-16, a difference of equal logarithms, which a table would show as a value."""
    items = np.arange(size * size)
    crossed = scored(items // size, items % size)
    for name in ("homogeneity", "completeness", "V-measure"):
        assert SPECS[name].load()(crossed) == 0
    singletons = scored(items, items % size)
    for average in ("arithmetic", "geometric", "min", "max"):
        assert partitions.ami(singletons, average=average) == 0


def test_a_level_of_the_labels_can_be_chosen():
    levels = np.array([[0, 0], [0, 1], [1, 2], [1, 2]])
    found = Partition([0, 0, 1, 1])
    problem = Problem(n=4, levels=levels)
    score_ = Scored(problem=problem, result=found, cost=Cost())
    assert partitions.ari(score_, level=1) == 1.0
    assert partitions.ari(score_) < 1.0
    with pytest.raises(NotApplicableError, match="level=3: there are 2 levels"):
        partitions.ari(score_, level=3)


def test_the_error_against_answers_is_that_of_the_oracle():
    def make_answers():
        """Answers with errors about the pairs (0, 3) and (2, 3)."""
        exceptions = [(np.array([0]), np.array([3])), (np.array([2]), np.array([3]))]
        matrix = AnswerMatrix(Partition([0, 0, 1, 1]), lambda: exceptions)
        return Answers(kind="pair-queries", n=4, arity=2, matrix=matrix)

    for labels, wrong in (([0, 0, 1, 1], 2), ([0] * 4, 4)):  # (0, 1), (0, 3) together
        result = scored(labels, [0] * 4, make_answers=make_answers)
        assert partitions.clustering_error(result, against="answers") == 2 * wrong / 16
    for without in (None, lambda: Answers(kind="vectors", n=4)):
        with pytest.raises(NotApplicableError, match=r"^no oracle was asked that tells"):
            partitions.clustering_error(
                scored([0, 0], [0, 1], make_answers=without), against="answers"
            )


def test_counts_and_sizes():
    result = scored([0, 0, 0, 1, 2, 2], [0] * 6)
    assert partitions.n_clusters(result) == 3
    sizes = [partitions.cluster_size(result, s) for s in ("largest", "smallest", "median")]
    assert sizes == [3, 1, 2]
    with pytest.raises(NotApplicableError, match="a hierarchy, not a partition"):
        partitions.n_clusters(scored(TWO_PAIRS, [0, 0, 1, 1]))


def test_score_takes_labels():
    assert score("ARI", [0, 0, 1, 1], [1, 1, 0, 0]) == 1.0
    assert score("clustering-error", np.array([0, 0, 1, 1]), [0, 0, 0, 0]) == 0.5
    with pytest.raises(NotApplicableError, match="no oracle"):
        score("clustering-error[against=answers]", [0, 1], [0, 1])
