"""4-AL on comparisons as bits: counts against numpy, ties against exact arithmetic."""

from fractions import Fraction
from itertools import combinations
from math import lcm

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numba import njit

from hcbench import Comparisons, Partition
from hcbench.model import pair_items
from hcbench_quadruplets import _bit_sums_kernels as sums_of
from hcbench_quadruplets.average_linkage import merge_all, sums_over_blocks


@njit
def add_columns(columns, weight, won, lost, counter, v):
    bits = sums_of.Bits(won, lost)
    for start in range(0, columns.size, sums_of.MOST):
        some = columns[start : start + sums_of.MOST]
        sums_of.count_columns(some, bits, counter)
        sums_of.add_counts(counter.counts, some.size, weight, v)


@pytest.mark.slow
@pytest.mark.parametrize("words", [1, 2, 9, 449])
def test_columns_are_summed_as_by_unpacking_their_bits(words):
    """Near the numbers of columns and words that are processed at once."""
    for n_columns in (1, 2, 6, 7, 8, 14, 15, 125, 126, 127, 300):
        rng = np.random.default_rng(n_columns)
        won, lost = (rng.integers(1 << 63, size=(7, words)).astype(np.uint64) for _ in range(2))
        won[0], lost[0] = ~np.uint64(0), 0  # a column of -1 only, and below one of 1
        won[1], lost[1] = 0, ~np.uint64(0)
        won.flags.writeable = lost.flags.writeable = False
        S = (one.astype("<u8").view(np.uint8) for one in (lost, won))
        plus, minus = (np.unpackbits(one, axis=1, bitorder="little").astype(int) for one in S)
        drawn = rng.integers(7, size=n_columns)
        for columns in (drawn, np.zeros_like(drawn), np.ones_like(drawn)):
            v = np.ones(64 * words)
            counter = sums_of.new_counter(words)
            add_columns(columns, 0.5, won.ravel(), lost.ravel(), counter, v)
            places = sums_of.places(64 * words, words)
            expected = 1 + 0.5 * (plus - minus)[columns].sum(0)
            np.testing.assert_array_equal(v[places], expected)


def matrix(comparisons: Comparisons) -> np.ndarray:
    """S, dense; opposite answers cancel."""
    M = comparisons.n * (comparisons.n - 1) // 2
    S = np.zeros((M, M), int)
    np.add.at(S, (comparisons.closer, comparisons.farther), 1)
    return S - S.T


def few_levels(n: int, m: int, seed: int) -> Comparisons:
    """Noisy answers with four levels of similarity, so that many clusters are tied."""
    rng = np.random.default_rng(seed)
    w = rng.integers(4, size=n * (n - 1) // 2)
    a, b = rng.integers(w.size, size=(2, m))
    untied = w[a] != w[b]
    closer = (w[a] > w[b]) ^ (rng.random(m) < 0.1)
    return Comparisons(n, np.where(closer, a, b)[untied], np.where(closer, b, a)[untied]).unique()


@given(st.integers(3, 24), st.integers(0, 3000), st.integers(1, 24), st.integers(0, 99))
def test_sums_over_blocks_are_those_of_the_matrix(n, m, K, seed):
    comparisons = few_levels(n, m, seed)
    cluster = Partition(np.random.default_rng(seed).integers(K, size=n)).labels.copy()
    K = int(cluster.max()) + 1
    i, j = pair_items(np.arange(n * (n - 1) // 2), n)
    p, q = np.sort([cluster[i], cluster[j]], axis=0)
    between = np.where(p == q, -1, p * (2 * K - p - 1) // 2 + q - p - 1)
    block = (between == np.arange(K * (K - 1) // 2)[:, None]).astype(int)
    expected = block @ matrix(comparisons) @ block.T
    for by_bits in (True, False):
        sums = sums_over_blocks(comparisons, cluster, by_bits)
        np.testing.assert_array_equal(sums, expected)


def merges_in_whole_numbers(S, cluster):
    """Equations 4 and 5 by S c in integers: the merges, and W as fractions."""
    n, cluster = len(cluster), cluster.copy()
    i, j = np.triu_indices(n, 1)
    S = S.astype(object)
    merges, similarities = [], []
    while len(names := np.unique(cluster)) > 1:
        size, K = np.bincount(cluster), len(names)
        denominators = (size[cluster[i]] * size[cluster[j]]).tolist()
        scale = lcm(*denominators)
        apart = (cluster[i] != cluster[j]).tolist()
        c = np.array([a * (scale // d) for a, d in zip(apart, denominators, strict=True)], object)
        v = S @ c
        W = {}
        for p, q in combinations(names.tolist(), 2):
            of = ((cluster[i] == p) & (cluster[j] == q)) | ((cluster[i] == q) & (cluster[j] == p))
            W[p, q] = Fraction(2 * v[of].sum(), scale * int(size[p] * size[q]) * K * (K - 1))
        first = max(W, key=W.__getitem__)  # the first of several
        merges.append(first)
        similarities.append(W[first])
        cluster[cluster == first[1]] = first[0]
    return merges, similarities


@pytest.mark.slow
@settings(max_examples=25)
@given(
    st.integers(2, 18),
    st.integers(0, 800),
    st.integers(1, 18),
    st.integers(1, 18),
    st.integers(0, 99),
)
def test_ties_are_those_of_exact_arithmetic(n, m, K, few, seed):
    comparisons = few_levels(n, m, seed)
    rng = np.random.default_rng(seed)
    for cluster in (np.arange(n), Partition(rng.integers(K, size=n)).labels):
        expected, similarities = merges_in_whole_numbers(matrix(comparisons), cluster)
        for by_bits in (True, False):
            merges, linkage = merge_all(comparisons, cluster, few, by_bits)
            assert list(map(tuple, merges.tolist())) == expected
            np.testing.assert_allclose(linkage, np.array(similarities, float), atol=1e-14)
