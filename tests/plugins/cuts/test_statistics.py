"""Statistics of trees and cuts: by enumeration, in closed form, and by hand."""

from dataclasses import replace
from math import exp, log, log2

import numpy as np
import pytest
from hypothesis import given, strategies as st

import hcbench
from hcbench import NotApplicableError, Oracle, OracleRequest, Partition, Problem, Scored, Tree
from hcbench.model import Cost, Cut, best_cut
from hcbench_cuts import statistics
from hcbench_oracles.pairs import pair_queries
from tests.core.trees import caterpillar, trees
from tests.plugins.tree_cuts import (
    FIGURE_1,
    all_cuts,
    best_of,
    hamming,
    random_sigma,
    sigma,
    sigma_of_cut,
)


def scored(tree, result=None, labels=None):
    levels = None if labels is None else np.array(labels)[:, None]
    problem = Problem(n=tree.n, tree=tree, levels=levels)
    made = result if result is not None else Partition(np.zeros(tree.n, int))
    return Scored(problem=problem, result=made, cost=Cost())


def balanced(depth):
    """2^depth leaves, all at one depth."""
    n = 1 << depth
    nodes = np.arange(2 * n - 2)
    return Tree(np.append(n + nodes // 2, -1))


def of_cut(tree, nodes):
    return scored(tree, Cut(tree, nodes).partition)


# ---- N(T) ----------------------------------------------------------------------------------------


@given(trees(max_leaves=8))
def test_the_logarithm_is_that_of_the_number_of_all_cuts(tree):
    assert exp(statistics.log_cuts(scored(tree))) == pytest.approx(len(all_cuts(tree)))


def test_figure_1_has_22_cuts():
    assert exp(statistics.log_cuts(scored(FIGURE_1))) == pytest.approx(22)


@pytest.mark.parametrize("n", [1, 2, 10, 1_000_000])
def test_a_caterpillar_has_as_many_cuts_as_leaves(n):
    tree = Tree([-1]) if n == 1 else caterpillar(n)
    assert statistics.log_cuts(scored(tree)) == pytest.approx(log(n), abs=1e-9)


def test_cuts_of_balanced_trees_are_those_of_the_sequence_that_the_paper_names():
    for depth, cuts in enumerate([1, 2, 5, 26, 677, 458330]):  # OEIS A003095
        assert statistics.log_cuts(scored(balanced(depth))) == pytest.approx(log(cuts))


def test_a_balanced_tree_has_about_1_5028_to_the_n_cuts():
    """A003095(k) is c^(2^k) rounded down, c = 1.225902443528748..., and n = 2^(k-1)."""
    n = 1 << 17
    expected = 2 * n * log(1.2259024435287485)
    assert statistics.log_cuts(scored(balanced(17))) == pytest.approx(expected, rel=1e-12)


# ---- K-tilde and |L_s| ---------------------------------------------------------------------------


def naive_k_tilde(tree, nodes):
    """Leaves of the tree of AB and LB without L, from its definition."""
    above_cut = set()
    for v in nodes:
        while v >= 0:  # the node of the lower boundary, and all above it
            above_cut |= {v} if v >= tree.n else set()
            v = int(tree.parent[v])
    return sum(not any(c in above_cut for c in tree.children(v).tolist()) for v in above_cut)


@given(trees(max_leaves=7))
def test_k_tilde_is_that_of_the_definition_and_at_most_the_lower_leaves(tree):
    values = []
    for cut in all_cuts(tree):
        values.append(statistics.k_tilde(of_cut(tree, cut)))
        assert values[-1] == naive_k_tilde(tree, cut) <= len(cut)
    lowest = statistics.lower_leaves(scored(tree))
    assert max(values) == lowest <= log2(len(all_cuts(tree))) + 1e-9


def test_k_tilde_by_hand():
    """Figure 1: {x1..x5} and {x7, x8} are its leaves; figure 2, right: all items apart."""
    assert statistics.k_tilde(scored(FIGURE_1, Partition([0, 0, 0, 0, 0, 1, 2, 2]))) == 2
    line = caterpillar(9)
    assert statistics.k_tilde(of_cut(line, np.arange(9))) == 1
    assert statistics.k_tilde(of_cut(balanced(3), np.arange(8))) == 4
    assert statistics.k_tilde(of_cut(balanced(3), [14])) == 1
    assert statistics.k_tilde(of_cut(Tree([-1]), [0])) == 0


def test_lower_leaves_by_hand():
    assert statistics.lower_leaves(scored(FIGURE_1)) == 3
    assert statistics.lower_leaves(scored(caterpillar(7))) == 1
    assert statistics.lower_leaves(scored(balanced(4))) == 8
    assert statistics.lower_leaves(scored(Tree([3, 3, 3, -1]))) == 1
    assert statistics.lower_leaves(scored(Tree([-1]))) == 0


@pytest.mark.parametrize("labels", [[0, 1, 0, 1], [0, 0, 1, 0], [0, 1, 1, 2]])
def test_clusters_that_are_not_a_cut_have_no_k_tilde(labels):
    with pytest.raises(NotApplicableError, match="not a cut of the tree"):
        statistics.k_tilde(scored(balanced(2), Partition(labels)))


def test_some_children_of_a_node_are_not_a_cut():
    with pytest.raises(NotApplicableError, match="not a cut of the tree"):
        statistics.k_tilde(scored(Tree([3, 3, 3, -1]), Partition([0, 0, 1])))


# ---- Depths, and which tree ----------------------------------------------------------------------


def test_depths_by_hand():
    """A caterpillar of 4 leaves: 3, 3, 2, 1."""
    line = scored(caterpillar(4))
    assert statistics.leaf_depth(line) == 2.25
    assert statistics.leaf_depth(line, statistic="sd") == pytest.approx(np.sqrt(11 / 16))
    assert statistics.leaf_depth(scored(balanced(5))) == 5


def test_they_are_of_the_tree_that_was_cut_or_of_the_tree_that_is_the_result():
    tree = caterpillar(5)
    assert hcbench.score("log-cuts", tree, tree) == pytest.approx(log(5))
    with pytest.raises(NotApplicableError, match="there is none"):
        hcbench.score("leaf-depth", Partition([0, 0, 1]), [0, 0, 1])


def test_a_hierarchy_is_not_a_cut():
    for metric in (statistics.k_tilde, statistics.excess_risk):
        with pytest.raises(NotApplicableError, match="cut"):
            metric(scored(FIGURE_1, FIGURE_1, np.zeros(8, int)))


# ---- Excess risk ---------------------------------------------------------------------------------


@given(trees(min_leaves=1, max_leaves=6), st.data())
def test_the_excess_is_that_over_the_best_of_all_cuts(tree, data):
    n, cuts = tree.n, all_cuts(tree)
    labels, other = (
        data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)) for _ in range(2)
    )
    costs = [hamming(sigma_of_cut(tree, cut), sigma(labels)) for cut in cuts]
    for K in (None, 1, 3):
        expected = hamming(sigma(other), sigma(labels)) - best_of(costs, cuts, K or n)[0]
        found = statistics.excess_risk(scored(tree, Partition(other), labels), K=K)
        assert found == pytest.approx(expected / n**2)


