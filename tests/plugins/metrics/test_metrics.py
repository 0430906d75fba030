"""Each metric against values computed by hand, its definition, and other libraries."""

from __future__ import annotations

import inspect
import itertools
import subprocess
import sys
import warnings

import higra
import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from sklearn.metrics import adjusted_rand_score

import hcbench_metrics
from hcbench import (
    DataRequest,
    HeightKind,
    NotApplicableError,
    Partition,
    Problem,
    Scored,
    Tree,
    similarity_matrix as all_similarities,
)
from hcbench.model import Cost
from hcbench.registry.parameters import Interval
from hcbench_datasets.planted import planted
from hcbench_metrics import agreement, costs, merge_heights
from hcbench_metrics.agreement import aari
from hcbench_metrics.merge_heights import merge_distortion
from hcbench_metrics.merge_order import kendall_tau_b
from hcbench_metrics.objectives import dasgupta, dasgupta_normalised
from tests.core.trees import caterpillar, trees
from tests.plugins.scoring import (
    CHAIN,
    PAIR,
    SINGLE,
    TWO_PAIRS,
    affinity_tree,
    random_tree,
    scored,
    two_trees,
)

SPECS = [part for spec in hcbench_metrics.hcbench_metrics() for part in spec.split()]

# ---- AARI ----------------------------------------------------------------------------------------


def test_aari_is_the_mean_over_the_levels_of_the_labels():
    levels = np.array([[0, 0], [0, 0], [0, 1], [1, 2], [1, 2], [1, 3]])
    # Cuts of the result into 2: {0,1,2,3}, {4,5}; into 4: {0,1}, {2,3}, {4}, {5}.
    result = Tree([6, 6, 7, 7, 9, 9, 8, 8, 10, 10, -1])
    # Two clusters: 6 + 1 and 3 + 3 pairs of 15, 4 of them in common: expected 2.8, maximum 6.5.
    # Four clusters: 2 and 2 pairs, 1 of them in common: expected 4/15, maximum 2.
    expected = ((4 - 2.8) / (6.5 - 2.8) + (1 - 4 / 15) / (2 - 4 / 15)) / 2
    assert aari(scored(result, levels=levels)) == pytest.approx(expected, abs=1e-14)


def test_aari_can_be_negative():
    crossed = Tree([4, 5, 4, 5, 6, 6, -1])  # ((0,2),(1,3))
    # 2 and 2 pairs of 6, none in common.
    assert aari(scored(crossed, truth=TWO_PAIRS)) == pytest.approx((0 - 2 / 3) / (2 - 2 / 3))


def test_trivial_label_levels_are_excluded():
    levels = np.array([[0, 1, 1, 0], [0, 1, 1, 1], [0, 2, 2, 2], [0, 2, 2, 3]])
    assert aari(scored(TWO_PAIRS, levels=levels)) == 1.0
    crossed = Tree([4, 5, 4, 5, 6, 6, -1])
    # Single items are the same clusters in any tree: the paper's sum counts their level.
    assert aari(scored(crossed, levels=levels), singletons=False) == pytest.approx(-0.5)
    assert aari(scored(crossed, levels=levels)) == pytest.approx((-0.5 + 1) / 2)


def test_a_planted_hierarchy_of_single_items_has_all_levels_of_the_formula():
    problem = planted(DataRequest(seed=0), N0=1, L=3, mu=0.8, sigma=0.1, delta=0.1)
    tree = random_tree(8, np.random.default_rng(0))
    indices = []
    for level in (1, 2, 3):
        _, true = np.unique(problem.levels[:, :level], axis=0, return_inverse=True)
        indices.append(adjusted_rand_score(true.ravel(), tree.cut(2**level).labels))
    assert indices[2] == 1
    assert aari(scored(tree, levels=problem.levels)) == pytest.approx(np.mean(indices))


def test_one_name_in_two_classes_is_two_classes():
    levels = np.array([[0, 5], [0, 5], [1, 5], [1, 5]])
    assert aari(scored(TWO_PAIRS, levels=levels)) == 1.0


