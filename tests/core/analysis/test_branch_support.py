"""The support of branches, against counting sets of names and R's pvclust."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage

from hcbench import Tree
from hcbench.analysis.branch_support import (
    Replicate,
    branch_support,
    fit_scales,
    unbiased_support,
)


def random_tree(rng, n):
    return Tree.from_linkage(linkage(rng.normal(size=(n, 2)), "average"))


def sets_of(tree, items):
    return {frozenset(items[tree.leaves(node)].tolist()) for node in range(tree.n_nodes)}


@pytest.mark.parametrize("seed", range(5))
def test_support_is_the_share_of_trees_with_the_same_set_of_items(seed):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 12)
    replicates = []
    for _ in range(20):
        items = rng.choice(12, 8, replace=False)
        replicates.append(Replicate(random_tree(rng, 8), items))
    support = branch_support(tree, replicates)
    for node in range(tree.n, tree.n_nodes):
        below = set(tree.leaves(node).tolist())
        shared = []
        similar = []
        for replicate in replicates:
            part = below & set(replicate.items.tolist())
            if not 2 <= len(part) < 8:
                continue
            others = sets_of(replicate.tree, replicate.items)
            shared.append(frozenset(part) in others)
            inner = [other for other in others if len(other) > 1]
            similar.append(max(len(part & other) / len(part | other) for other in inner))
        assert support.counted[node] == len(shared)
        if shared:
            assert support.support[node] == pytest.approx(np.mean(shared))
            assert support.jaccard[node] == pytest.approx(np.mean(similar), rel=1e-6)
        else:
            assert np.isnan(support.support[node])


def test_equal_trees_support_all_branches_and_leaves_have_none():
    tree = random_tree(np.random.default_rng(0), 9)
    support = branch_support(tree, [Replicate(tree)] * 3)
    assert np.isnan(support.support[:9]).all()
    assert np.isnan(support.support[tree.root])
    assert (support.support[9 : tree.root] == 1).all()
    assert (support.standard_error[9 : tree.root] == 0).all()


def test_the_fit_of_scales_is_that_of_pvclust():
    # msfit(shares, seq(.5, 1.4, .1), 1000)$p of pvclust 2.2-0.
    shares = np.array([0.62, 0.66, 0.70, 0.71, 0.75, 0.78, 0.80, 0.79, 0.83, 0.86])
    scales = np.arange(0.5, 1.45, 0.1)
    au, bp = fit_scales(shares, np.full(10, 1000.0), scales)
    assert au == pytest.approx(0.9244355561, abs=1e-9)
    assert bp == pytest.approx(0.7746930009, abs=1e-9)


def test_branches_that_are_always_or_never_there_have_no_fit():
    scales = np.array([0.5, 1.0])
    assert fit_scales(np.array([1.0, 1.0]), np.full(2, 9.0), scales) == (1.0, 1.0)
    assert fit_scales(np.array([0.0, 0.3]), np.full(2, 9.0), scales) == (0.0, 0.0)


def test_scales_are_kept_apart():
    tree = random_tree(np.random.default_rng(1), 6)
    replicates = [Replicate(tree, None, scale) for scale in (0.5, 1.0, 1.4)]
    unbiased = unbiased_support(tree, replicates)
    assert (unbiased.au[6 : tree.root] == 1).all()
    assert np.isnan(unbiased.au[tree.root])
