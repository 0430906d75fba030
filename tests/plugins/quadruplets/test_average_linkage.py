"""4-AL against literal equations 4 and 5, with exact fractions."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hcbench import Answers, Comparisons, HeightKind, Items, Oracle, Partition
from hcbench.errors import NotApplicableError, ParameterError
from hcbench.model.comparisons.arrays import pair_index
from hcbench_quadruplets import ALGORITHMS, hcbench_algorithms
from hcbench_quadruplets.average_linkage import four_al, merge_all, merge_blocks
from hcbench_quadruplets.quadruplet_kernel import four_k_al


def preference(Q, G1, G2, G3, G4) -> Fraction:
    """Equation 4."""
    total = sum((q in Q) - (q[2:] + q[:2] in Q) for q in product(G1, G2, G3, G4))
    return Fraction(total, len(G1) * len(G2) * len(G3) * len(G4))


def similarity(Q, clusters, p, q) -> Fraction:
    """Equation 5: ordered r != s."""
    K = len(clusters)
    return sum(
        preference(Q, clusters[p], clusters[q], clusters[r], clusters[s])
        for r in range(K)
        for s in range(K)
        if r != s
    ) / (K * (K - 1))


def closed_under_symmetry(rows) -> set:
    """All equivalent forms of the answers, as w_ij = w_ji."""
    return {
        (*first, *second)
        for row in rows
        for first in (row[:2], row[1::-1])
        for second in (row[2:], row[:1:-1])
    }


def check_merges(n, rows, cluster, merges, linkage):
    """Check that each merge is the first of the maximal ones, given the previous merges."""
    Q = closed_under_symmetry(rows)
    clusters = {c: set(np.flatnonzero(cluster == c).tolist()) for c in set(cluster.tolist())}
    for (p, q), value in zip(merges.tolist(), linkage.tolist(), strict=True):
        names = sorted(clusters, key=lambda c: min(clusters[c]))
        now = [clusters[c] for c in names]
        W = {
            (names[a], names[b]): similarity(Q, now, a, b)
            for a, b in combinations(range(len(now)), 2)
        }
        largest = max(W.values())
        assert W[p, q] == largest
        assert (p, q) == next(pair for pair, w in W.items() if w == largest)
        assert value == pytest.approx(float(largest), abs=1e-12)
        clusters[p] |= clusters.pop(q)
    assert len(clusters) == 1


@st.composite
def answers(draw, most=6):
    n = draw(st.integers(2, most))
    item = st.integers(0, n - 1)
    pair = st.tuples(item, item).filter(lambda p: p[0] != p[1])
    rows = draw(
        st.lists(
            st.tuples(pair, pair)
            .filter(lambda q: set(q[0]) != set(q[1]))
            .map(lambda q: q[0] + q[1]),
            max_size=40,
        )
    )
    return n, rows


@given(answers(), st.integers(1, 7), st.booleans(), st.randoms(use_true_random=False))
def test_every_merge_is_maximal_by_the_equations(case, few, by_bits, random):
    """With lists and bits, and the change to sums over blocks after any number of merges."""
    n, rows = case
    comparisons = Comparisons.from_quadruplets(n, rows).unique()
    for cluster in (
        np.arange(n),
        Partition([random.randrange(n) for _ in range(n)]).labels,
    ):
        merges, linkage = merge_all(comparisons, cluster, few, by_bits)
        check_merges(n, rows, cluster, merges, linkage)


def oracle_of(comparisons: Comparisons) -> Oracle:
    return Oracle(
        Answers(kind="quadruplet-set", n=comparisons.n, data=comparisons, size=len(comparisons))
    )


def fit(comparisons: Comparisons, init: int = 1, clusters: Partition | None = None, seed: int = 0):
    hints = {} if clusters is None else {"clusters": clusters}
    given_ = Items(n=comparisons.n, hints=hints)
    rng = np.random.default_rng(seed)
    return four_al(oracle_of(comparisons), given_, rng, init=init)


def test_by_hand():
    """Three items; the answers are w_12 > w_01 and w_01 > w_20.

    The rows of S add up to 1 - 1 = 0 for 01, -1 for 02, 1 for 12; W is 2 / (3 * 2) of that. So 1
    and 2 merge, at 1/3; two clusters are one pair, which is compared with itself alone: W = 0.
    """
    tree = fit(Comparisons.from_quadruplets(3, [[1, 2, 0, 1], [0, 1, 2, 0]]))
    assert tree.parent.tolist() == [4, 3, 3, 4, -1]
    assert tree.kind is HeightKind.ORDER
    assert tree.height.tolist() == [0, 0, 0, 1, 2]
    np.testing.assert_allclose(tree.linkage, [np.nan, np.nan, np.nan, 1 / 3, 0], atol=1e-15)


def test_repeated_answers_count_once_and_opposite_ones_cancel():
    rows = [[0, 1, 2, 3]] * 5 + [[2, 3, 0, 1]] + [[1, 2, 0, 3]]
    tree = fit(Comparisons.from_quadruplets(4, rows))
    assert tree.parent[1] == tree.parent[2] == 4  # 0, 1 has no lead of five
    assert tree == fit(Comparisons.from_quadruplets(4, [[1, 2, 0, 3]]))


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.filterwarnings("ignore:there is no comparison:hcbench.ModelWarning")
def test_without_comparisons_the_first_items_merge_first(n):
    tree = fit(Comparisons(n, [], []))
    assert tree.n == n
    assert tree.height.tolist() == [0] * n + list(range(1, n))
    if n == 5:
        assert tree.parent.tolist() == [5, 5, 6, 7, 8, 6, 7, 8, -1]


def planted(levels: int, size: int, delta: float, seed: int):
    """Section 2.2 with sigma = 1: similarities, and the labels of the pure clusters."""
    label = np.arange(size << levels) // size
    apart = sum((label[:, None] >> level) != (label >> level) for level in range(levels))
    noise = np.triu(np.random.default_rng(seed).normal(size=apart.shape), 1)
    return noise + noise.T - delta * apart, label


def all_comparisons(w) -> Comparisons:
    n = len(w)
    a, b = np.triu_indices(n * (n - 1) // 2, 1)
    values = w[np.triu_indices(n, 1)]
    first = values[a] > values[b]
    return Comparisons(n, np.where(first, a, b), np.where(first, b, a))


def test_planted_hierarchy_is_recovered():
    w, label = planted(2, 8, delta=5.0, seed=3)
    order = np.random.default_rng(0).permutation(len(w))  # the order of the items must not matter
    full = all_comparisons(w[np.ix_(order, order)])
    sample = np.flatnonzero(np.random.default_rng(1).random(len(full)) < 0.3)
    for comparisons in (full, Comparisons(full.n, full.closer[sample], full.farther[sample])):
        tree = fit(comparisons)
        assert tree.cut(4) == Partition(label[order])
        assert tree.cut(2) == Partition(label[order] // 2)


@pytest.mark.slow
def test_lists_bits_and_sums_over_blocks_give_the_same_merges():
    """With 112 items there are more columns of one weight than are counted at once."""
    w, label = planted(3, 14, delta=6.0, seed=5)
    values = w[np.triu_indices(len(w), 1)]
    a, b = np.random.default_rng(2).integers(len(values), size=(2, 4_000_000))
    a, b = a[values[a] > values[b]], b[values[a] > values[b]]
    comparisons = Comparisons(len(w), a, b).unique()
    assert comparisons.is_dense
    assert fit(comparisons).cut(8) == Partition(label)
    ways = [
        merge_all(comparisons, np.arange(len(w)), few, by_bits)
        for few, by_bits in ((1, True), (20, True), (20, False), (112, True), (112, False))
    ]
    for merges, linkage in ways[1:]:
        np.testing.assert_array_equal(merges, ways[0][0])
        np.testing.assert_allclose(linkage, ways[0][1], atol=1e-13)


def test_few_comparisons_are_not_written_as_bits(monkeypatch):
    w, _ = planted(2, 25, delta=5.0, seed=3)
    values = w[np.triu_indices(len(w), 1)]
    a, b = np.random.default_rng(2).integers(len(values), size=(2, 60_000))
    a, b = a[values[a] > values[b]], b[values[a] > values[b]]
    comparisons = Comparisons(len(w), a, b).unique()
    assert not comparisons.is_dense
    with monkeypatch.context() as without:
        without.delattr(Comparisons, "bits")
        by_default = merge_all(comparisons, np.arange(100))
    by_bits = merge_all(comparisons, np.arange(100), by_bits=True)
    np.testing.assert_array_equal(by_default[0], by_bits[0])
    np.testing.assert_allclose(by_default[1], by_bits[1], atol=1e-13)


@pytest.mark.parametrize("init", [3, 5])
def test_initial_clusters_lie_inside_the_true_ones(init):
    w, label = planted(2, 8, delta=5.0, seed=3)
    comparisons = all_comparisons(w)
    tree = fit(comparisons, init, Partition(label))
    initial = np.flatnonzero(tree.height == 1)
    sizes = sorted(tree.sizes[initial].tolist())
    assert sizes == {3: [2] * 4 + [3] * 8, 5: [3] * 4 + [5] * 4}[init]
    for node in initial:
        leaves = tree.leaves(node)
        assert len(set(label[leaves])) == 1
        assert (tree.parent[leaves] == node).all()
    assert np.isnan(tree.linkage[: tree.n + len(initial)]).all()
    assert tree.height[tree.n + len(initial) :].tolist() == list(range(2, len(initial) + 1))
    assert tree.cut(4) == Partition(label)
    assert fit(comparisons, init, Partition(label), seed=1) != tree  # drawn at random
    assert fit(comparisons, init, Partition(label)) == tree


def test_merges_of_initial_clusters_are_maximal_by_the_equations():
    rows = [(0, 3, 1, 2), (4, 5, 0, 6), (1, 6, 2, 3), (0, 5, 1, 4), (2, 6, 0, 1), (3, 6, 4, 5)]
    comparisons = Comparisons.from_quadruplets(7, rows).unique()
    cluster = np.array([0, 0, 1, 2, 1, 3, 2])
    for few, by_bits in product((1, 3, 80), (True, False)):
        check_merges(7, rows, cluster, *merge_all(comparisons, cluster, few, by_bits))


def test_initial_clusters_that_leave_single_items_or_nothing_to_merge():
    comparisons = Comparisons.from_quadruplets(5, [[0, 1, 2, 3], [3, 4, 0, 2]])
    tree = fit(comparisons, 2, Partition([0, 0, 0, 1, 1]))
    assert sorted(tree.sizes[tree.height == 1].tolist()) == [2, 2]
    whole = fit(comparisons, 5, Partition([0] * 5))
    assert whole.parent.tolist() == [5] * 5 + [-1]
    assert whole.height.tolist() == [0] * 5 + [1]


def test_names_are_preserved_and_reading_is_counted():
    comparisons = Comparisons(3, pair_index([0], [1], 3), pair_index([1], [2], 3))
    oracle = oracle_of(comparisons)
    names = ("a", "b", "c")
    tree = four_al(oracle, Items(n=3, names=names), np.random.default_rng(0))
    assert tree.names == names
    assert (oracle.ledger.queries, oracle.ledger.rounds) == (1, 1)


def test_the_specs_say_when_initial_clusters_are_a_hint():
    assert tuple(hcbench_algorithms()) == ALGORITHMS
    specs = {spec.name: spec for spec in ALGORITHMS}
    four = specs["4-AL"]
    assert four.load() is four_al
    assert four.hints_of(four.resolve({})) == ()
    assert four.hints_of(four.resolve({"init": "4K-AL"})) == ()
    assert four.hints_of(four.resolve({"init": ((0, 1), (2, 3))})) == ()
    assert four.hints_of(four.resolve({"init": 3})) == ("clusters",)
    for name, init in (("4-AL-I3", 3), ("4-AL-I5", 5)):
        assert specs[name].resolve({})["init"] == init
        assert specs[name].hints_of(specs[name].resolve({})) == ("clusters",)
    for wrong in (0, "3K-AL", 2.5):
        with pytest.raises(ParameterError, match="4-AL: init"):
            four.resolve({"init": wrong})
    assert "Comparison-Based" in four.paper.bibtex


@pytest.mark.parametrize("algorithm", [four_al, four_k_al])
def test_too_many_items_are_refused_before_anything_is_read(algorithm):
    with pytest.raises(NotApplicableError, match=r"at most 65536 items, got 65537"):
        algorithm(None, Items(n=65_537), np.random.default_rng(0))


def test_sums_of_more_than_2_to_the_31_comparisons_do_not_overflow():
    # Clusters of 500, 1000 and 500 items; all comparisons of (0, 1) with (1, 2) prefer (0, 1).
    many = 500 * 1000 * 1000 * 500
    S = np.zeros((3, 3), np.int64)
    S[0, 2], S[2, 0] = many, -many
    merges, similarities = np.empty((2, 2), np.int64), np.empty(2)
    merge_blocks(S, np.array([500, 1000, 500]), merges, similarities)
    assert merges.tolist() == [[0, 1], [0, 2]]
    assert similarities == pytest.approx([1 / 3, 0])
