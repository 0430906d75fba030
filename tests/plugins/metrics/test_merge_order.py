"""Kendall's tau_b of merge orders: values computed by hand, and scipy's on explicit ranks."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import kendalltau, rankdata

from hcbench import HeightKind, NotApplicableError, ParameterError, Problem, Scored, Tree
from hcbench.model import Cost
from hcbench_metrics import _order_kernels, merge_order, true_ranks
from hcbench_metrics._tree_kernels import arrays_of
from hcbench_metrics.merge_order import kendall_tau_b, kendall_tau_b_error
from tests.core.trees import trees
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


def merge_ranks(tree, i):
    """Rank of every leaf by its merge with i, from the definition; 0 for i."""
    path = [i]
    while tree.parent[path[-1]] >= 0:
        path.append(tree.parent[path[-1]])
    return np.array(
        [next(r for r, v in enumerate(path) if j in tree.leaves(v)) for j in range(tree.n)]
    )


def naive_tau_b(result, truth, *, include_self=False, self_is_tied_with=lambda i: [i]):
    """Mean of scipy's tau_b, row by row."""
    values = []
    for i in range(truth.n):
        keep = np.ones(truth.n, bool)
        keep[i] = include_self
        found, true = merge_ranks(result, i)[keep], merge_ranks(truth, i)
        true[self_is_tied_with(i)] = 0
        true = true[keep]
        if len(set(true)) > 1:
            constant = len(set(found)) == 1
            values.append(0.0 if constant else kendalltau(found, true).statistic)
    return np.mean(values) if values else None


def test_tau_b_by_hand():
    # Ranks around 0 and 1: (1, 2, 3) and (1, 2, 2); around 2: (1, 1, 2) and (2, 2, 1); around 3,
    # the result ranks all alike.
    expected = (2 * 2 / np.sqrt(3 * 2) - 1 + 0) / 4
    assert kendall_tau_b(scored(CHAIN, truth=TWO_PAIRS)) == pytest.approx(expected, abs=1e-15)


def test_tau_b_with_the_item_itself_by_hand():
    # Six pairs of four ranks now; with heights in the truth, the item is alone on rank 0.
    truth = Tree(TWO_PAIRS.parent, [3, 3, 3, 3, 2, 1, 0], HeightKind.AFFINITY)
    expected = (2 * 5 / np.sqrt(6 * 5) + 1 / 5 + 3 / np.sqrt(3 * 5)) / 4
    found = kendall_tau_b(scored(CHAIN, truth=truth), include_self=True)
    assert found == pytest.approx(expected, abs=1e-15)


def test_tau_b_with_the_item_itself_ties_it_with_its_class_if_there_are_only_labels():
    # Around 0: ranks (0, 1, 2, 3) and (0, 0, 1, 1), around 2: (1, 1, 0, 2) and (1, 1, 0, 0),
    # around 3: (1, 1, 1, 0) and (1, 1, 0, 0).
    expected = (2 * 4 / np.sqrt(6 * 4) + 0 + 2 / np.sqrt(3 * 4)) / 4
    found = kendall_tau_b(scored(CHAIN, levels=np.array([[0], [0], [1], [1]])), include_self=True)
    assert found == pytest.approx(expected, abs=1e-15)


def test_items_whose_ranks_in_the_truth_are_tied_are_excluded():
    # In the chain that is 3. Around 0 and 1: ranks (1, 2, 2) and (1, 2, 3); around 2: discordant.
    expected = (2 * 2 / np.sqrt(2 * 3) - 1) / 3
    assert kendall_tau_b(scored(TWO_PAIRS, truth=CHAIN)) == pytest.approx(expected, abs=1e-15)


def test_a_star_has_tau_b_of_zero():
    assert kendall_tau_b(scored(STAR, truth=TWO_PAIRS)) == 0.0


@given(two_trees(min_leaves=2), st.booleans())
def test_tau_b_agrees_with_scipy(pair, include_self):
    result, truth = pair
    expected = naive_tau_b(result, truth, include_self=include_self)
    score = scored(result, truth=truth)
    if expected is None:
        with pytest.raises(NotApplicableError, match="ranks no item"):
            kendall_tau_b(score, include_self)
    else:
        assert kendall_tau_b(score, include_self) == pytest.approx(expected, abs=1e-12)


