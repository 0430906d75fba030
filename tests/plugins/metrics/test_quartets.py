"""Quartets that two trees resolve alike: by hand, and by enumeration."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given

from hcbench import NotApplicableError, Tree
from hcbench_metrics.quartets import QuartetCounts, count_quartets, quartet_distance
from tests.plugins.scoring import (
    CHAIN,
    PAIR,
    STAR,
    TWO_PAIRS,
    chained_tree,
    random_tree,
    scored,
    two_trees,
)


def pairing(tree, four):
    """The partner of the first item in its pair, by the four-point condition."""
    length = tree.depths

    def edges(i, j):
        return int(length[i] + length[j] - 2 * length[tree.lca(i, j)])

    a, b, c, d = four
    sums = {
        x: edges(a, x) + edges(*{b, c, d} - {x})
        for x in (b, c, d)  # by the partner of a
    }
    least = min(sums.values())
    closest = [partner for partner, total in sums.items() if total == least]
    return closest[0] if len(closest) == 1 else None


def naive_counts(tree, truth):
    both = [(pairing(tree, four), pairing(truth, four)) for four in combinations(range(tree.n), 4)]
    resolved = [(a, b) for a, b in both if a is not None and b is not None]
    return QuartetCounts(
        len(both),
        sum(a is not None for a, _ in both),
        sum(b is not None for _, b in both),
        sum(a == b for a, b in resolved),
        sum(a != b for a, b in resolved),
    )


def test_quartets_by_hand():
    # Without their roots, ((0,1),(2,3)) and (((0,1),2),3) are both 01|23.
    assert count_quartets(CHAIN, TWO_PAIRS) == (1, 1, 1, 1, 0)
    crossed = Tree([4, 5, 4, 5, 6, 6, -1])
    assert count_quartets(crossed, TWO_PAIRS) == (1, 1, 1, 0, 1)
    assert quartet_distance(scored(crossed, truth=TWO_PAIRS)) == 1.0
    assert quartet_distance(scored(CHAIN, truth=STAR)) == 1.0
    assert quartet_distance(scored(STAR, truth=STAR)) == 0.0
    # ((0,1,2),(3,4)) resolves ab|34 for the three pairs of 0, 1, 2; (((0,1),2),(3,4)) also 01|23
    # and 01|24.
    coarse = Tree([5, 5, 5, 6, 6, 7, 7, -1])
    fine = Tree([5, 5, 6, 7, 7, 6, 8, 8, -1])
    assert count_quartets(fine, coarse) == (5, 5, 3, 3, 0)
    assert quartet_distance(scored(fine, truth=coarse)) == 2 / 5
    assert quartet_distance(scored(fine, truth=coarse), "resolved-in-truth") == 0.0


@pytest.mark.slow
@given(two_trees(min_leaves=4, max_leaves=8))
def test_counts_are_those_of_an_enumeration(both):
    tree, truth = both
    assert count_quartets(tree, truth) == naive_counts(tree, truth)


@pytest.mark.slow
@pytest.mark.parametrize("width", [2, 5])
def test_counts_of_larger_trees_and_their_symmetry(width):
    rng = np.random.default_rng(width)
    tree, truth = random_tree(18, rng, width=width), random_tree(18, rng, width=width)
    expected = naive_counts(tree, truth)
    assert count_quartets(tree, truth) == expected
    swapped = QuartetCounts(expected[0], expected[2], expected[1], *expected[3:])
    assert count_quartets(truth, tree) == swapped


def test_a_random_binary_tree_differs_in_two_thirds():
    rng = np.random.default_rng(0)
    values = [
        quartet_distance(scored(random_tree(40, rng), truth=chained_tree(40, rng)))
        for _ in range(20)
    ]
    assert abs(np.mean(values) - 2 / 3) < 4 * np.std(values) / np.sqrt(20)


def test_what_has_no_quartets_is_not_applicable():
    with pytest.raises(NotApplicableError, match="at least four items"):
        quartet_distance(scored(PAIR, truth=PAIR))
    with pytest.raises(NotApplicableError, match="the truth resolves no quartet"):
        quartet_distance(scored(CHAIN, truth=STAR), "resolved-in-truth")
