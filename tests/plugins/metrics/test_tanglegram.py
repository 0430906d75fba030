"""Entanglement of two trees, and its layout."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hcbench import NotApplicableError, Tree
from hcbench.model import facing_orders as layout
from hcbench_metrics.tanglegram import entanglement
from tests.core.trees import leaf_sets, trees
from tests.plugins.scoring import (
    CHAIN,
    PAIR,
    SINGLE,
    STAR,
    TWO_PAIRS,
    random_tree,
    scored,
    two_trees,
)


def drawings(tree, v=None):
    """All orders of the leaves in which the tree can be drawn."""
    v = tree.root if v is None else v
    if v < tree.n:
        return [[v]]
    below = [drawings(tree, int(c)) for c in tree.children(v)]
    return [
        list(itertools.chain(*chosen))
        for order in itertools.permutations(below)
        for chosen in itertools.product(*order)
    ]


def distance(left, right, power=2.0):
    x, y = np.argsort(left), np.argsort(right)
    return (np.abs(x - y) ** power).sum()


def test_entanglement_by_hand():
    # Two pairs and the crossed pairs: at best 0 1 | 2 3 and 0 2 | 1 3, where 1 and 2 are one place
    # off; the reverse has 3, 1, 1 and 3.
    crossed = scored(Tree([4, 5, 4, 5, 6, 6, -1]), truth=TWO_PAIRS)
    assert entanglement(crossed, L=1) == pytest.approx(2 / 8)
    assert entanglement(crossed) == pytest.approx(2 / (2 * 3**1.5 + 2))
    assert entanglement(crossed, L=2) == pytest.approx(2 / 20)
    assert entanglement(crossed, L=0.5) == pytest.approx(2 / (2 * 3**0.5 + 2))
    assert entanglement(scored(PAIR, truth=PAIR)) == 0.0


def test_entanglement_of_one_item_is_refused():
    with pytest.raises(NotApplicableError, match="a single item"):
        entanglement(scored(SINGLE, truth=SINGLE))


def test_a_large_exponent_does_not_overflow():
    n = 40
    rng = np.random.default_rng(0)
    value = entanglement(scored(random_tree(n, rng), truth=random_tree(n, rng)), L=500)
    assert 0 <= value <= 1


@given(two_trees(min_leaves=2), st.floats(1, 9))
def test_no_drawing_is_worse_than_the_reverse(pair, power):
    assert 0 <= entanglement(scored(pair[0], truth=pair[1]), L=power) <= 1


@given(two_trees())
def test_layouts_are_drawings_of_the_trees(pair):
    for tree, order in zip(pair, layout(*pair), strict=True):
        place = np.argsort(order)
        assert sorted(order.tolist()) == list(range(tree.n))
        for leaves in leaf_sets(tree):
            places = place[list(leaves)]
            assert places.max() - places.min() == len(leaves) - 1


@given(two_trees(max_leaves=6))
def test_each_tree_is_drawn_best_for_the_other(pair):
    left, right = layout(*pair)
    found = distance(left, right)
    assert found == min(distance(left, order) for order in drawings(pair[1]))
    assert found == min(distance(order, right) for order in drawings(pair[0]))


@given(trees(min_leaves=2), st.randoms(use_true_random=False))
def test_a_tree_and_one_that_refines_it_do_not_tangle(tree, random):
    order = list(range(tree.n))
    random.shuffle(order)
    tree = tree.relabel(order)
    # The tree without some of its inner nodes.
    nodes = [
        v for v in range(tree.n_nodes) if v < tree.n or v == tree.root or random.random() < 0.5
    ]
    above = {v: int(tree.parent[v]) for v in range(tree.n_nodes)}
    for v in nodes[:-1]:
        while above[v] not in nodes:
            above[v] = above[above[v]]
    coarse = Tree([nodes.index(above[v]) if v != tree.root else -1 for v in nodes])
    for one, other in ((tree, coarse), (coarse, tree), (tree, tree)):
        assert entanglement(scored(one, truth=other)) == 0.0


def test_a_star_is_drawn_as_the_other_tree():
    assert entanglement(scored(STAR, truth=CHAIN)) == 0.0


def test_the_layout_is_far_better_than_the_given_order():
    rng = np.random.default_rng(2)
    one = random_tree(200, rng)
    # The same tree, except for a few leaves, in another order.
    swapped = np.arange(200)
    swapped[:6] = [5, 0, 1, 2, 3, 4]
    other = one.relabel(swapped)
    mirrored = distance(one.leaf_order, other.leaf_order[::-1])
    assert distance(*layout(one, other)) < mirrored / 20
    assert [a.tolist() for a in layout(one, other)] == [a.tolist() for a in layout(one, other)]
