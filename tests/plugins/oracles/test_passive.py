"""Passive oracles: samples, their distribution, noise and memory."""

import tracemalloc
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse, stats
from scipy.spatial.distance import cdist

from hcbench import AllComparisons, Comparisons, NotApplicableError, OracleRequest, Problem
from hcbench.compiled import query_key, uniform
from hcbench.errors import ParameterError
from hcbench_oracles import ORACLES, hcbench_oracles
from hcbench_oracles._sampling_kernels import correct_counts
from hcbench_oracles.active import quadruplet_queries
from hcbench_oracles.ordinal import ordinal_queries
from hcbench_oracles.pairs import pair_queries
from hcbench_oracles.passive import quadruplet_set, triplet_set
from hcbench_oracles.sampling import BLOCK, CHUNK, distinct_positions
from hcbench_oracles.whole import graph, similarities, vectors


def problem_of(n: int, seed: int = 0) -> Problem:
    w = np.random.default_rng(seed).normal(size=(n, n))
    return Problem(n=n, similarity=w + w.T)


def read(problem: Problem, seed: int = 0, budget: int | None = None, **params) -> Comparisons:
    answers = quadruplet_set(OracleRequest(problem=problem, seed=seed, budget=budget), **params)
    assert answers.size == len(answers.data)
    return answers.data


def positions(total: int, number: int, seed: int) -> list[int]:
    chunks = list(distinct_positions(total, number, np.random.default_rng(seed)))
    assert all(len(chunk) <= CHUNK for chunk in chunks)
    return np.concatenate([np.empty(0, np.int64), *chunks]).tolist()


@given(st.data())
def test_positions_are_distinct_rising_and_in_range(data):
    total = data.draw(st.one_of(st.integers(1, 400), st.integers(1, 2**62)))
    number = data.draw(st.integers(0, min(total, 300)))
    drawn = positions(total, number, data.draw(st.integers(0, 9)))
    assert len(drawn) == number
    assert drawn == sorted(set(drawn))
    assert all(0 <= position < total for position in drawn)


