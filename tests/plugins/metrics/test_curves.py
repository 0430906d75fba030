"""B_k of all cuts, and correlations over all pairs of items: naive, by hand and by libraries."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import pdist
from scipy.stats import pearsonr, spearmanr
from sklearn.metrics import fowlkes_mallows_score

from hcbench import HeightKind, NotApplicableError, Tree
from hcbench_metrics import pair_ranks
from hcbench_metrics.cuts_curve import curve, fowlkes_mallows
from hcbench_metrics.pair_ranks import baker_gamma, cophenetic_correlation_with_truth
from tests.core.trees import caterpillar
from tests.plugins.scoring import (
    CHAIN,
    PAIR,
    SINGLE,
    STAR,
    TWO_PAIRS,
    affinity_tree,
    chained_tree,
    random_tree,
    scored,
    two_trees,
)

# ---- Fowlkes and Mallows -------------------------------------------------------------------------


def test_b_k_by_hand():
    # k = 2: {0,1,2}, {3} and {0,1}, {2,3}: 3 and 2 pairs, one in common. k = 3: the truth, whose
    # nodes are of one size, splits the one of the larger id, {2,3}: {0,1}, {2}, {3}, as the result.
    found = curve(CHAIN, TWO_PAIRS)
    assert found.k.tolist() == [2, 3]
    assert found.value.tolist() == pytest.approx([1 / np.sqrt(6), 1.0])
    assert found.expected.tolist() == pytest.approx([np.sqrt(6) / 6, 1 / 6])
    score = scored(CHAIN, truth=TWO_PAIRS)
    assert fowlkes_mallows(score) == pytest.approx((1 / np.sqrt(6) + 1) / 2)
    assert fowlkes_mallows(score, 2) == pytest.approx(1 / np.sqrt(6))


def test_b_k_of_clusters_of_one_item():
    # A star has no cut into two clusters but that into four.
    assert fowlkes_mallows(scored(STAR, truth=STAR)) == 1.0
    assert fowlkes_mallows(scored(CHAIN, truth=STAR)) == 0.0


def test_b_k_needs_more_items_than_clusters():
    for tree in (SINGLE, PAIR):
        with pytest.raises(NotApplicableError, match="three items"):
            fowlkes_mallows(scored(tree, truth=tree))
        assert curve(tree, tree).value.size == 0
    with pytest.raises(NotApplicableError, match="more than k = 4 items; there are 4"):
        fowlkes_mallows(scored(CHAIN, truth=CHAIN), 4)


def of_cuts(tree, other, k):
    one, two = tree.cut(k), other.cut(k)
    if one.n_clusters == two.n_clusters == tree.n:
        return 1.0  # without pairs, where scikit-learn gives 0
    return fowlkes_mallows_score(one.labels, two.labels)


@pytest.mark.slow
@given(two_trees(monotone=False))
def test_b_k_agrees_with_scikit_learn(pair):
    found = curve(*pair)
    assert found.k.tolist() == list(range(2, pair[0].n))
    for k, value in zip(found.k.tolist(), found.value, strict=True):
        assert value == pytest.approx(of_cuts(*pair, k), abs=1e-12)
        assert fowlkes_mallows(scored(pair[0], truth=pair[1]), k) == value


@pytest.mark.parametrize("seed", range(4))
def test_the_table_of_many_clusters_keeps_its_counts(seed):
    rng = np.random.default_rng(seed)
    shapes = [
        random_tree(300, rng),
        random_tree(300, rng, width=6),
        chained_tree(300, rng),
        Tree.from_levels(rng.integers(0, 5, (300, 2))),
    ]
    for tree, other in itertools.combinations(shapes, 2):
        found = curve(tree, other)
        for k in (2, 3, 10, 50, 150, 299):
            assert found.value[k - 2] == pytest.approx(of_cuts(tree, other, k), abs=1e-12)


# ---- Correlations over pairs ---------------------------------------------------------------------


def pairs_of(n):
    return list(itertools.combinations(range(n), 2))


def stages(tree):
    """Stage at which each pair is joined, by cuts that do not separate ties."""
    if tree.height is None:
        return np.array([tree.sizes[tree.lca(i, j)] for i, j in pairs_of(tree.n)])
    sign = -1 if tree.kind is HeightKind.AFFINITY else 1
    levels = np.unique(sign * tree.height[tree.n :])
    cuts = [tree.cut_height(sign * level).labels for level in levels]
    return np.array([sum(c[i] != c[j] for c in cuts) for i, j in pairs_of(tree.n)])


def naive_gamma(one, other):
    order = np.sign(np.subtract.outer(one, one)) * np.sign(np.subtract.outer(other, other))
    concordant, discordant = (order > 0).sum(), (order < 0).sum()
    return (concordant - discordant) / (concordant + discordant)


def test_bakers_gamma_by_hand():
    # Pairs 01, 02, 03, 12, 13, 23 at stages 1, 2, 3, 2, 3, 3; in the truth 1, 3, 3, 3, 3, 2.
    result = Tree(CHAIN.parent, [0, 0, 0, 0, 1, 2, 3], HeightKind.DISTANCE)
    truth = Tree(TWO_PAIRS.parent, [0, 0, 0, 0, 1, 2, 3], HeightKind.ORDER)
    # 01 is before all five in both; 23 is before 02 and 12 in the truth alone.
    assert baker_gamma(scored(result, truth=truth)) == pytest.approx((5 - 2) / (5 + 2))
    ranks = [1, 2.5, 5, 2.5, 5, 5], [1, 4.5, 4.5, 4.5, 4.5, 2]
    found = baker_gamma(scored(result, truth=truth), "spearman")
    assert found == pytest.approx(np.corrcoef(*ranks)[0, 1], abs=1e-14)


def test_a_truth_of_one_stage_is_refused():
    for tree in (SINGLE, PAIR, STAR):
        with pytest.raises(NotApplicableError, match="one stage"):
            baker_gamma(scored(tree, truth=tree))
    for correlation in ("goodman-kruskal", "spearman"):
        assert baker_gamma(scored(STAR, truth=CHAIN), correlation) == 0.0


@given(two_trees(min_leaves=3, monotone=False))
def test_bakers_gamma_agrees_with_its_definition_and_with_scipy(pair):
    result, truth = pair
    found, wanted = stages(result), stages(truth)
    score = scored(result, truth=truth)
    if len(set(wanted)) == 1:
        with pytest.raises(NotApplicableError, match="one stage"):
            baker_gamma(score)
    elif len(set(found)) == 1:
        assert baker_gamma(score) == baker_gamma(score, "spearman") == 0.0
    else:
        assert baker_gamma(score) == pytest.approx(naive_gamma(found, wanted), abs=1e-12)
        expected = spearmanr(found, wanted).statistic
        assert baker_gamma(score, "spearman") == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_all_shapes_of_larger_trees(seed):
    rng = np.random.default_rng(seed)
    n = 40
    shapes = [
        random_tree(n, rng),
        random_tree(n, rng, width=9),
        chained_tree(n, rng),
        Tree.from_levels(rng.integers(0, 3, (n, 2))),
        Tree.from_linkage(linkage(rng.random((n, 2)), "single")),
    ]
    for result, truth in itertools.permutations(shapes, 2):
        found, wanted = stages(result), stages(truth)
        score = scored(result, truth=truth)
        assert baker_gamma(score) == pytest.approx(naive_gamma(found, wanted), abs=1e-12)
        expected = spearmanr(found, wanted).statistic
        assert baker_gamma(score, "spearman") == pytest.approx(expected, abs=1e-12)


def test_either_tree_may_be_the_one_that_is_merged():
    rng = np.random.default_rng(3)
    one, other = random_tree(40, rng), chained_tree(40, rng)
    assert pair_ranks.merges_of_leaves(one) < pair_ranks.merges_of_leaves(other)
    for correlation in ("goodman-kruskal", "spearman"):
        values = [
            baker_gamma(scored(a, truth=b), correlation) for a, b in ((one, other), (other, one))
        ]
        assert values[0] == pytest.approx(values[1], abs=1e-12)


def test_counts_of_pairs_of_pairs_do_not_overflow():
    # 1.2 * 10^19 pairs of pairs and more: of a shallow tree, so that it takes no time.
    levels = np.arange(120_000)[:, None] % np.array([2, 6])
    truth = Tree.from_levels(levels)
    assert baker_gamma(scored(truth, truth=truth)) == 1.0
    assert baker_gamma(scored(truth, truth=truth), "spearman") == pytest.approx(1.0, abs=1e-12)


# ---- Cophenetic correlation ----------------------------------------------------------------------


@pytest.mark.parametrize("methods", [("average", "single"), ("centroid", "ward")])
def test_cophenetic_correlation_agrees_with_scipy(methods):
    vectors = np.random.default_rng(1).random((80, 3))
    merges = [linkage(vectors, method) for method in methods]
    expected = pearsonr(*(cophenet(z) for z in merges)).statistic
    result, truth = (Tree.from_linkage(z) for z in merges)
    found = cophenetic_correlation_with_truth(scored(result, truth=truth))
    assert found == pytest.approx(expected, abs=1e-12)
    # Affinities are distances with the sign reversed.
    turned = Tree(truth.parent, 5 - truth.height, HeightKind.AFFINITY)
    against = cophenetic_correlation_with_truth(scored(result, truth=turned))
    assert against == pytest.approx(expected, abs=1e-12)
    assert pdist(vectors).size == len(pairs_of(80))


@given(two_trees(min_leaves=3, kind=HeightKind.AFFINITY, monotone=False), st.integers(1, 9))
def test_cophenetic_correlation_is_that_over_pairs(pair, factor):
    result, truth = pair
    found, wanted = (
        np.array([float(t.merge_height(i, j)) for i, j in pairs_of(t.n)]) for t in pair
    )
    score = scored(affinity_tree(result, 3 + factor * result.height), truth=truth)
    if len(set(wanted)) == 1:
        with pytest.raises(NotApplicableError, match="one height"):
            cophenetic_correlation_with_truth(score)
    else:
        expected = 0.0 if len(set(found)) == 1 else np.corrcoef(found, wanted)[0, 1]
        value = cophenetic_correlation_with_truth(score)
        assert value == pytest.approx(expected, abs=1e-12)


def test_cophenetic_correlation_reports_missing_heights():
    heights = caterpillar(4)
    order = Tree(heights.parent, [0, 0, 0, 0, 1, 2, 3], HeightKind.ORDER)
    infinite = Tree(heights.parent, [0, 0, 0, 0, 1, 2, np.inf], HeightKind.DISTANCE)
    metric = cophenetic_correlation_with_truth
    with pytest.raises(NotApplicableError, match="the truth's are missing; use baker-gamma"):
        metric(scored(heights, truth=CHAIN))
    with pytest.raises(NotApplicableError, match="the result's are only an order of merging"):
        metric(scored(order, truth=heights))
    with pytest.raises(NotApplicableError, match="finite heights; the result's are not"):
        metric(scored(infinite, truth=heights))