@given(st.data(), st.integers(2, 10))
def test_tau_b_of_labels_agrees_with_scipy(data, n):
    result = data.draw(trees(min_leaves=n, max_leaves=n))
    rows = st.lists(st.integers(0, 2), min_size=2, max_size=2)
    levels = np.array(data.draw(st.lists(rows, min_size=n, max_size=n)))
    score = scored(result, levels=levels)
    mates = lambda i: np.flatnonzero((levels == levels[i]).all(axis=1))  # noqa: E731
    for include_self in (False, True):
        expected = naive_tau_b(
            result,
            score.problem.truth,
            include_self=include_self,
            self_is_tied_with=mates if include_self else lambda i: [i],
        )
        if expected is not None:
            found = kendall_tau_b(score, include_self)
            assert found == pytest.approx(expected, abs=1e-12)


def concordances(result, truth):
    """Use both methods, whichever would be selected."""
    inner_parent = truth.parent - truth.n
    no_table = np.empty((0, 0), dtype=np.int64)
    ranks = _order_kernels.TrueRanks(
        class_of=inner_parent[: truth.n],
        above=inner_parent[truth.n :],
        ranks=no_table,
        nearest=no_table,
    )
    by_classes = _order_kernels.concordance_by_classes(arrays_of(result), ranks)
    unshifted = np.zeros(truth.n, dtype=np.int64)
    by_rows, _ = merge_order.count_by_rows(result, truth, unshifted, transposed=False)
    return by_rows, by_classes


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_both_methods_count_the_same_pairs(seed):
    rng = np.random.default_rng(seed)
    shapes = [
        random_tree(60, rng),
        random_tree(60, rng, width=8),
        chained_tree(60, rng),
        Tree.from_levels(rng.integers(0, 4, (60, 2))),
    ]
    for result, truth in itertools.product(shapes, shapes):
        by_rows, by_classes = concordances(result, truth)
        i = int(rng.integers(60))
        found, true = (
            np.sign(np.subtract.outer(r, r)) for r in map(ranks_but_self, (result, truth), (i, i))
        )
        assert by_rows.tolist() == by_classes.tolist()
        assert by_rows[i] == (found * true).sum() // 2


def ranks_but_self(tree, i):
    return np.delete(merge_ranks(tree, i), i)


def test_the_method_is_chosen_by_its_cost():
    rng = np.random.default_rng(0)
    n = 2000
    chain, other_chain = chained_tree(n, rng), chained_tree(n, rng)
    labels = Tree.from_levels(rng.integers(0, 5, (n, 2)))
    most = n * n * np.log2(n)
    cost = lambda one, other: merge_order.cost_by_classes(one, other, other.depths[:n])  # noqa: E731
    assert cost(chain, labels) < 0.01 * most
    assert cost(random_tree(n, rng), random_tree(n, rng)) < 0.1 * most
    assert cost(chain, other_chain) > most


# ---- The authors' rankings ----------------------------------------------------------------------


def class_positions(levels):
    """The authors' ranks (n, n) of j around i: levels of the classes, as a tree, not shared."""
    n = len(levels)
    ranks = np.zeros((n, n), dtype=int)
    for i in range(n):
        shared = [
            next((a for a in range(len(levels[i])) if levels[i][a] != levels[j][a]), len(levels[i]))
            for j in range(n)
        ]
        # Dense ranks from 0, the own class; only levels that separate items count.
        ranks[i] = rankdata(-np.array(shared), method="dense") - 1
    return ranks


def tau_b_of_ranks(result, ranks, include_self):
    values = []
    for i in range(result.n):
        keep = np.ones(result.n, bool)
        keep[i] = include_self
        found, true = merge_ranks(result, i)[keep], ranks[i][keep]
        if len(set(true)) > 1:
            alike = len(set(found)) == 1
            values.append(0.0 if alike else kendalltau(found, true).statistic)
    return values


def assert_tau_b(score, ranks, include_self, **options):
    expected = tau_b_of_ranks(score.result, ranks, include_self)
    if not expected:
        with pytest.raises(NotApplicableError, match="ranks no item"):
            kendall_tau_b(score, include_self, **options)
        return
    found = kendall_tau_b(score, include_self, **options)
    assert found == pytest.approx(np.mean(expected), abs=1e-12)
    error = np.std(expected, ddof=1) / np.sqrt(len(expected))
    found = kendall_tau_b_error(score, include_self, **options)
    assert found == pytest.approx(error, abs=1e-12)


@given(two_trees(min_leaves=2), st.booleans())
def test_transposed_ranks_of_a_tree_are_those_of_the_other_items_paths(pair, include_self):
    result, truth = pair
    ranks = np.array([merge_ranks(truth, i) for i in range(truth.n)]).T
    assert_tau_b(scored(result, truth=truth), ranks, include_self, transposed=True)


