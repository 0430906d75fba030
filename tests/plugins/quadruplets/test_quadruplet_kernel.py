"""4K-AL and tK-AL: kernels against their definitions, entry by entry."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import kendalltau

import hcbench
from hcbench import AllComparisons, Comparisons, DataRequest, HeightKind, Oracle, OracleRequest
from hcbench_datasets.planted import planted as planted_model
from hcbench_oracles.passive import quadruplet_set
from hcbench_quadruplets import _index_kernels, _quadruplet_kernels
from hcbench_quadruplets.pairs import MAX_ITEMS
from hcbench_quadruplets.quadruplet_kernel import kernel_matrix
from hcbench_quadruplets.triplet_kernel import triplet_kernel


class Answered:
    """S of a set of rows i, j, k, l: w_ij > w_kl."""

    def __init__(self, rows):
        self.rows = {(frozenset(r[:2]), frozenset(r[2:])) for r in rows}

    def __call__(self, one, two) -> int:
        one, two = frozenset(one), frozenset(two)
        return ((one, two) in self.rows) - ((two, one) in self.rows)


def equation_3(n, S, own=False):
    K = np.zeros((n, n), int)
    for i, j in permutations(range(n), 2):
        for k, l in combinations(range(n), 2):  # noqa: E741
            for r in range(n):
                if r not in (i, j):
                    K[i, j] += S((i, r), (k, l)) * S((j, r), (k, l))
                elif own:  # as in the authors' code: (r, r) is closer than any pair
                    K[i, j] += S((i, j), (k, l))
    return K


def off_diagonal(matrix):
    matrix = np.array(matrix)
    np.fill_diagonal(matrix, 0)
    return matrix


@st.composite
def answers(draw):
    n = draw(st.integers(2, 6))
    item = st.integers(0, n - 1)
    pair = st.tuples(item, item).filter(lambda p: p[0] != p[1])
    row = st.tuples(pair, pair).filter(lambda q: set(q[0]) != set(q[1]))
    return n, draw(st.lists(row.map(lambda q: q[0] + q[1]), max_size=60))


def both_ways(comparisons):
    n = comparisons.n
    columns = _index_kernels.index_pairs(comparisons.closer, comparisons.farther, n)
    products = np.zeros((n, n), np.int64)
    _quadruplet_kernels.kernel_by_products(*columns, products)
    yield products
    bits = comparisons.bits()
    for at_once in (512, 1, 7):  # words: a row at once, or in several parts
        yield _quadruplet_kernels.kernel_by_bits(bits.won, bits.lost, n, at_once)


@given(answers())
def test_the_kernel_is_that_of_equation_3(case):
    n, rows = case
    comparisons = Comparisons.from_quadruplets(n, rows)
    expected = equation_3(n, Answered(rows))
    for K in (kernel_matrix(comparisons), *both_ways(comparisons.unique())):
        np.testing.assert_array_equal(off_diagonal(K), expected)
    np.testing.assert_array_equal(
        off_diagonal(kernel_matrix(comparisons, "code")), equation_3(n, Answered(rows), own=True)
    )


@pytest.mark.slow
def test_both_ways_agree_where_rows_are_long_and_opposite_answers_cancel():
    """150 items: rows of several words, the last of which is partly filled."""
    rng = np.random.default_rng(0)
    n, M = 150, 150 * 149 // 2
    hub = rng.integers(n - 1, size=6000)  # pairs of item 0, against a few others
    closer, farther = (
        np.concatenate((hub, rng.integers(M, size=30_000))),
        rng.integers(M, size=36_000),
    )
    farther[:6000] %= 300
    different = closer != farther
    drawn = Comparisons(n, closer[different], farther[different])
    comparisons = Comparisons(
        n,
        np.concatenate((drawn.closer, drawn.farther[:500])),
        np.concatenate((drawn.farther, drawn.closer[:500])),
    ).unique()
    one, *others = both_ways(comparisons)
    for other in others:
        np.testing.assert_array_equal(off_diagonal(one), off_diagonal(other))
    S = np.zeros((M, M), np.int8)
    S[comparisons.closer, comparisons.farther] = 1
    S -= S.T
    for i, j in ((0, 1), (3, 70), (148, 149), (64, 128)):
        rest = np.setdiff1d(np.arange(n), (i, j))
        rows = [S[hcbench.model.pair_index(item, rest, n)].astype(int) for item in (i, j)]
        assert one[i, j] == (rows[0] * rows[1]).sum()


@given(st.integers(2, 6), st.integers(1, 12), st.integers(0, 1000))
def test_the_kernels_of_a_ranking_are_those_of_its_comparisons(n, levels, seed):
    values = np.random.default_rng(seed).integers(levels, size=n * (n - 1) // 2)
    all_comparisons = AllComparisons.from_similarity(values)
    stored = all_comparisons.materialise()
    for variant in ("paper", "code"):
        np.testing.assert_array_equal(
            off_diagonal(kernel_matrix(all_comparisons, variant)),
            off_diagonal(kernel_matrix(stored, variant)),
        )
    triplets = stored.only_triplets()
    for variant in ("k1", "k2"):
        np.testing.assert_allclose(
            triplet_kernel(all_comparisons, variant), triplet_kernel(triplets, variant), atol=1e-12
        )


def test_without_ties_the_kernel_follows_from_differences_of_ranks():
    """M - 2 |rank(w_ir) - rank(w_jr)|, summed, here over the only other r."""
    all_comparisons = AllComparisons(3, [0, 2, 1])
    K = kernel_matrix(all_comparisons)
    assert (K[0, 1], K[0, 2], K[1, 2]) == (3 - 2 * 1, 3 - 2 * 1, 3 - 2 * 2)


def test_ranks_of_the_pairs_of_the_most_items_do_not_overflow():
    """M - 2 |rank(w_02) - rank(w_12)| of the highest and the lowest of M ranks."""
    M = MAX_ITEMS * (MAX_ITEMS - 1) // 2
    level, tied = np.zeros((3, 3), np.int32), np.ones((3, 3), np.int32)
    level[[0, 2], [2, 0]], level[[1, 2], [2, 1]] = M - 1, 1 - M
    assert _quadruplet_kernels.kernel_of_ranks(level, tied, M)[0, 1] == M - 2 * (M - 1)


def triplet_features(n, S, kernel):
    """F by the definition of the paper, from S."""
    items = range(n)
    if kernel == "k1":
        return [
            [S((i, k), (i, m)) if i not in (k, m) else 0 for k, m in combinations(items, 2)]
            for i in items
        ]
    return [
        [S((r, i), (r, m)) if r not in (i, m) else 0 for r in items for m in items] for i in items
    ]


@given(answers(), st.sampled_from(["k1", "k2"]))
def test_triplet_kernels_are_cosines_of_their_features(case, kernel):
    n, rows = case
    rows = [row for row in rows if set(row[:2]) & set(row[2:])]
    F = np.array(triplet_features(n, Answered(rows), kernel), float)
    length = np.linalg.norm(F, axis=1)
    length[length == 0] = 1
    expected = (F @ F.T) / np.outer(length, length)
    computed = triplet_kernel(Comparisons.from_quadruplets(n, rows), kernel)
    np.testing.assert_allclose(computed, expected, atol=1e-12)


def test_k1_of_all_triplets_is_kendalls_tau_where_both_items_see_the_same():
    """Of rankings of the others; the two items themselves only affect the lengths."""
    n = 9
    w = np.random.default_rng(0).normal(size=(n, n))
    w = w + w.T
    k1 = triplet_kernel(AllComparisons.from_similarity(w), "k1")
    others = np.arange(2, n)
    tau = kendalltau(w[0, others], w[1, others]).statistic
    shared, all_pairs = (n - 2) * (n - 3) / 2, (n - 1) * (n - 2) / 2
    assert k1[0, 1] == pytest.approx(tau * shared / all_pairs)


def planted(seed=0):
    rng = np.random.default_rng(seed)
    label = np.arange(32) // 8
    w = (
        rng.normal(size=(32, 32))
        - 4.0 * (label[:, None] != label)
        - 4.0 * (label[:, None] // 2 != label // 2)
    )
    return (w + w.T) / 2, label


@pytest.mark.parametrize("name", ["4K-AL", "4K-AL[kernel=code]", "AL-rowsum", "tK-AL", "4-AL"])
@pytest.mark.parametrize(
    "oracle", ["quadruplet-set[p=0.9]", "quadruplet-set[p=1]", "triplet-set[p=0.7]"]
)
def test_a_planted_hierarchy_is_recovered(name, oracle):
    w, label = planted()
    order = np.random.default_rng(1).permutation(32)
    problem = hcbench.Problem(n=32, similarity=w[np.ix_(order, order)])
    tree = hcbench.fit(name, problem, oracle=oracle)
    assert tree.cut(4) == hcbench.Partition(label[order])
    assert tree.kind is HeightKind.ORDER
    ones = np.ones((32, 32))
    assert hcbench.score("dasgupta", tree, ones) == pytest.approx((32**3 - 32) / 3)


@pytest.mark.parametrize("name", ["4-AL", "4K-AL", "tK-AL[kernel=k1]", "tK-AL", "AL-rowsum"])
def test_only_the_order_of_similarities_matters(name):
    w, _ = planted(3)
    for oracle in ("quadruplet-set[p=0.2]", "quadruplet-set[p=1]"):
        trees = []
        for similarity in (w, np.exp(w / 3), 5 * w - 2):
            problem = hcbench.Problem(n=32, similarity=similarity)
            trees.append(hcbench.fit(name, problem, oracle=oracle))
        assert trees[0] == trees[1] == trees[2]


@pytest.mark.parametrize("name", ["4-AL", "4K-AL", "AL-rowsum"])
def test_renumbered_items_give_the_same_clusters(name):
    """On data without ties, in comparisons and in averages."""
    w, _ = planted(4)
    order = np.random.default_rng(2).permutation(32)
    tree, renumbered = (
        hcbench.fit(name, hcbench.Problem(n=32, similarity=data), oracle="quadruplet-set[p=1]")
        for data in (w, w[np.ix_(order, order)])
    )
    for k in range(2, 32):
        assert hcbench.Partition(tree.cut(k).labels[order]) == renumbered.cut(k)


@pytest.mark.parametrize("kernel", ["k1", "k2"])
def test_renumbered_items_have_the_same_triplet_kernel(kernel):
    w, _ = planted(4)
    order = np.random.default_rng(2).permutation(32)
    K, renumbered = (
        triplet_kernel(AllComparisons.from_similarity(data), kernel)
        for data in (w, w[np.ix_(order, order)])
    )
    np.testing.assert_allclose(K[np.ix_(order, order)], renumbered, atol=1e-12)


def gaps(kernel, levels):
    """Growth of the mean entry with each shared level, in standard deviations in pure clusters."""
    shared = np.cumprod(levels[:, None] == levels, axis=2).sum(axis=2)
    np.fill_diagonal(shared, -1)
    means = [kernel[shared == s].mean() for s in range(levels.shape[1] + 1)]
    return np.diff(means) / kernel[shared == levels.shape[1]].std()


@pytest.mark.slow
def test_the_paper_s_kernel_hardly_separates_the_lowest_level():
    """Why 4K-AL stays near an AARI of .86, as `suites_planted` explains."""
    problem = planted_model(DataRequest(seed=0), N0=30, L=3, mu=0.8, sigma=0.1, delta=0.12)
    every = AllComparisons.from_similarity(problem.similarity)
    highest, middle, lowest = gaps(kernel_matrix(every), problem.levels)
    assert lowest < 1.2 < 4 < middle < highest / 2
    some = Oracle(quadruplet_set(OracleRequest(problem=problem, seed=0), p=0.1)).read()
    sampled = gaps(kernel_matrix(some), problem.levels)
    assert sampled == pytest.approx([highest, middle, lowest], rel=0.1)
    # The program adds a term of order p to one of order p^2.
    assert gaps(kernel_matrix(some, "code"), problem.levels)[2] > 1.5 * sampled[2]
