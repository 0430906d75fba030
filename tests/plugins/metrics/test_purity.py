"""Dendrogram purity: by hand, from its definition, and against higra."""

from __future__ import annotations

import itertools

import higra
import numpy as np
import pytest
from hypothesis import given, strategies as st

from hcbench import HeightKind, NotApplicableError, Tree
from hcbench_metrics.purity import dendrogram_purity
from tests.core.trees import leaf_sets, trees
from tests.plugins.scoring import CHAIN, PAIR, SINGLE, STAR, TWO_PAIRS, random_tree, scored


def of_labels(tree, labels, **options):
    return dendrogram_purity(scored(tree, levels=np.asarray(labels)[:, None]), **options)


def pairs_of_a_class(labels):
    pairs = itertools.combinations(range(len(labels)), 2)
    return [(i, j) for i, j in pairs if labels[i] == labels[j]]


def naive_purity(tree, labels):
    sets = leaf_sets(tree)
    values = [
        np.mean([labels[k] == labels[i] for k in sets[int(tree.lca(i, j))]])
        for i, j in pairs_of_a_class(labels)
    ]
    return np.mean(values)


def merged_at_random(clusters, labels):
    """Expected sum of purities if random pairs of clusters merge until one remains."""
    if len(clusters) == 1:
        return 0.0
    pairs = list(itertools.combinations(range(len(clusters)), 2))
    total = 0.0
    for a, b in pairs:
        merged = clusters[a] + clusters[b]
        for i, j in itertools.product(clusters[a], clusters[b]):
            if labels[i] == labels[j]:
                total += sum(labels[k] == labels[i] for k in merged) / len(merged)
        others = [c for at, c in enumerate(clusters) if at not in (a, b)]
        total += merged_at_random([*others, merged], labels)
    return total / len(pairs)


def naive_expected_purity(tree, labels):
    total = 0.0
    for v in range(tree.n, tree.n_nodes):
        total += merged_at_random([tree.leaves(c).tolist() for c in tree.children(v)], labels)
    return total / len(pairs_of_a_class(labels))


def test_purity_by_hand():
    # Chain (((0,1),2),3): 0 and 1 meet in a pair of one class, 2 and 3 in all four.
    assert of_labels(CHAIN, [0, 0, 1, 1]) == (1 + 1 / 2) / 2
    assert of_labels(TWO_PAIRS, [0, 0, 1, 1]) == 1.0
    assert of_labels(TWO_PAIRS, [0, 1, 0, 1]) == 1 / 2
    assert of_labels(STAR, [0, 0, 0, 1]) == 3 / 4
    assert of_labels(PAIR, [7, 7]) == 1.0


def test_expected_purity_by_hand():
    # Three items merge in one of three orders: 0 and 1 meet in a pair, or twice in all three.
    tree = Tree([3, 3, 3, -1])
    assert of_labels(tree, [0, 0, 1], ties="expected") == pytest.approx((1 + 2 * 2 / 3) / 3)
    assert of_labels(tree, [0, 0, 1]) == pytest.approx(2 / 3)


def test_equal_heights_are_ties_where_the_expectation_is_asked_for():
    tied = Tree([3, 3, 4, 4, -1], [0, 0, 0, 1, 1], HeightKind.DISTANCE)
    apart = Tree([3, 3, 4, 4, -1], [0, 0, 0, 1, 2], HeightKind.DISTANCE)
    assert of_labels(tied, [0, 0, 1]) == of_labels(apart, [0, 0, 1], ties="expected") == 1.0
    assert of_labels(tied, [0, 0, 1], ties="expected") == pytest.approx((1 + 2 * 2 / 3) / 3)


def test_expectations_without_a_closed_form_are_not_approximated():
    tree = Tree([5, 5, 6, 6, 6, 6, -1])  # ((0,1),2,3,4)
    with pytest.raises(NotApplicableError, match="no closed form"):
        of_labels(tree, [0, 0, 0, 1, 1], ties="expected")
    assert of_labels(tree, [0] * 5, ties="expected") == 1.0
    assert of_labels(tree, [0, 0, 1, 2, 3], ties="expected") == 1.0


@given(trees(min_leaves=2), st.data())
def test_purity_agrees_with_its_definition(tree, data):
    labels = data.draw(st.lists(st.integers(0, 3), min_size=tree.n, max_size=tree.n))
    if not pairs_of_a_class(labels):
        with pytest.raises(NotApplicableError, match="single item"):
            of_labels(tree, labels)
        return
    value = of_labels(tree, labels)
    assert value == pytest.approx(naive_purity(tree, labels), abs=1e-12)
    assert 0 < value <= 1


@given(st.lists(st.integers(2, 5), min_size=1, max_size=3), st.integers(1, 3), st.data())
def test_expected_purity_agrees_with_all_orders_of_merging(widths, size, data):
    # A chain of nodes, each with several children of one size.
    names = iter(range(sum(widths) * size))
    text = ""
    for width in widths:
        clusters = [",".join(str(next(names)) for _ in range(size)) for _ in range(width)]
        node = ",".join(f"({c})" if size > 1 else c for c in clusters)
        text = f"({text},({node}))" if text else f"({node})"
    tree = Tree.from_newick(text + ";")
    labels = data.draw(st.lists(st.integers(0, 2), min_size=tree.n, max_size=tree.n))
    if pairs_of_a_class(labels):
        value = of_labels(tree, labels, ties="expected")
        assert value == pytest.approx(naive_expected_purity(tree, labels), abs=1e-12)


@pytest.mark.parametrize(("n", "width", "classes"), [(50, 2, 3), (300, 2, 40), (300, 7, 5)])
def test_purity_agrees_with_higra(n, width, classes):
    rng = np.random.default_rng(n + width)
    tree = random_tree(n, rng, width=width)
    labels = rng.integers(classes, size=n)
    parent = tree.parent.copy()
    parent[-1] = tree.root
    expected = higra.dendrogram_purity(higra.Tree(parent), labels)
    assert of_labels(tree, labels) == pytest.approx(expected, abs=1e-12)


def test_classes_are_the_finest_labels_or_the_parents_of_leaves():
    levels = np.array([[0, 0], [0, 0], [0, 1], [0, 1]])
    crossed = Tree([4, 5, 4, 5, 6, 6, -1])  # ((0,2),(1,3))
    assert dendrogram_purity(scored(crossed, levels=levels)) == 1 / 2
    assert dendrogram_purity(scored(crossed, truth=TWO_PAIRS)) == 1 / 2
    # A class of one item is not a class with the others that hang from its parent.
    alone = np.array([[0, 0], [0, 0], [1, 0], [2, 0]])
    for truth in (None, "labels"):
        assert dendrogram_purity(scored(CHAIN, levels=alone), truth=truth) == 1.0
    both = scored(crossed, levels=levels, truth=STAR)
    assert dendrogram_purity(both, truth="truth") == 1.0


def test_one_item_has_no_pair():
    with pytest.raises(NotApplicableError, match="single item"):
        dendrogram_purity(scored(SINGLE, truth=SINGLE))


@given(trees(min_leaves=2))
def test_a_tree_is_pure_by_its_own_classes(tree):
    levels = tree.parent[: tree.n, None]
    if len(set(levels[:, 0])) < tree.n:
        classes = Tree.from_levels(levels)
        assert dendrogram_purity(scored(classes, levels=levels)) == 1.0
        assert dendrogram_purity(scored(classes, levels=levels), ties="expected") == 1.0