def test_labels_and_powers_are_the_same_for_a_planted_hierarchy():
    rng = np.random.default_rng(0)
    finest = np.repeat(np.arange(8), 3)
    levels = np.column_stack((finest // 4, finest // 2, finest))
    result = random_tree(24, rng)
    values = [aari(scored(result, levels=levels), levels=by) for by in ("auto", "labels", "powers")]
    assert values[0] == values[1] == values[2] != 0


def test_powers_are_the_cuts_that_the_truth_has():
    three = Tree([6, 6, 7, 7, 8, 8, 9, 9, 9, -1])  # a cut into 3, but not into 2 or 4
    with pytest.raises(NotApplicableError, match="no level"):
        aari(scored(caterpillar(6), truth=three), levels="powers")


def test_levels_of_labels_need_labels():
    with pytest.raises(NotApplicableError, match="levels=powers"):
        aari(scored(CHAIN, truth=TWO_PAIRS), levels="labels")


def test_powers_do_not_cut_through_ties():
    # Three clusters of two, then six items: four are a choice between the clusters.
    parent = [6, 6, 7, 7, 8, 8, 9, 9, 10, 10, -1]
    tied = Tree(parent, [0] * 6 + [1, 1, 1, 2, 3], HeightKind.DISTANCE)
    apart = Tree(parent, [0] * 6 + [0.9, 1, 1.1, 2, 3], HeightKind.DISTANCE)
    # Cuts of the result: {0,1,2,3}, {4,5}; into 4 clusters {4}, {5} are split off first.
    assert aari(scored(apart, truth=tied)) == aari(scored(tied, truth=tied)) == 1.0
    crossed = tied.relabel([0, 1, 4, 5, 2, 3])
    assert aari(scored(crossed, truth=tied)) == pytest.approx((3 - 49 / 15) / (7 - 49 / 15))


def test_a_truth_without_labels_or_powers_is_compared_at_its_depths():
    # Three families: no cut into 2, 4 or 8 clusters without a choice between equal ones.
    truth = Tree.from_newick("((0,1,2,3),(4,5,6),(7,8,9));").with_names(None)
    with pytest.raises(NotApplicableError, match="no level"):
        aari(scored(truth, truth=truth), levels="powers")
    assert aari(scored(truth, truth=truth)) == 1.0
    other = truth.relabel([0, 1, 2, 4, 3, 5, 6, 7, 8, 9])
    found = adjusted_rand_score([0] * 4 + [1] * 3 + [2] * 3, other.cut(3).labels)
    assert aari(scored(other, truth=truth)) == pytest.approx(found)


def levels_of(truth):
    """Partitions without all inner nodes from some height on (size, without heights), by size."""
    sign = -1 if truth.kind is HeightKind.AFFINITY else 1
    priority = sign * (truth.sizes if truth.height is None else truth.height)
    levels = {}
    for lowest in set(priority[truth.n :]):
        labels = np.arange(truth.n)
        for v in range(truth.n, truth.n_nodes):  # later nodes are above or apart
            if priority[v] < lowest:
                labels[truth.leaves(v)] = v
        partition = Partition(labels)
        levels[partition.n_clusters] = partition
    return levels


@given(two_trees(min_leaves=3))
def test_aari_agrees_with_scikit_learn(pair):
    result, truth = pair
    levels = levels_of(truth)
    chosen = [levels[k] for k in (2, 4, 8) if k in levels and k < truth.n]
    if not chosen:
        with pytest.raises(NotApplicableError, match="no level"):
            aari(scored(result, truth=truth), levels="powers")
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of many small clusters
        expected = [
            adjusted_rand_score(true.labels, result.cut(true.n_clusters).labels) for true in chosen
        ]
    value = aari(scored(result, truth=truth), levels="powers")
    assert value == pytest.approx(np.mean(expected), abs=1e-12)
    assert -1 <= value <= 1


@given(st.data(), st.integers(1, 12))
def test_adjusted_rand_index_agrees_with_scikit_learn(data, n):
    one, other = (data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)) for _ in "ab")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = adjusted_rand_score(one, other)
    found = agreement.adjusted_rand_index(Partition(one), Partition(other))
    assert found == pytest.approx(expected, abs=1e-14)


# ---- Merge distortion ----------------------------------------------------------------------------


def test_merge_distortion_by_hand():
    result = affinity_tree(CHAIN, [9, 9, 9, 9, 5, 4, 1])
    truth = affinity_tree(TWO_PAIRS, [0, 0, 0, 0, 5, 3, 2])
    # Pairs 01: 5, 5; 02 and 12: 4, 2; 03 and 13: 1, 2; 23: 1, 3.
    assert merge_distortion(scored(result, truth=truth)) == 2.0


def test_heights_of_leaves_do_not_count():
    truth = affinity_tree(PAIR, [7, 7, 2])
    assert merge_distortion(scored(affinity_tree(PAIR, [90, 80, 5]), truth=truth)) == 3.0
    one = affinity_tree(SINGLE, [3])
    assert merge_distortion(scored(one, truth=affinity_tree(SINGLE, [8]))) == 0.0