def test_positions_cross_chunks_and_reach_the_end():
    total = 5 * CHUNK + 17
    assert positions(total, total, 0) == list(range(total))
    for number in (total // 300, total // 3, 3 * CHUNK):  # drawn, and excluded
        drawn = positions(total, number, 1)
        assert len(set(drawn)) == number
        assert drawn == sorted(drawn)
        assert drawn == positions(total, number, 1)


@pytest.mark.parametrize("part", [0.003, 0.1, 0.4, 0.6, 0.99])
def test_positions_drawn_block_by_block_are_uniform(part):
    total = 9 * BLOCK + BLOCK // 5  # the last block is smaller
    wanted = int(part * total)
    drawn = np.array(positions(total, wanted, 2))
    assert len(np.unique(drawn)) == wanted
    for places, span in ((drawn, total), (drawn % BLOCK, BLOCK // 5)):  # in blocks of equal size
        bins = places // (span // 50)
        observed = np.bincount(bins[bins < 50])
        statistic = ((observed - observed.mean()) ** 2).sum() / observed.mean()
        assert 1e-4 < stats.chi2.sf(statistic / (1 - wanted / total), 49) < 1 - 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("left_out", [False, True])
def test_how_many_fall_into_a_block_is_hypergeometric(left_out):
    """For the last of two blocks, which is half as large as the other."""
    total, number, repeats = BLOCK + BLOCK // 2, 200, 1000
    wanted = total - number if left_out else number
    chunks = (
        distinct_positions(total, wanted, np.random.default_rng(seed)) for seed in range(repeats)
    )
    last = [sum(np.count_nonzero(chunk >= BLOCK) for chunk in drawn) for drawn in chunks]
    law = stats.hypergeom(total, total - BLOCK, wanted)
    edges = np.unique(law.ppf(np.linspace(0.05, 0.95, 15)))
    observed = np.bincount(np.searchsorted(edges, last), minlength=edges.size + 1)
    expected = np.diff(law.cdf(edges), prepend=0, append=1) * repeats
    assert stats.chisquare(observed, expected).pvalue > 1e-3


@pytest.mark.parametrize(("counts", "missing"), [((BLOCK - 10, BLOCK - 30), 1), ((10, 30), -1)])
def test_blocks_are_corrected_in_proportion_to_what_is_free_or_taken(counts, missing):
    """Of 40 free positions, or 40 taken ones, 10 are in the first block."""
    rng = np.random.default_rng(5)
    first = 0
    for _ in range(1000):
        changed, left = np.array(counts), missing
        while left:
            left = correct_counts(changed, left, rng.integers(2 * BLOCK, size=1000))
        assert changed.sum() == sum(counts) + missing
        first += changed[0] != counts[0]
    assert stats.binomtest(first, 1000, 1 / 4).pvalue > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_every_set_of_positions_is_equally_likely(number):
    """Dense sampling, by the drawn positions (up to half) and by the excluded ones."""
    sets = list(combinations(range(5), number))
    drawn = Counter(tuple(positions(5, number, seed)) for seed in range(3000))
    assert stats.chisquare([drawn[s] for s in sets]).pvalue > 1e-3


@pytest.mark.slow
def test_every_set_is_equally_likely_in_sparse_samples_too():
    total, number, repeats = 200, 3, 4000  # 200 > 64 * 3, and repeats among three are common
    drawn = [positions(total, number, seed) for seed in range(repeats)]
    hits = np.bincount(np.concatenate(drawn), minlength=total)
    # Drawing without replacement shrinks the variance of the counts by this much.
    statistic = ((hits - number * repeats / total) ** 2).sum() / (number * repeats / total)
    assert stats.chi2.sf(statistic / (1 - number / total), total - 1) > 1e-3
    gaps = np.bincount([b - a for a, b, _ in drawn], minlength=total)[1:]
    expected = np.array([(total - 1 - d) * (total - d) / 2 for d in range(1, total)])
    expected *= repeats / expected.sum()
    few = expected < 5
    observed = [*gaps[~few], gaps[few].sum()]
    assert stats.chisquare(observed, [*expected[~few], expected[few].sum()]).pvalue > 1e-3


def test_sparse_samples_are_uniform_over_their_buckets():
    """10,000 > 64 * 150, in ten buckets, the last larger than the others."""
    total, number, repeats = 10_007, 150, 400
    drawn = [positions(total, number, seed) for seed in range(repeats)]
    hits = np.bincount(np.concatenate(drawn), minlength=total)
    expected = number * repeats / total
    statistic = ((hits - expected) ** 2).sum() / expected / (1 - number / total)
    assert 1e-4 < stats.chi2.sf(statistic, total - 1) < 1 - 1e-4
    ends = np.concatenate([hits[:1000], hits[-1000:]]).reshape(2, -1).sum(axis=1)
    assert stats.chisquare(ends).pvalue > 1e-3


@pytest.mark.slow
def test_every_pair_of_queries_is_equally_likely():
    """n = 4: 15 queries, 105 sets of two."""
    seen = Counter(
        frozenset(map(frozenset, zip(drawn.closer.tolist(), drawn.farther.tolist(), strict=True)))
        for drawn in (read(problem_of(4), seed, count=2) for seed in range(2000))
    )
    assert len(seen) == 105
    assert stats.chisquare(list(seen.values())).pvalue > 1e-3


@pytest.mark.slow
def test_every_query_is_equally_likely():
    """n = 4: 6 pairs, 15 unordered pairs of pairs, those with a common item included."""
    seen = Counter(
        frozenset((int(a), int(b)))
        for seed in range(3000)
        for comparisons in [read(problem_of(4), seed, p=0.3)]
        for a, b in zip(comparisons.closer, comparisons.farther, strict=True)
    )
    assert len(seen) == 15
    counts = np.array(list(seen.values()))
    assert stats.chisquare(counts).pvalue > 1e-3
    assert abs(counts.sum() - 0.3 * 15 * 3000) < 4 * np.sqrt(15 * 3000 * 0.3 * 0.7)


def test_the_number_of_comparisons_is_binomial():
    total = 45 * 44 // 2
    numbers = [len(read(problem_of(10), seed, p=0.2)) for seed in range(400)]
    assert abs(np.mean(numbers) - 0.2 * total) < 4 * np.sqrt(0.16 * total / 400)
    assert 0.75 < np.var(numbers) / (0.16 * total) < 1.3


@pytest.mark.parametrize("n", [1, 2, 3, 9])
def test_p_of_one_gives_all_answers_and_they_are_true(n):
    problem = problem_of(n)
    all_comparisons = read(problem, p=1.0)
    pairs = n * (n - 1) // 2
    assert isinstance(all_comparisons, AllComparisons)  # none is stored
    comparisons = all_comparisons.materialise()
    assert len(comparisons.unique()) == len(all_comparisons) == pairs * (pairs - 1) // 2
    assert comparisons.contradictions() == 0
    i, j, k, l = comparisons.quadruplets().T  # noqa: E741
    assert (problem.similarity[i, j] > problem.similarity[k, l]).all()


def test_ties_have_no_answer():
    w = np.array([[0, 5, 5, 1], [5, 0, 1, 2], [5, 1, 0, 2], [1, 2, 2, 0.0]])
    comparisons = read(Problem(n=4, similarity=w), p=1.0)
    # 15 queries about similarities 5, 5, 1, 1, 2, 2: three of them tied.
    assert len(comparisons) == 12


def test_rounding_of_vectors_makes_no_answer_out_of_a_tie():
    """Equal up to rounding: all angles between the rows of these blocks are the same."""
    rng = np.random.default_rng(0)
    rows = np.repeat(np.eye(3), 4, axis=0) * rng.uniform(0.1, 9, size=(12, 1))
    rotated = rows @ np.linalg.qr(rng.normal(size=(3, 3)))[0]
    pairs, within = 66, 3 * 6
    comparisons = read(Problem(n=12, vectors=rotated), p=1.0)
    assert len(comparisons) == within * (pairs - within)


def test_rules_of_similarity_for_vectors():
    x = np.random.default_rng(1).normal(size=(7, 3))
    matrices = {
        "cosine": 1 - cdist(x, x, "cosine"),
        "euclidean": -cdist(x, x),
        "dot": x @ x.T,
    }
    for rule, w in matrices.items():
        for data in (x, sparse.csr_array(x)):
            problem = Problem(n=7, vectors=data)
            assert read(problem, p=1.0, similarity=rule) == read(
                Problem(n=7, similarity=(w + w.T) / 2), p=1.0
            )
            matrix = similarities(OracleRequest(problem=problem, seed=0), similarity=rule).data
            np.testing.assert_allclose(matrix, w, atol=1e-7)
            with pytest.raises(ValueError, match="read-only"):
                matrix[0, 0] = 1


def test_whole_oracles_hand_over_the_data_and_count_nothing():
    problem = problem_of(5)
    assert np.shares_memory(
        similarities(OracleRequest(problem=problem, seed=0)).data, problem.similarity
    )
    x = Problem(n=2, vectors=np.eye(2))
    assert vectors(OracleRequest(problem=x, seed=0)).data is x.vectors
    assert (
        vectors(OracleRequest(problem=x, seed=0)).size
        is similarities(OracleRequest(problem=problem, seed=0)).size
        is None
    )
    with pytest.raises(NotApplicableError):
        vectors(OracleRequest(problem=problem, seed=0))


@pytest.mark.slow
def test_noise_flips_at_its_rate_and_depends_only_on_the_query():
    problem = problem_of(30)
    rate = 0.2

    def flipped(seed, **params):
        i, j, k, l = read(problem, seed, noise=rate, **params).quadruplets().T  # noqa: E741
        wrong = problem.similarity[i, j] < problem.similarity[k, l]
        questions = zip(i.tolist(), j.tolist(), k.tolist(), l.tolist(), strict=True)
        return {frozenset((q[:2], q[2:])): w for q, w in zip(questions, wrong, strict=True)}

    large, small = flipped(7, p=0.4), flipped(7, count=4000)
    low, high = stats.binom.interval(1 - 1e-4, len(large), rate)
    assert low < sum(large.values()) < high
    common = large.keys() & small.keys()
    assert len(common) > 1000
    assert all(large[question] == small[question] for question in common)
    other = flipped(8, p=0.4)
    common = large.keys() & other.keys()
    differ = np.mean([large[question] != other[question] for question in common])
    assert differ == pytest.approx(2 * rate * (1 - rate), abs=0.01)  # as for independent noise
    for (first, second), wrong in list(small.items())[:50]:
        assert wrong == (uniform(7, np.uint64(query_key(1, *second, *first)), 0) < rate)


def test_many_comparisons_are_bits():
    """12 items have 66 pairs: 18 comparisons are many, 17 are not."""
    few, many = (read(problem_of(12), count=count) for count in (17, 18))
    crowd = read(problem_of(12), count=18, annotators=3)
    part = quadruplet_set(OracleRequest(problem=Problem(n=12, comparisons=many), seed=0)).data

    for drawn in (many, part):
        assert [held.shape for held in drawn.arrays()] == [(128, 2), (128, 2)]
    for other in (few, crowd):
        assert {held.shape for held in other.arrays()} == {(len(other),)}


def test_counts_defaults_and_budget():
    problem = problem_of(40)  # 780 pairs, 303,810 queries
    assert len(read(problem, count=1234)) == 1234
    assert len(read(problem, count=10**9)) == 303_810
    assert len(read(problem, count=0)) == 0
    assert abs(len(read(problem)) - 30_381) < 4 * np.sqrt(303_810 * 0.09)
    assert len(read(problem_of(100))) == 10**6  # a tenth would be 1.2 million
    assert len(read(problem, count=1234, budget=100)) == 100
    assert len(read(problem, p=0.5, budget=100)) == 100
    assert len(read(problem, count=50, budget=100)) == 50
    assert len(read(problem, budget=0)) == 0
    assert read(problem, 3, count=99) == read(problem, 3, count=99)
    assert read(problem, 3, count=99) != read(problem, 4, count=99)


def test_all_comparisons_are_stored_with_a_budget_or_noise():
    problem = problem_of(12)
    pairs = 66
    total = pairs * (pairs - 1) // 2
    assert isinstance(read(problem, p=1.0, budget=total), AllComparisons)
    part = read(problem, p=1.0, budget=total - 1)
    assert isinstance(part, Comparisons)
    assert len(part) == total - 1
    all_comparisons = read(problem, p=1.0).materialise()
    assert part & all_comparisons == part
    assert read(problem, count=total) == all_comparisons
    noisy = read(problem, p=1.0, noise=0.2)
    assert isinstance(noisy, Comparisons)
    assert (noisy | noisy.flip()) == (all_comparisons | all_comparisons.flip())
    assert 0.1 < len(noisy - all_comparisons) / total < 0.3
    large = read(problem_of(600), p=1.0)  # 1.6e10 comparisons
    assert len(large) == 179_700 * 179_699 // 2


@pytest.mark.slow
def test_the_budget_leaves_a_uniform_part():
    seen = Counter(
        frozenset((int(one.closer[0]), int(one.farther[0])))
        for one in (read(problem_of(4), seed, p=0.9, budget=1) for seed in range(1500))
    )
    assert len(seen) == 15
    assert stats.chisquare(list(seen.values())).pvalue > 1e-3


def test_impossible_parameters_are_refused_in_one_line():
    with pytest.raises(ParameterError, match="p or count"):
        read(problem_of(5), p=0.5, count=3)
    with pytest.raises(ParameterError, match="noise"):
        read(problem_of(5), noise=0.5)
    with pytest.raises(
        ParameterError, match=r"n=300 and p=0\.5 .* 5\d{8} comparisons.*count="
    ) as e:
        read(problem_of(300), p=0.5)
    assert "\n" not in str(e.value)
    assert len(read(problem_of(300), p=0.5, budget=10)) == 10  # not more than requested


@pytest.mark.slow
def test_comparisons_of_the_data_set_are_the_set():
    fixed = Comparisons.from_quadruplets(
        5, [[0, 1, 2, 3], [2, 3, 1, 4], [0, 4, 1, 2], [0, 1, 2, 4]]
    )
    problem = Problem(n=5, comparisons=fixed, similarity=problem_of(5).similarity)
    assert read(problem) == fixed
    assert read(problem, p=1.0) == fixed
    parts = Counter(
        tuple(read(problem, seed, count=2).quadruplets().ravel().tolist()) for seed in range(1200)
    )
    assert len(parts) == 6
    assert stats.chisquare(list(parts.values())).pvalue > 1e-3
    assert len(read(problem, budget=3)) == 3
    turned = [read(problem, seed, noise=0.4) for seed in range(300)]
    wrong = np.mean([part.closer != fixed.closer for part in turned])
    assert wrong == pytest.approx(0.4, abs=0.06)
    assert fixed == Comparisons(5, fixed.closer, fixed.farther)


@pytest.mark.slow
def test_memory_is_proportional_to_the_sample():
    """Dense, and for n = 1797, as scikit-learn's digits, 1.3e12 queries."""
    count, matrix = 10**6, 2 * 8 * 1797**2  # the similarities, and a copy during checks
    for n, most in ((300, 30 * count), (1797, 40 * count + matrix)):
        problem = problem_of(n)
        tracemalloc.start()
        try:
            assert len(read(problem, count=count)) == count
            assert tracemalloc.get_traced_memory()[1] < most
        finally:
            tracemalloc.stop()


def test_specs_name_their_functions():
    assert tuple(hcbench_oracles()) == ORACLES
    assert [spec.load() for spec in ORACLES] == [
        vectors,
        graph,
        similarities,
        quadruplet_set,
        triplet_set,
        quadruplet_queries,
        ordinal_queries,
        pair_queries,
    ]
    spec = ORACLES[3]
    noise = {"noise": 0.0, "scale": 0.0, "annotators": 0}
    assert spec.resolve({}) == {"p": None, "count": None, **noise, "similarity": "cosine"}
    for wrong in (
        {"p": 0.0},
        {"p": 1.5},
        {"noise": 0.5},
        {"count": -1},
        {"scale": -1.0},
        {"annotators": -1},
        {"similarity": "jaccard"},
    ):
        with pytest.raises(ParameterError):
            spec.resolve(wrong)
