"""The oracle of pair queries, against its definition for each pair."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numba import njit, types
from scipy import stats

from hcbench import (
    NotApplicableError,
    Oracle,
    OracleRequest,
    ParameterError,
    Partition,
    Problem,
    Tree,
)
from hcbench.compiled import ASK, STATE
from hcbench_oracles._pair_kernels import permute
from hcbench_oracles.pairs import pair_queries

TWO_PAIRS = Tree([4, 4, 5, 5, 6, 6, -1])


def labelled(labels, **more):
    return Problem(n=len(labels), levels=np.asarray(labels)[:, None], **more)


def matrix_of(problem, seed=0, **params):
    """All entries of Sigma, by queries."""
    n = problem.n
    oracle = Oracle(pair_queries(OracleRequest(problem=problem, seed=seed), **params))
    return oracle.ask([(i, j) for i in range(n) for j in range(n)]).reshape(n, n)


def together(labels):
    labels = np.asarray(labels)
    return (labels[:, None] == labels).astype(int)


def differing(one, other):
    """The number of different unordered pairs."""
    return int((one != other)[np.triu_indices(len(one), 1)].sum())


@st.composite
def clusters(draw, min_items=1, max_items=14):
    n = draw(st.integers(min_items, max_items))
    return np.array(draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=n)))


# ---- Sources -------------------------------------------------------------------------------------


@given(clusters())
def test_without_noise_the_answers_are_the_clusters(labels):
    assert (matrix_of(labelled(labels)) == together(labels)).all()


def test_a_level_of_the_labels_can_be_chosen():
    levels = np.array([[0, 0], [0, 1], [1, 0], [1, 0]])
    problem = Problem(n=4, levels=levels)
    assert (matrix_of(problem, level=1) == together([0, 0, 1, 1])).all()
    assert (matrix_of(problem) == together([0, 1, 2, 2])).all()
    with pytest.raises(NotApplicableError, match="level=3: there are 2 levels"):
        matrix_of(problem, level=3)


def test_without_labels_the_finest_clusters_of_the_true_tree_belong_together():
    problem = Problem(n=4, truths={"t": TWO_PAIRS}, similarity=np.eye(4))
    assert (matrix_of(problem) == together([0, 0, 1, 1])).all()


def test_a_cut_of_the_tree_is_not_the_labels():
    problem = labelled([0, 1, 2, 3], tree=TWO_PAIRS)
    assert (matrix_of(problem, source="cut", k=2) == together([0, 0, 1, 1])).all()


@pytest.mark.parametrize("no", [0.0, -1.0])
def test_a_matrix_of_two_values_need_not_be_a_clustering(no):
    rng = np.random.default_rng(1)
    upper = np.triu(rng.random((20, 20)) < 0.4, 1)
    sigma = upper | upper.T | np.eye(20, dtype=bool)
    problem = Problem(n=20, similarity=np.where(sigma, 1.0, no))
    assert (matrix_of(problem) == sigma).all()


def test_other_similarities_are_compared_with_a_threshold():
    S = np.array([[1, 0.4, 0.6], [0.4, 1, 0.5], [0.6, 0.5, 1]])
    found = matrix_of(Problem(n=3, similarity=S), source="matrix", threshold=0.5)
    assert found.tolist() == [[1, 0, 1], [0, 1, 0], [1, 0, 1]]


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"source": "cut", "k": 2}, NotApplicableError, "no tree to be cut"),
        ({"source": "matrix"}, NotApplicableError, "no matrix of similarities"),
        ({"k": 2}, ParameterError, "k=2 is for source=cut, not labels"),
        ({"threshold": 0.5}, ParameterError, "threshold=0.5 is for source=matrix"),
        ({"noise": 0.5}, ParameterError, r"noise must be in \[0, 0.5\), got 0.5"),
    ],
)
def test_inconsistent_parameters_are_reported(params, error, message):
    with pytest.raises(error, match=message):
        pair_queries(OracleRequest(problem=labelled([0, 0, 1]), seed=0), **params)


def test_data_without_clusters_are_reported():
    with pytest.raises(NotApplicableError, match=r"^the data do not define which items"):
        pair_queries(OracleRequest(problem=Problem(n=4, tree=TWO_PAIRS), seed=0))


def test_a_cut_needs_a_possible_number_of_clusters():
    problem = labelled([0, 0, 1, 1], tree=TWO_PAIRS)
    with pytest.raises(ParameterError, match="needs k"):
        pair_queries(OracleRequest(problem=problem, seed=0), source="cut")
    with pytest.raises(ParameterError, match="k=5: a tree of 4 leaves"):
        pair_queries(OracleRequest(problem=problem, seed=0), source="cut", k=5)


# ---- Noise ---------------------------------------------------------------------------------------


@given(clusters(), st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.49]), st.integers(0, 10**6))
def test_persistent_noise_flips_exactly_this_proportion_of_the_pairs(labels, noise, seed):
    n = len(labels)
    found = matrix_of(labelled(labels), seed, noise=noise)
    assert (found == found.T).all()
    assert found.diagonal().all(), "an item belongs together with itself, whatever the noise"
    assert differing(found, together(labels)) == int(round(noise * 100) * (n * (n - 1) // 2) // 100)
    assert (found == matrix_of(labelled(labels), seed, noise=noise)).all()


def test_a_proportion_that_floating_point_rounds_down_is_exact():
    """0.29 * 100 is below 29 in floating point; there are 105 pairs of 15, 4950 of 100."""
    found = matrix_of(labelled(np.zeros(25, int)), noise=0.29)  # of 300 pairs
    assert differing(found, np.ones((25, 25), int)) == 87


@pytest.mark.parametrize("total", [1, 2, 3, 5, 6, 10, 28, 45, 105, 1000, 4950])
def test_the_permutation_takes_each_number_once_and_back(total):
    bits = (total - 1).bit_length()
    there = [permute(9, x, total, bits, False) for x in range(total)]
    assert sorted(there) == list(range(total))
    assert [permute(9, y, total, bits, True) for y in there] == list(range(total))


@pytest.mark.parametrize("total", [3, 6, 10, 45])
def test_each_number_is_mapped_to_each_position_equally_often(total):
    bits, keys = (total - 1).bit_length(), 4000
    table = np.zeros((total, total))
    for seed in range(keys):
        for x in range(total):
            table[x, permute(seed, x, total, bits, False)] += 1
    chi2 = ((table - keys / total) ** 2 / (keys / total)).sum()
    # Rows and columns are fixed.
    assert stats.chi2.sf(chi2, (total - 1) ** 2) > 1e-4


@pytest.mark.parametrize("n", [4, 5, 7])
def test_all_sets_of_flipped_pairs_are_equally_likely(n):
    """Two flipped pairs: sets of both, not each pair separately."""
    total = n * (n - 1) // 2
    bits, keys = (total - 1).bit_length(), 100 * total**2
    sets = dict.fromkeys(combinations(range(total), 2), 0)
    for seed in range(keys):
        flipped = (permute(seed, number, total, bits, True) for number in (0, 1))
        sets[tuple(sorted(flipped))] += 1
    assert stats.chisquare(list(sets.values())).pvalue > 1e-4


def test_flips_do_not_follow_the_items():
    """Each of 2000 items is in a random number of flipped pairs."""
    n = 300
    wrong = matrix_of(labelled(np.zeros(n, int)), 5, noise=0.2) == 0
    of_item = wrong.sum(axis=0)
    variance = (n - 1) * 0.2 * 0.8
    assert abs(of_item.mean() - 0.2 * (n - 1)) < 0.1
    assert 0.8 < of_item.var() / variance < 1.25


def test_independent_noise_is_drawn_anew():
    oracle = Oracle(
        pair_queries(OracleRequest(problem=labelled([0, 0]), seed=3), noise=0.3, law="independent")
    )
    codes = oracle.ask(np.tile([0, 1], (20_000, 1)))
    assert abs((codes == 0).mean() - 0.3) < 0.015
    assert stats.binomtest(int((codes[1:] != codes[:-1]).sum()), 19_999, 0.42).pvalue > 1e-4


@njit(types.int64(ASK, STATE, types.int64, types.int64[:, ::1]), cache=True)
def _ask_all(ask, state, n, codes):
    for i in range(n):
        for j in range(n):
            codes[i, j] = ask(state, i, j, 0, 0)
    return n


@pytest.mark.parametrize("law", ["persistent", "independent"])
def test_compiled_loops_get_the_same_answers(law):
    labels = np.random.default_rng(0).integers(0, 4, 30)
    parameters = {"noise": 0.2, "law": law}
    oracle = Oracle(pair_queries(OracleRequest(problem=labelled(labels), seed=8), **parameters))
    codes = np.zeros((30, 30), np.int64)
    oracle.run(_ask_all, 30, codes)
    assert (codes == matrix_of(labelled(labels), 8, **parameters)).all()
    assert (oracle.ledger.queries, oracle.ledger.distinct_queries) == (900, 30 * 31 // 2)


# ---- Disagreements -------------------------------------------------------------------------------


@given(clusters(), st.data(), st.sampled_from([0.0, 0.1, 0.3, 0.45]))
def test_disagreements_are_those_of_all_answers(labels, data, noise):
    n = len(labels)
    other = data.draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=n))
    answers = pair_queries(OracleRequest(problem=labelled(labels), seed=4), noise=noise)
    expected = differing(matrix_of(labelled(labels), 4, noise=noise), together(other))
    assert answers.matrix.disagreements(Partition(other)) == expected


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_disagreements_with_a_matrix(noise):
    rng = np.random.default_rng(2)
    upper = np.triu(rng.random((30, 30)) < 0.4, 1)
    problem = Problem(n=30, similarity=(upper | upper.T).astype(float))
    answers = pair_queries(OracleRequest(problem=problem, seed=1), noise=noise)
    other = rng.integers(0, 3, 30)
    expected = differing(matrix_of(problem, 1, noise=noise), together(other))
    assert answers.matrix.disagreements(Partition(other)) == expected


def test_disagreements_of_noise_that_is_drawn_anew_are_expected():
    """The clusters differ on 4 of 6 pairs: 4 * 0.75 + 2 * 0.25."""
    answers = pair_queries(
        OracleRequest(problem=labelled([0, 0, 1, 1]), seed=0), noise=0.25, law="independent"
    )
    found = answers.matrix.disagreements(Partition([0, 0, 0, 0]))
    assert found == pytest.approx(4 * 0.75 + 2 * 0.25)


def test_many_flipped_pairs_are_counted_in_parts():
    """0.3 of 1,124,250 pairs, in parts of 2**18."""
    labels = np.random.default_rng(0).integers(0, 3, 1500)
    answers = pair_queries(OracleRequest(problem=labelled(labels), seed=4), noise=0.3)
    assert answers.matrix.disagreements(Partition(labels)) == 337_275


# ---- Draws ---------------------------------------------------------------------------------------


def test_drawn_pairs_are_uniform_and_the_same_for_all():
    problem = labelled([0, 0, 1, 1, 2])
    one, other = (
        Oracle(pair_queries(OracleRequest(problem=problem, seed=7), noise=0.1)) for _ in range(2)
    )
    pairs = np.concatenate([one.draw(m) for m in (1, 999, 19_000)])
    assert (other.draw(20_000) == pairs).all(), "in whatever portions"
    assert (one.ledger.draws, one.ledger.queries) == (20_000, 0)
    counts = np.zeros((5, 5))
    np.add.at(counts, tuple(pairs.T), 1)
    assert not counts.diagonal().any()
    assert stats.chisquare(counts[~np.eye(5, dtype=bool)]).pvalue > 1e-4
    assert (
        Oracle(pair_queries(OracleRequest(problem=problem, seed=8))).draw(100) != pairs[:100]
    ).any()


def test_skewed_draws_prefer_few_items():
    n, m = 6, 30_000
    pairs = Oracle(
        pair_queries(OracleRequest(problem=labelled(np.zeros(n, int)), seed=1), skew=1.0)
    ).draw(m)
    assert (pairs[:, 0] != pairs[:, 1]).all()
    weights = 1 / np.arange(1, n + 1)
    joint = np.outer(weights, weights)
    np.fill_diagonal(joint, 0.0)
    expected = np.sort(joint.sum(axis=1) / joint.sum()) * m
    for side in (0, 1):
        counts = np.sort(np.bincount(pairs[:, side], minlength=n))
        assert stats.chisquare(counts, expected).pvalue > 1e-4


def test_one_item_has_no_pairs():
    answers = pair_queries(OracleRequest(problem=labelled([0]), seed=0), noise=0.3)
    assert answers.matrix.disagreements(Partition([0])) == 0
    assert Oracle(answers).ledger.draws is None