@pytest.mark.slow
def test_equal_infinite_heights_differ_by_0():
    truth = affinity_tree(CHAIN, [np.inf, np.inf, 5, 5, np.inf, 3, -np.inf])
    assert merge_distortion(scored(truth, truth=truth)) == 0.0
    finite = affinity_tree(CHAIN, [8, 8, 5, 5, 4, 3, 2])
    assert merge_distortion(scored(finite, truth=truth)) == np.inf
    dips = affinity_tree(CHAIN, [8, 8, 5, 5, np.inf, 1, 2])
    assert merge_distortion(scored(dips, truth=dips)) == 0.0


@pytest.mark.parametrize(
    ("kind", "what"),
    [(HeightKind.DISTANCE, "distances"), (HeightKind.ORDER, "order of merging")],
)
def test_merge_distortion_reports_unsuitable_heights(kind, what):
    heights = [0, 0, 0, 0, 1, 2, 3]
    fits, other = affinity_tree(CHAIN, heights[::-1]), Tree(CHAIN.parent, heights, kind)
    with pytest.raises(
        NotApplicableError,
        match=f"the result's heights are (only an )?{what}",
    ):
        merge_distortion(scored(other, truth=fits))
    with pytest.raises(NotApplicableError, match="the truth's heights are missing"):
        merge_distortion(scored(fits, truth=CHAIN))


@given(st.booleans().flatmap(lambda m: two_trees(kind=HeightKind.AFFINITY, monotone=m)))
def test_merge_distortion_is_the_maximum_over_pairs(pair):
    result, truth = pair
    differences = [
        abs(float(result.merge_height(i, j)) - float(truth.merge_height(i, j)))
        for i, j in itertools.combinations(range(truth.n), 2)
    ]
    value = merge_distortion(scored(result, truth=truth))
    assert value == max(differences, default=0.0)
    assert value == merge_distortion(scored(truth, truth=result))


def test_rounding_does_not_make_the_pass_quadratic():
    heights = np.array([9, 9, 9, 9, 0.3, 0.1 + 0.2, 0.1])
    tree = affinity_tree(CHAIN, heights)
    assert heights[4] < heights[5]
    assert merge_heights.is_monotone(tree, heights)
    assert not merge_heights.is_monotone(tree, np.array([9, 9, 9, 9, 0.2, 0.3, 0.1]))


# ---- Dasgupta's cost -----------------------------------------------------------------------------

W = np.array([[9.0, 3, 1], [3, 9, 2], [1, 2, 9]])
THREE = {(0, 1): [3, 3, 4, 4, -1], (0, 2): [3, 4, 3, 4, -1], (1, 2): [4, 3, 3, 4, -1]}


def test_dasgupta_by_hand():
    costs_by_hand = {
        (0, 1): 2 * 3 + 3 * (1 + 2),
        (0, 2): 2 * 1 + 3 * (3 + 2),
        (1, 2): 2 * 2 + 3 * 4,
    }
    for first, parent in THREE.items():
        assert dasgupta(scored(Tree(parent), similarity=W)) == costs_by_hand[first]
    assert dasgupta(scored(Tree([3, 3, 3, -1]), similarity=W)) == 3 * 6
    assert dasgupta(scored(PAIR, similarity=W[:2, :2])) == 2 * 3
    assert dasgupta(scored(SINGLE, similarity=W[:1, :1])) == 0.0


def test_dasgupta_normalised_by_hand():
    values = [dasgupta_normalised(scored(Tree(p), similarity=W)) for p in THREE.values()]
    assert values == pytest.approx([(15 - 12) / 4, (17 - 12) / 4, (16 - 12) / 4], abs=1e-15)
    assert np.mean(values) == pytest.approx(1)
    assert dasgupta_normalised(scored(Tree([3, 3, 3, -1]), similarity=W)) == pytest.approx(1.5)
    assert dasgupta_normalised(scored(PAIR, similarity=W[:2, :2])) == 0.0
    assert dasgupta_normalised(scored(SINGLE, similarity=W[:1, :1])) == 0.0


@pytest.mark.parametrize("total", [0, -1])
def test_the_normalised_cost_needs_a_positive_sum(total):
    w = np.full((3, 3), total / 3)
    with pytest.raises(NotApplicableError, match="positive sum"):
        dasgupta_normalised(scored(Tree(THREE[0, 1]), similarity=w))


@given(trees(binary=True, min_leaves=2))
def test_every_binary_tree_costs_the_same_if_all_items_are_alike(tree):
    n = tree.n
    assert dasgupta(scored(tree, similarity=np.ones((n, n)))) == (n**3 - n) / 3


