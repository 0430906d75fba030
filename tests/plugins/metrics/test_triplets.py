"""Triplets that two trees resolve alike: by hand, and by enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from hcbench import NotApplicableError, Tree
from hcbench_metrics._tree_kernels import arrays_of
from hcbench_metrics._triplet_kernels import decompose
from hcbench_metrics.triplets import count_triplets, triplet_agreement
from tests.core.trees import caterpillar, trees
from tests.plugins.scoring import (
    CHAIN,
    PAIR,
    SINGLE,
    STAR,
    TWO_PAIRS,
    chained_tree,
    random_tree,
    scored,
    two_trees,
)


def apart(tree, i, j, k):
    """The leaf below which the other two merge; None if all merge at one node."""
    closest = min(((tree.lca(i, j), k), (tree.lca(i, k), j), (tree.lca(j, k), i)))
    return None if tree.sizes[closest[0]] == tree.sizes[tree.lca(tree.lca(i, j), k)] else closest[1]


def naive_counts(tree, truth):
    both = [
        (apart(tree, *three), apart(truth, *three))
        for three in itertools.combinations(range(tree.n), 3)
    ]
    resolved = [(a, b) for a, b in both if a is not None and b is not None]
    return (
        len(both),
        sum(a is not None for a, _ in both),
        sum(b is not None for _, b in both),
        sum(a == b for a, b in resolved),
        sum(a != b for a, b in resolved),
    )


def test_triplets_by_hand():
    # Chain (((0,1),2),3): 01|2, 01|3, 02|3, 12|3. Two pairs: 01|2, 01|3, 23|0, 23|1.
    assert count_triplets(CHAIN, TWO_PAIRS) == (4, 4, 4, 2, 2)
    # Without the pair of 2 and 3, the truth leaves 023 and 123 open.
    truth = Tree([4, 4, 5, 5, 5, -1])
    score = scored(CHAIN, truth=truth)
    assert triplet_agreement(score) == 2 / 4
    assert triplet_agreement(score, "resolved-in-truth") == 1.0
    assert triplet_agreement(score, "resolved-in-both") == 1.0
    crossed = scored(Tree([4, 5, 4, 5, 6, 6, -1]), truth=truth)  # 02|1, 02|3, 13|0, 13|2
    assert triplet_agreement(crossed, "resolved-in-truth") == 0.0
    assert triplet_agreement(scored(truth, truth=truth)) == 1.0
    assert count_triplets(truth, truth).unresolved == 2


def test_a_star_resolves_nothing():
    assert triplet_agreement(scored(STAR, truth=STAR)) == 1.0
    assert triplet_agreement(scored(CHAIN, truth=STAR)) == 0.0
    for count in ("resolved-in-truth", "resolved-in-both"):
        assert triplet_agreement(scored(STAR, truth=CHAIN), count) == 0.0
        with pytest.raises(NotApplicableError, match="count=all"):
            triplet_agreement(scored(CHAIN, truth=STAR), count)


@pytest.mark.parametrize("tree", [SINGLE, PAIR], ids=["one item", "two items"])
def test_fewer_than_three_items_are_refused(tree):
    for count in ("all", "resolved-in-truth", "resolved-in-both"):
        with pytest.raises(NotApplicableError, match="at least three items"):
            triplet_agreement(scored(tree, truth=tree), count)


@pytest.mark.slow
@given(two_trees(max_leaves=10))
def test_counts_of_triplets_agree_with_enumeration(pair):
    tree, truth = pair
    counts = count_triplets(tree, truth)
    assert counts == naive_counts(tree, truth)
    assert counts.unresolved == sum(
        apart(tree, *three) is None is apart(truth, *three)
        for three in itertools.combinations(range(tree.n), 3)
    )


SHAPES = {
    "binary": lambda n, rng: random_tree(n, rng),
    "wide": lambda n, rng: random_tree(n, rng, width=9),
    "chain": chained_tree,
    "labels": lambda n, rng: Tree.from_levels(rng.integers(0, 4, (n, 2))),
}


@pytest.mark.parametrize("names", [*itertools.product(SHAPES, SHAPES)], ids="-".join)
def test_triplets_of_larger_trees_of_all_shapes(names):
    rng = np.random.default_rng(5)
    n = 40
    tree, truth = (SHAPES[name](n, rng) for name in names)
    # k is the one apart if i and j meet at a node of smaller id, as those below others have.
    i, j, k = np.ogrid[:n, :n, :n]
    is_triplet = (i < j) & (k != i) & (k != j)
    one, other = (is_triplet & (t.lca(i, j) < t.lca(i, k)) for t in (tree, truth))
    counts = count_triplets(tree, truth)
    assert (counts.resolved, counts.true_resolved) == (one.sum(), other.sum())
    assert counts.alike == (one & other).sum()
    resolved_by_both = [
        {tuple(sorted(three)) for three in np.argwhere(apart).tolist()} for apart in (one, other)
    ]
    assert counts.alike + counts.otherwise == len(set.intersection(*resolved_by_both))


def test_large_counts_are_exact():
    n = 3000
    chain = caterpillar(n)
    reverse = chain.relabel(np.arange(n)[::-1])
    triplets = n * (n - 1) * (n - 2) // 6
    assert count_triplets(chain, chain) == (triplets, triplets, triplets, triplets, 0)
    # Of i < j < k the chain has k apart, the reverse i.
    assert count_triplets(chain, reverse) == (triplets, triplets, triplets, 0, triplets)
    # Two of a class and one of the other.
    classes = Tree.from_levels((np.arange(n) % 2)[:, None])
    half = n // 2
    pairs = 2 * (half * (half - 1) // 2)
    assert count_triplets(chain, classes).true_resolved == pairs * half


@given(two_trees(min_leaves=3), st.sampled_from(["all", "resolved-in-both"]))
def test_agreement_is_symmetric(pair, count):
    one, other = pair
    try:
        value = triplet_agreement(scored(one, truth=other), count)
    except NotApplicableError:
        return
    if count_triplets(one, other).resolved:
        assert triplet_agreement(scored(other, truth=one), count) == value
    assert (value == 1) == one.isomorphic(other) or count != "all"


@given(two_trees(min_leaves=3))
def test_a_refinement_resolves_all_triplets_of_the_truth(pair):
    tree, truth = pair
    clusters = [frozenset(truth.leaves(v).tolist()) for v in range(truth.n, truth.root)]
    own = {frozenset(tree.leaves(v).tolist()) for v in range(tree.n, tree.root)}
    if clusters:
        value = triplet_agreement(scored(tree, truth=truth), "resolved-in-truth")
        assert (value == 1) == own.issuperset(clusters)


@example(caterpillar(12))
@given(trees(min_leaves=2, max_leaves=30))
def test_a_decomposition_halves_the_weights_of_heavy_paths(tree):
    """Which is what makes a change of colour O(log n): no result depends on it."""
    m = len(tree.parent)
    start, end = tree.leaf_range
    sizes = (end - start).tolist()
    children = [np.flatnonzero(tree.parent == v).tolist() for v in range(m)]
    heavy = [max(c, key=lambda v: (sizes[v], -v)) if c else -1 for c in children]
    above, top, bottom = decompose(arrays_of(tree))
    weight = [size - (sizes[h] if h >= 0 else 0) for size, h in zip(sizes, heavy, strict=True)]

    def elements(component):
        if component < m:
            return [component]
        upper, lower = top[component - m], bottom[component - m]
        assert above[upper] == above[lower] == component
        first, second = elements(upper), elements(lower)
        weights = [weight[v] for v in first + second]
        differences = [abs(sum(weights[:at]) - sum(weights[at:])) for at in range(1, len(weights))]
        assert differences[len(first) - 1] == min(differences)
        return first + second

    heads = [v for v in range(m) if v == m - 1 or heavy[tree.parent[v]] != v]
    whole = {elements(c)[0]: c for c in np.flatnonzero(above < 0)}
    assert sorted(whole) == heads
    for head, component in whole.items():
        path = [head]
        while heavy[path[-1]] >= 0:
            path.append(heavy[path[-1]])
        assert elements(component) == path
        assert above[component] == (-1 if head == m - 1 else -2 - tree.parent[head])