@pytest.mark.slow
@given(trees(min_leaves=2, max_leaves=6), st.data(), st.sampled_from(["labels", "matrix"]))
def test_the_excess_against_answers_is_that_over_the_best_cut_for_them(tree, data, source):
    n, cuts = tree.n, all_cuts(tree)
    labels, other = (
        data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)) for _ in range(2)
    )
    similarity = random_sigma(n, np.random.default_rng(data.draw(st.integers(0, 99)))) * 1.0
    problem = replace(scored(tree, labels=labels).problem, similarity=similarity)
    answers = pair_queries(OracleRequest(problem=problem, seed=1), source=source, noise=0.3)
    asked = Oracle(answers).ask([(i, j) for i in range(n) for j in range(n)])
    noisy = 2 * asked.reshape(n, n) - 1
    costs = [hamming(sigma_of_cut(tree, cut), noisy) for cut in cuts]
    result = Scored(
        problem=problem, result=Partition(other), cost=Cost(), make_answers=lambda: answers
    )
    for K in (None, 2):
        expected = hamming(sigma(other), noisy) - best_of(costs, cuts, K or n)[0]
        found = statistics.excess_risk(result, against="answers", K=K)
        assert found == pytest.approx(expected / n**2)


def test_noise_that_is_drawn_anew_makes_every_excess_smaller():
    """By 1 - 2 lambda: each pair that is wrong is right with probability lambda, and conversely."""
    whole = scored(FIGURE_1, Partition([0] * 8), [0, 0, 0, 1, 1, 2, 2, 2])
    answers = pair_queries(
        OracleRequest(problem=whole.problem, seed=1), noise=0.2, law="independent"
    )
    noisy = replace(whole, make_answers=lambda: answers)
    expected = 0.6 * statistics.excess_risk(whole)
    assert statistics.excess_risk(noisy, against="answers") == pytest.approx(expected)


def test_without_an_oracle_there_are_no_answers_to_compare_with():
    with pytest.raises(NotApplicableError, match="no oracle was asked"):
        statistics.excess_risk(scored(FIGURE_1, labels=[0] * 8), against="answers")


def test_the_best_cut_has_no_excess():
    tree, labels = caterpillar(500), np.random.default_rng(0).integers(5, size=500)
    found = best_cut(tree, Partition(labels)).partition
    assert statistics.excess_risk(scored(tree, found, labels)) == 0
    one = statistics.excess_risk(scored(tree, Partition(np.zeros(500, int)), labels))
    assert one > 0


def test_without_a_tree_there_is_no_best_cut_to_compare_with():
    with pytest.raises(NotApplicableError, match="given tree"):
        hcbench.score("excess-risk", Partition([0, 0, 1]), [0, 0, 1])