@pytest.mark.slow
@given(trees(binary=True, min_leaves=5, max_leaves=5), st.integers(0, 9))
def test_one_is_the_mean_over_all_orders_of_the_leaves(tree, seed):
    w = np.random.default_rng(seed).random((5, 5))
    w = w + w.T
    values = [
        dasgupta_normalised(scored(tree.relabel(order), similarity=w))
        for order in itertools.permutations(range(5))
    ]
    assert np.mean(values) == pytest.approx(1)


def symmetric(n, seed):
    w = np.random.default_rng(seed).normal(size=(n, n))
    return w + w.T


@given(trees(), st.integers(0, 99))
def test_dasgupta_agrees_with_its_definition(tree, seed):
    w = symmetric(tree.n, seed)
    expected = sum(
        w[i, j] * tree.sizes[tree.lca(i, j)] for i, j in itertools.combinations(range(tree.n), 2)
    )
    assert dasgupta(scored(tree, similarity=w)) == pytest.approx(expected, abs=1e-9)


@given(trees(min_leaves=2), st.integers(0, 99))
def test_dasgupta_agrees_with_higra(tree, seed):
    w = symmetric(tree.n, seed)
    graph = higra.UndirectedGraph(tree.n)
    pairs = np.triu_indices(tree.n, 1)
    graph.add_edges(*pairs)
    parent = tree.parent.copy()
    parent[-1] = tree.root
    expected = higra.dasgupta_cost(higra.Tree(parent), w[pairs], graph, mode="similarity")
    assert dasgupta(scored(tree, similarity=w)) == pytest.approx(expected, abs=1e-9)


@given(trees(binary=True, min_leaves=2, kind=HeightKind.DISTANCE), st.integers(0, 99))
def test_dasgupta_is_scikit_networks_times_the_sum_of_similarities(tree, seed):
    sknetwork = pytest.importorskip("sknetwork.hierarchy")  # not there for the newest Python
    # It gives the expected size of the cluster of a pair drawn in proportion to its similarity.
    w = np.abs(symmetric(tree.n, seed))
    np.fill_diagonal(w, 0)
    expected = sknetwork.dasgupta_cost(sparse.csr_matrix(w), tree.to_linkage()) * w.sum() / 2
    assert dasgupta(scored(tree, similarity=w)) == pytest.approx(expected)


@pytest.mark.slow
@given(
    trees(), st.integers(1, 5), st.integers(0, 99), st.sampled_from(["cosine", "dot", "euclidean"])
)
def test_vectors_cost_what_their_similarities_cost(tree, p, seed, rule):
    rng = np.random.default_rng(seed)
    dense = rng.normal(size=(tree.n, p)) * (rng.random((tree.n, p)) < 0.6)
    dense[(dense == 0).all(axis=1), 0] = 1  # a zero vector has no cosine
    w = all_similarities(Problem(n=tree.n, vectors=dense.copy()), rule)
    expected = dasgupta(scored(tree, similarity=w))
    for vectors in (dense, sparse.csr_array(dense)):
        found = dasgupta(scored(tree, vectors=vectors), similarity=rule)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_vectors_are_summed_in_blocks_of_columns():
    """A block has 2**22 sums at the 15 nodes: three blocks."""
    rng = np.random.default_rng(0)
    tree = random_tree(8, rng)
    vectors = rng.normal(1.0, size=(8, 600_000))
    expected = dasgupta(scored(tree, similarity=vectors @ vectors.T))
    assert dasgupta(scored(tree, vectors=vectors), similarity="dot") == pytest.approx(expected)


def test_duplicate_entries_of_a_sparse_matrix_are_added():
    twice = sparse.csr_array(([1.0, 2.0, 1.0], [0, 0, 0], [0, 2, 3]), shape=(2, 1))
    assert dasgupta(scored(PAIR, vectors=twice), similarity="dot") == 2 * 3 * 1


def test_a_similarity_matrix_takes_precedence_over_vectors():
    score = scored(PAIR, similarity=W[:2, :2], vectors=np.eye(2))
    assert dasgupta(score, similarity="dot") == 6.0


def test_dasgupta_needs_similarities():
    with pytest.raises(NotApplicableError, match="neither similarities nor vectors"):
        dasgupta(scored(PAIR))


# ---- Costs ---------------------------------------------------------------------------------------


