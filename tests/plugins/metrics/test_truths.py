"""Selection of the truth, and recovery of the true clusters."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hcbench import HeightKind, NotApplicableError, Problem, Scored, Tree
from hcbench.model import Cost
from hcbench_metrics.agreement import aari
from hcbench_metrics.merge_heights import merge_distortion
from hcbench_metrics.merge_order import kendall_tau_b
from hcbench_metrics.recovery import clade_recovery, exact_recovery
from tests.core.trees import trees
from tests.plugins.scoring import (
    CHAIN,
    PAIR,
    SINGLE,
    STAR,
    TWO_PAIRS,
    affinity_tree,
    random_tree,
    scored,
    two_trees,
)

# ---- Named truths --------------------------------------------------------------------------------


def scored_by(result, truths, **problem):
    return Scored(problem=Problem(n=result.n, truths=truths, **problem), result=result, cost=Cost())


@pytest.mark.parametrize("metric", [aari, kendall_tau_b, clade_recovery, exact_recovery])
def test_the_first_truth_is_the_default(metric):
    crossed = Tree([4, 5, 4, 5, 6, 6, -1])
    score = scored_by(TWO_PAIRS, {"same": TWO_PAIRS, "crossed": crossed})
    assert metric(score) == metric(score, truth="same") == 1.0
    assert metric(score, truth="crossed") < 1.0


def test_merge_distortion_is_that_from_the_named_truth():
    result = affinity_tree(PAIR, [9, 9, 5])
    truths = {"near": affinity_tree(PAIR, [9, 9, 4]), "far": affinity_tree(PAIR, [9, 9, 1])}
    score = scored_by(result, truths)
    assert merge_distortion(score) == 1.0
    assert merge_distortion(score, truth="far") == 4.0


@pytest.mark.parametrize(
    "metric", [aari, kendall_tau_b, merge_distortion, clade_recovery, exact_recovery]
)
def test_a_missing_truth_is_reported_with_the_available_ones(metric):
    result = affinity_tree(TWO_PAIRS, [3, 3, 3, 3, 2, 2, 1])
    score = scored_by(result, {"topics": result, "groups": STAR})
    with pytest.raises(NotApplicableError, match="no truth 'topic'; its truths are topics, groups"):
        metric(score, truth="topic")
    with pytest.raises(NotApplicableError, match="no true hierarchy"):
        metric(scored_by(result, {}), truth="topic")


def test_labels_apply_only_to_the_truth_made_of_them():
    levels = np.array([[0], [0], [1], [1]])
    crossed = Tree([4, 5, 4, 5, 6, 6, -1])
    truths = {"crossed": crossed, "labels": Tree.from_levels(levels)}
    score = scored_by(TWO_PAIRS, truths, levels=levels)
    assert aari(score, truth="labels") == aari(score, truth="labels", levels="labels") == 1.0
    assert aari(score, truth="crossed") == aari(scored(TWO_PAIRS, truth=crossed)) < 0
    assert aari(score) == aari(score, truth="crossed")  # the first, as with every metric
    with pytest.raises(NotApplicableError, match="not those of truth 'crossed'"):
        aari(score, truth="crossed", levels="labels")


# ---- True clusters -------------------------------------------------------------------------------


def clusters(tree):
    return {frozenset(tree.leaves(v).tolist()) for v in range(tree.n, tree.n_nodes)}


@given(two_trees())
def test_recovery_agrees_with_sets_of_leaves(pair):
    result, truth = pair
    score = scored(result, truth=truth)
    wanted = clusters(truth) - {frozenset(range(truth.n))}
    is_found = [c in clusters(result) for c in wanted]
    if wanted:
        assert clade_recovery(score) == np.mean(is_found)
    else:
        with pytest.raises(NotApplicableError, match="no cluster except the one of all items"):
            clade_recovery(score)
    assert exact_recovery(score) == all(is_found)
    assert exact_recovery(score, refine=False) == result.isomorphic(truth)


@given(trees(min_leaves=3), st.integers(0, 9))
def test_any_numbering_of_the_same_tree_is_exact(tree, seed):
    rng = np.random.default_rng(seed)
    order = rng.permutation(tree.n_nodes - tree.n)
    new_id = np.concatenate((np.arange(tree.n), tree.n + order))
    parent = np.full(tree.n_nodes, -1)
    parent[new_id[:-1]] = new_id[tree.parent[:-1]]
    score = scored(Tree.from_parents(parent), truth=Tree(tree.parent))
    assert exact_recovery(score, refine=False) == 1.0


def test_observations_of_a_class_merge_in_any_order():
    levels = np.repeat([[0, 0], [0, 1], [1, 2]], [3, 4, 3], axis=0)
    rng = np.random.default_rng(0)
    parts = [random_tree(k, rng) for k in (3, 4, 3)]
    text = [p.to_newick(lengths=False).rstrip(";") for p in parts]
    for part, first in zip(range(3), (0, 3, 7), strict=True):
        for leaf in range(parts[part].n - 1, -1, -1):
            text[part] = text[part].replace(str(leaf), f"x{first + leaf}")
    newick = f"(({text[0]},{text[1]}),{text[2]});"
    result = Tree.from_newick(newick, names=[f"x{i}" for i in range(10)])
    score = scored(Tree(result.parent), levels=levels)
    assert clade_recovery(score) == exact_recovery(score) == 1.0
    assert exact_recovery(score, refine=False) == 0.0


def test_recovered_clusters_by_hand():
    # Of {0,1} and {2,3} the chain has the first.
    assert clade_recovery(scored(CHAIN, truth=TWO_PAIRS)) == 0.5
    assert exact_recovery(scored(CHAIN, truth=TWO_PAIRS)) == 0.0


def test_every_tree_refines_a_star():
    for tree, truth in ((CHAIN, STAR), (SINGLE, SINGLE), (PAIR, PAIR)):
        assert exact_recovery(scored(tree, truth=truth)) == 1.0
    assert exact_recovery(scored(CHAIN, truth=STAR), refine=False) == 0.0


@given(two_trees(kind=HeightKind.AFFINITY, monotone=False))
def test_merge_distortion_is_that_of_the_pairs_whatever_the_heights(pair):
    result, truth = pair
    pairs = itertools.combinations(range(result.n), 2)
    naive = max(
        (abs(result.merge_height(i, j) - truth.merge_height(i, j)) for i, j in pairs), default=0.0
    )
    assert merge_distortion(scored(result, truth=truth)) == pytest.approx(naive, abs=1e-12)