@given(st.data(), st.integers(2, 14), st.booleans())
def test_transposed_ranks_of_labels_count_the_authors_levels(data, n, include_self):
    result = data.draw(trees(min_leaves=n, max_leaves=n))
    rows = st.lists(st.integers(0, 2), min_size=3, max_size=3)
    levels = np.array(data.draw(st.lists(rows, min_size=n, max_size=n)))
    ranks = class_positions(levels).T
    assert_tau_b(scored(result, levels=levels), ranks, include_self, transposed=True)


def test_transposed_ranks_by_hand():
    # Topics a = {0, 1}, b = {2, 3} in one group, c = {4, 5} alone. Around 0: 1 at 0; 2, 3 at 1; and
    # 4, 5 at 1, as a is one step from c, which the truth itself ranks after b.
    levels = np.array([[0, 0], [0, 0], [0, 1], [0, 1], [1, 0], [1, 0]])
    result = Tree.from_newick("((((0,1),(2,3)),4),5);")
    # Pairs of the five others that neither ranking ties, around 0 and 1: 1 against 2, 3, 4, 5.
    near = 4 / np.sqrt((10 - 1) * (10 - 6))
    plain = (4 + 4) / np.sqrt((10 - 1) * (10 - 2))
    score = scored(result, levels=levels)
    values = merge_order.tau_b_of_items(score, transposed=True)
    assert values[:2] == pytest.approx([near, near], abs=1e-15)
    values = merge_order.tau_b_of_items(score)
    assert values[:2] == pytest.approx([plain, plain], abs=1e-15)


@given(st.data(), st.integers(2, 14), st.booleans())
def test_names_of_labels_count_at_any_level(data, n, include_self):
    result = data.draw(trees(min_leaves=n, max_leaves=n))
    rows = st.lists(st.sampled_from("abcd"), min_size=3, max_size=3)
    levels = np.array(data.draw(st.lists(rows, min_size=n, max_size=n)))
    shared = [[len({*a} & {*b}) for b in levels] for a in levels]
    ranks = rankdata(-np.array(shared), method="dense", axis=1)
    assert_tau_b(scored(result, levels=levels), ranks, include_self, by_names=True)


def test_labels_without_names_are_not_ranked_by_names():
    score = scored(CHAIN, levels=np.array([[0], [0], [1], [1]]))
    with pytest.raises(NotApplicableError, match="by_names needs label levels with names"):
        kendall_tau_b(score, by_names=True)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_transposed_ranks_are_counted_alike_by_both_methods(seed):
    rng = np.random.default_rng(seed)
    shapes = [
        random_tree(60, rng),
        random_tree(60, rng, width=8),
        chained_tree(60, rng),
        Tree.from_levels(rng.integers(0, 4, (60, 2))),
    ]
    for result, truth in itertools.product(shapes, shapes):
        shift = np.zeros(60, dtype=np.int64)
        classes = merge_order.parent_classes(truth)
        by_table = merge_order.count_by_table(result, classes, true_ranks.transposed(truth, shift))
        by_rows = merge_order.count_by_rows(result, truth, shift, transposed=True)
        assert [a.tolist() for a in by_table] == [a.tolist() for a in by_rows]
    ranks = np.array([merge_ranks(truth, i) for i in range(60)]).T
    assert_tau_b(scored(result, truth=truth), ranks, False, transposed=True)


def broken(truth, how):
    """Explicit ranks (n, n): own class first, then in the order of the truth, without ties."""
    classes, class_of = np.unique(truth.parent[: truth.n], return_inverse=True)
    table = true_ranks.unequal(truth, how)
    for a, b, c in itertools.product(range(len(classes)), repeat=3):
        at = [truth.sizes[truth.lca(classes[a], classes[x])] for x in (b, c)]
        assert a in (b, c) or at[0] >= at[1] or table[a, b] < table[a, c]
    return table[np.ix_(class_of, class_of)]


@given(two_trees(min_leaves=2), st.booleans(), st.integers(0, 3))
def test_ties_of_classes_are_broken_within_what_the_truth_says(pair, include_self, seed):
    result, truth = pair
    ranks = broken(truth, seed)
    assert all(len(set(row)) == len(set(truth.parent[: truth.n])) for row in ranks)
    ranks = ranks + 1
    np.fill_diagonal(ranks, 0)
    assert_tau_b(scored(result, truth=truth), ranks, include_self, break_ties=seed)


def test_broken_ties_of_labels_leave_an_item_tied_with_its_class():
    levels = np.repeat(np.arange(4), [3, 2, 4, 2])[:, None]
    score = scored(random_tree(11, np.random.default_rng(1)), levels=levels)
    ranks = broken(score.problem.truth, 5)
    assert_tau_b(score, ranks, True, break_ties=5)
    values = {kendall_tau_b(score, break_ties=seed) for seed in range(20)}
    assert len(values) > 10
    assert kendall_tau_b(score, break_ties=5) == kendall_tau_b(score, break_ties=5)