def test_costs_are_those_of_the_call():
    cost = Cost(
        seconds=1.5, oracle_seconds=0.5, peak_bytes=1024, queries=7, distinct_queries=5, rounds=3
    )
    score = scored(PAIR, cost=cost)
    names = ("queries", "distinct_queries", "rounds", "seconds", "oracle_seconds", "peak_memory")
    assert [getattr(costs, name)(score) for name in names] == [7, 5, 3, 1.5, 0.5, 1024]
    partition = Scored(problem=score.problem, result=Partition([0, 0]), cost=cost)
    assert costs.queries(partition) == 7


@pytest.mark.parametrize(
    ("metric", "reason"),
    [
        (costs.queries, "does not count queries"),
        (costs.distinct_queries, "does not count queries"),
        (costs.rounds, "does not count queries"),
        (costs.oracle_seconds, "their time is not separate"),
        (costs.peak_memory, "cannot measure"),
    ],
)
def test_an_unknown_cost_is_not_zero(metric, reason):
    with pytest.raises(NotApplicableError, match=reason):
        metric(scored(PAIR, cost=Cost(seconds=1.0, oracle_seconds=None)))


# ---- All metrics ---------------------------------------------------------------------------------


def test_specs_have_the_parameters_of_their_functions():
    for spec in SPECS:
        declared = {p.name: p.default for p in spec.parameters}
        signature = inspect.signature(spec.load()).parameters
        assert next(iter(signature)) == "scored"
        assert {n: p.default for n, p in signature.items() if n != "scored"} == declared
        assert spec.load().__doc__
        assert spec.cost or spec.paper


@pytest.mark.slow
def test_specs_import_nothing_heavy():
    heavy = "{'numba', 'numpy', 'scipy', 'sklearn'}"
    code = (
        f"import sys, hcbench_metrics as m; m.hcbench_metrics(); print({heavy} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


QUALITY = [spec for spec in SPECS if not spec.cost]


@given(st.data(), st.sampled_from(QUALITY))
def test_names_of_items_do_not_matter_and_values_are_in_range(data, spec):
    result, truth = data.draw(two_trees(kind=HeightKind.AFFINITY))
    order = np.array(data.draw(st.permutations(range(truth.n))), dtype=np.int64)
    vectors = np.random.default_rng(0).integers(1, 5, (truth.n, 3)).astype(float)
    score = scored(result, truth=truth, vectors=vectors)
    # Leaf i becomes leaf order[i].
    other = scored(
        result.relabel(order), truth=truth.relabel(order), vectors=vectors[np.argsort(order)]
    )
    metric = spec.load()
    try:
        value = metric(score)
    except NotApplicableError:
        with pytest.raises(NotApplicableError):
            metric(other)
        return
    assert metric(other) == pytest.approx(value, abs=1e-9)
    interval = Interval(spec.interval)
    inside = min(max(value, interval.low), interval.high)
    assert inside in interval
    assert value == pytest.approx(inside, abs=1e-12)  # The end of a range may be met by rounding.


@given(trees(kind=HeightKind.ORDER, binary=True, min_leaves=3))
def test_the_truth_agrees_with_itself(tree):
    assert aari(scored(tree, truth=tree)) == 1.0
    assert kendall_tau_b(scored(tree, truth=tree)) == pytest.approx(1.0, abs=1e-15)
    heights = affinity_tree(tree, -tree.height)
    assert merge_distortion(scored(heights, truth=heights)) == 0.0


def test_partitions_are_refused():
    problem = Problem(n=2, truths={"truth": PAIR}, similarity=np.ones((2, 2)))
    score = Scored(problem=problem, result=Partition([0, 1]), cost=Cost(seconds=1.0))
    for spec in (spec for spec in QUALITY if spec.result == "tree"):
        with pytest.raises(NotApplicableError, match="partition"):
            spec.load()(score)


@pytest.mark.parametrize("metric", [aari, kendall_tau_b, merge_distortion])
def test_agreement_needs_a_truth(metric):
    with pytest.raises(NotApplicableError, match="no true hierarchy"):
        metric(scored(affinity_tree(PAIR, [1, 1, 0])))


@pytest.mark.parametrize("tree", [SINGLE, PAIR], ids=["one item", "two items"])
def test_agreement_of_few_items_is_undefined(tree):
    for metric in (aari, kendall_tau_b):
        with pytest.raises(NotApplicableError):
            metric(scored(tree, truth=tree))


def test_two_items_are_ranked_if_they_are_ranked_themselves():
    assert kendall_tau_b(scored(PAIR, truth=PAIR), include_self=True) == 1.0
    with pytest.raises(NotApplicableError):
        kendall_tau_b(scored(SINGLE, truth=SINGLE), include_self=True)