GRAY = np.array(  # affinities of the vertices 1 to 5 of appendix D.1
    [[8, 3, 3, 1, 1], [3, 5, 3, 1, 1], [3, 3, 5, 1, 1], [1, 1, 1, 2.5, 2], [1, 1, 1, 2, 9.0]]
)


def gray_truth(sizes):
    """Observations below vertices 1 to 5, those below 6 and 7, and these below 8."""
    n = sum(sizes)
    parent = [*np.repeat(np.arange(n, n + 5), sizes), *[n + 5] * 3, n + 6, n + 6, n + 7, n + 7, -1]
    return Tree(parent, [*[10] * n, *np.diag(GRAY), 3, 2, 1], HeightKind.AFFINITY)


def test_merges_rank_classes_as_their_affinities_do():
    sizes = [3, 2, 4, 2, 3]
    of = np.repeat(np.arange(5), sizes)
    ranks = np.array([rankdata(-row[of], method="dense") - 1 for row in GRAY[of]])
    result = random_tree(14, np.random.default_rng(0))
    score = scored(result, truth=gray_truth(sizes), levels=of[:, None])
    for include_self in (False, True):
        assert_tau_b(score, ranks, include_self)


def test_rounding_changes_only_ties():
    truth = gray_truth([3, 2, 4, 2, 3])
    ranks = broken(truth, "rounding")
    gram = true_ranks.rounded(GRAY)
    assert gram == pytest.approx(GRAY, abs=1e-12)
    of = np.repeat(np.arange(5), [3, 2, 4, 2, 3])
    exact = np.array([rankdata(-row[of], method="dense") - 1 for row in gram[of]])
    assert exact.tolist() == ranks.tolist()
    levels = of[:, None]
    result = random_tree(14, np.random.default_rng(0))
    assert_tau_b(scored(result, truth=truth, levels=levels), exact, True, break_ties="rounding")


def test_one_class_has_no_ties_to_break():
    assert np.array_equal(true_ranks.unequal(STAR, 0), [[0]])
    with pytest.raises(NotApplicableError, match="ranks no item"):
        kendall_tau_b(scored(CHAIN, truth=STAR), break_ties=0)


def test_rounding_needs_affinities():
    with pytest.raises(NotApplicableError, match="give a seed"):
        kendall_tau_b(scored(CHAIN, truth=TWO_PAIRS), break_ties="rounding")


def test_too_many_classes_are_refused():
    with pytest.raises(NotApplicableError, match="at most 1 classes; this one has 2"):
        true_ranks.unequal(TWO_PAIRS, 0, most_classes=1)


def test_two_options_of_rankings_are_refused():
    with pytest.raises(ParameterError, match="one of them"):
        kendall_tau_b(scored(CHAIN, truth=TWO_PAIRS), transposed=True, break_ties=1)
    with pytest.raises(ParameterError, match="one of them"):
        kendall_tau_b(scored(CHAIN, truth=TWO_PAIRS), by_names=True, break_ties=1)


def test_with_separated_classes_only_the_item_itself_is_first():
    levels = np.array([[0], [0], [1], [1]])
    crossed = Tree([4, 5, 4, 5, 6, 6, -1])
    score = scored(CHAIN, truth=crossed, levels=levels)
    without = scored(CHAIN, truth=crossed)
    assert kendall_tau_b(score, include_self=True) == kendall_tau_b(without, include_self=True)


def test_a_standard_error_by_hand():
    # Values as in the first test: 2 / sqrt(3 * 2) twice, -1 and 0.
    high = 2 / np.sqrt(3 * 2)
    mean = (2 * high - 1) / 4
    squares = 2 * (high - mean) ** 2 + (1 + mean) ** 2 + mean**2
    found = kendall_tau_b_error(scored(CHAIN, truth=TWO_PAIRS))
    assert found == pytest.approx(np.sqrt(squares / 3 / 4), abs=1e-15)
    assert kendall_tau_b_error(scored(PAIR, truth=PAIR), include_self=True) == 0.0
    with pytest.raises(NotApplicableError, match="ranks no item"):
        kendall_tau_b_error(scored(SINGLE, truth=SINGLE), include_self=True)


def test_the_truth_that_is_named_is_ranked_by():
    problem = Problem(n=4, truths={"one": TWO_PAIRS, "other": CHAIN})
    score = Scored(problem=problem, result=CHAIN, cost=Cost())
    assert kendall_tau_b(score, truth="other") == 1.0
    assert kendall_tau_b(score) == kendall_tau_b(score, truth="one") < 1.0
