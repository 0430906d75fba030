"""The generative model of Gray et al. 2023: heights by hand, moments within statistical error."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import kstest

import hcbench_vectors
from hcbench import DataError, DataRequest, HeightKind, Problem
from hcbench.errors import ParameterError
from hcbench_vectors.data_specs import PAPERS_TREE
from hcbench_vectors.vertices import read_vertices, with_unit_heights

(SPEC,) = hcbench_vectors.hcbench_datasets()

# Heights by hand from D.1: h(8) = 1, h(6) = 1 + 2, h(7) = 1 + 1, h(1) = 3 + 5, ...
HEIGHT = {"8": 1.0, "6": 3.0, "7": 2.0, "1": 8.0, "2": 5.0, "3": 5.0, "4": 2.5, "5": 9.0}
LEAVES = ("1", "2", "3", "4", "5")


def papers_alpha(u: str, v: str) -> float:
    """The height of the lowest common ancestor, by hand (section 2.1)."""
    if u == v:
        return HEIGHT[u]
    if {u, v} <= {"1", "2", "3", "6"}:
        return HEIGHT["6"]
    return HEIGHT["7"] if {u, v} <= {"4", "5", "7"} else HEIGHT["8"]


def make(seed: int = 0, **params: object) -> Problem:
    problem: Problem = SPEC.load()(DataRequest(seed=seed), **SPEC.resolve(params))  # type: ignore[arg-type]
    assert SPEC.provides_with(SPEC.resolve(params)) <= problem.provides
    return problem


def spots(problem: Problem) -> np.ndarray:
    """The observed vertex of each item, numbered by first appearance in the tree."""
    return np.unique(problem.levels, axis=0, return_inverse=True)[1].ravel()


# ---- The tree ------------------------------------------------------------------------------------


def test_the_papers_tree_has_the_heights_of_d1():
    tree = read_vertices(PAPERS_TREE, "x")
    assert dict(zip(tree.names, tree.heights().tolist(), strict=True)) == HEIGHT
    assert [tree.names[v] for v in tree.leaves] == list(LEAVES)


@pytest.mark.parametrize(
    "text",
    ["", "(a,b)", "(a)(b)c", "a)", "(a,b)c)", "(,a)b", "()b", "(a b)c", "(a:-1)b", "(a:x)b",
     "(a:inf)b", "(a,a)b", "(a,b)c,d"],
)  # fmt: skip
def test_invalid_trees_of_named_vertices_are_refused(text):
    with pytest.raises(ParameterError, match="gray-simulated: tree="):
        make(tree=text)


def test_a_branch_without_a_length_has_variance_one():
    tree = read_vertices("((a, b:2)c,d:0)e:3;", "x")
    assert dict(zip(tree.names, tree.heights().tolist(), strict=True)) == {
        "e": 3, "c": 4, "a": 5, "b": 6, "d": 3,
    }  # fmt: skip


def test_unit_heights_keep_the_shape_and_give_every_leaf_height_one():
    tree = read_vertices(PAPERS_TREE, "x")
    observed = np.array(tree.leaves)
    unit = with_unit_heights(tree, observed, "x")
    np.testing.assert_allclose(unit.heights()[observed], 1)
    inner = np.setdiff1d(np.arange(len(tree.names)), observed)
    np.testing.assert_allclose(unit.heights()[inner], tree.heights()[inner] / 9)  # the highest leaf


# ---- The truth -----------------------------------------------------------------------------------


def test_two_items_merge_at_the_height_of_their_common_ancestor():
    problem = make(n=60, p=2)
    tree = problem.truth
    assert tree.kind is HeightKind.AFFINITY
    z = [LEAVES[k] for k in spots(problem)]
    assert set(z) == set(LEAVES)
    i, j = np.triu_indices(60, 1)
    expected = [papers_alpha(z[a], z[b]) for a, b in zip(i, j, strict=True)]
    assert tree.merge_height(i, j).tolist() == expected
    # h(Z_i) + sigma^2: section 3.3
    assert tree.height[:60].tolist() == [HEIGHT[v] + 1 for v in z]


def test_items_of_inner_vertices_are_their_children():
    problem = make(n=90, p=2, observed=("6", "1", "8", "5"), sigma=(0.0, 1.0, 2.0, 3.0))
    z = [("8", "6", "1", "5")[k] for k in spots(problem)]  # the order of the tree's text
    i, j = np.triu_indices(90, 1)
    expected = [papers_alpha(z[a], z[b]) for a, b in zip(i, j, strict=True)]
    assert problem.truth.merge_height(i, j).tolist() == expected
    noise = {"6": 0.0, "1": 1.0, "8": 4.0, "5": 9.0}
    assert problem.truth.height[:90].tolist() == [HEIGHT[v] + noise[v] for v in z]
    assert (np.ptp(problem.vectors[np.array(z) == "6"], axis=0) == 0).all()


@given(n=st.integers(2, 6), seed=st.integers(0, 99))
def test_vertices_without_items_are_removed_and_heights_stay(n, seed):
    problem = make(seed, n=n, p=1)
    tree = problem.truth
    assert tree.n == n
    i, j = np.triu_indices(n, 1)
    assert set(tree.merge_height(i, j).tolist()) <= set(HEIGHT.values())
    assert tree.n_nodes <= 2 * n - 1


def test_levels_are_the_path_from_the_root():
    problem = make(n=200, p=1, observed=("1", "2", "6", "4"))
    coarse = problem.levels[:, 0]
    assert len(np.unique(coarse)) == 2  # below 6, below 7
    assert len(np.unique(problem.levels, axis=0)) == 4


# ---- The data ------------------------------------------------------------------------------------


def observed_alpha(problem: Problem) -> np.ndarray:
    """Means of <Y_i, Y_j>/p over pairs of different items, by the vertices of both."""
    gram = problem.vectors @ problem.vectors.T / problem.vectors.shape[1]
    np.fill_diagonal(gram, np.nan)
    z = spots(problem)
    return np.array(
        [[np.nanmean(gram[np.ix_(z == a, z == b)]) for b in np.unique(z)] for a in np.unique(z)]
    )


@pytest.mark.slow
def test_dot_products_estimate_alpha():
    p = 20_000
    found = observed_alpha(make(1, n=100, p=p))
    for a, u in enumerate(LEAVES):
        for b, v in enumerate(LEAVES):
            mean = papers_alpha(u, v)
            # The variance of X(u)X(v) for normal X is h(u)h(v) + alpha^2; 5 standard errors,
            # and the noise adds less than (h(u) + h(v) + 1) / 20^2 of a pair.
            error = np.sqrt((HEIGHT[u] * HEIGHT[v] + mean**2 + 1) / p)
            assert abs(found[a, b] - mean) < 5 * error


def test_noise_has_the_stated_variance_and_correlation():
    quiet = make(3, n=40, p=4000, sigma=0.0, balanced=True)
    noisy = make(3, n=40, p=4000, sigma=2.0, correlation=0.6, balanced=True)
    noise = noisy.vectors - quiet.vectors
    assert abs(noise.var() - 4) < 0.1  # 160000 numbers, of which one in four is new
    for lag, expected in ((1, 0.6), (2, 0.36)):
        found = (noise[:, lag:] * noise[:, :-lag]).mean() / noise.var()
        assert abs(found - expected) < 0.03
    assert noisy.truth.height[0] == quiet.truth.height[0] + 4


def test_a_matrix_of_noise_is_read_from_a_file(tmp_path):
    S = np.array([[1.0, 2.0], [0.0, 3.0]])
    np.save(tmp_path / "S.npy", S)
    params = {"n": 5000, "p": 2, "tree": "a:0", "S": str(tmp_path / "S.npy")}
    noise = make(**params).vectors
    np.testing.assert_allclose(np.cov(noise.T), S @ S.T, atol=0.7)  # 5 standard errors of 9
    assert make(**params).truth.height[0] == pytest.approx((S**2).sum() / 2)
    np.save(tmp_path / "S.npy", np.eye(3))
    with pytest.raises(DataError, match=r"shape \(3, 3\); .* finite numbers of shape \(2, 2\)"):
        make(**params)


def test_multiplicative_noise_scales_the_centres():
    problem = make(2, n=50, p=30, noise="multiplicative", unit_heights=True)
    z = spots(problem)
    for k in np.unique(z):
        rows = problem.vectors[z == k]
        ratio = rows / rows[0]
        np.testing.assert_allclose(ratio, np.broadcast_to(ratio[:, :1], ratio.shape))
        assert (ratio > 0).all()
    np.testing.assert_allclose(problem.truth.height[:50], 1)  # E|X|^2/p = 1


@pytest.mark.parametrize(("law", "spread"), [("lognormal", 0.3), ("uniform", 0.4)])
def test_gamma_follows_its_law(law, spread):
    params = {"n": 4000, "p": 1, "tree": "a:1", "noise": "multiplicative"}
    values = make(5, **params, gamma=law, gamma_spread=spread).vectors.ravel()
    gamma = values / make(5, **params, gamma_spread=0.0).vectors[0, 0]
    if law == "lognormal":
        assert abs(np.log(gamma).mean()) < 5 * spread / np.sqrt(4000)
        assert abs(np.log(gamma).std() - spread) < 5 * spread / np.sqrt(8000)
    else:
        assert 1 - spread <= gamma.min() < gamma.max() <= 1 + spread
        assert abs(gamma.mean() - 1) < 5 * spread / np.sqrt(3 * 4000)


def test_both_kinds_of_noise_are_the_multiplicative_one_and_more():
    one = make(4, n=20, p=10, noise="multiplicative", balanced=True)
    both = make(4, n=20, p=10, noise="both", sigma=0.0, balanced=True)
    np.testing.assert_array_equal(one.vectors, both.vectors)


def test_labels_follow_their_probabilities_or_are_balanced():
    shares = (0.1, 0.2, 0.3, 0.1, 0.3)
    drawn = np.bincount(spots(make(n=5000, p=1, probabilities=shares)), minlength=5)
    error = 5 * np.sqrt(5000 * np.array(shares) * (1 - np.array(shares)))
    assert (np.abs(drawn - 5000 * np.array(shares)) < error).all()
    fixed = make(n=50, p=1, probabilities=shares, balanced=True)
    assert np.bincount(spots(fixed)).tolist() == [5, 10, 15, 5, 15]
    assert np.bincount(spots(make(n=7, p=1, balanced=True))).sum() == 7


def test_the_seed_decides_the_data():
    assert make(5, n=20, p=3).digest() == make(5, n=20, p=3).digest()
    assert make(5, n=20, p=3).digest() != make(6, n=20, p=3).digest()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"observed": ("1", "9")}, "observed has '9', but the vertices are 8, 6, 1"),
        ({"observed": ("1", 1)}, "names a vertex twice"),
        ({"probabilities": (0.5, 0.5)}, "must be 5 positive numbers of sum 1"),
        ({"probabilities": (1.0, 1.0, 1.0, 1.0, -3.0)}, "positive"),
        ({"probabilities": ("a", 1, 1, 1, 1)}, "probabilities must be numbers"),
        ({"sigma": (1.0, 2.0)}, "sigma must be one nonnegative number, or 5"),
        ({"sigma": (1.0, 2.0, 1.0, 1.0, -1.0)}, "nonnegative"),
        ({"noise": "both", "gamma": "uniform", "gamma_spread": 1.0}, "below 1"),
        ({"unit_heights": True, "observed": ("6", "1")}, "'6' is an inner vertex"),
        ({"unit_heights": True, "tree": "(a:0,b:0)c:0"}, "variance above 0"),
        ({"correlation": 1.0}, r"correlation must be in \(-1, 1\)"),
        ({"n": 1}, "n must be in"),
        ({"noise": "loud"}, "noise must be one of"),
    ],
)
def test_bad_parameters_are_one_line(params, message):
    with pytest.raises(ParameterError, match=message) as raised:
        make(**{"n": 10, "p": 2, **params})
    assert "\n" not in str(raised.value)


def test_observed_vertices_may_be_written_as_numbers():
    assert make(n=9, p=2, observed=(1, 5)).digest() == make(n=9, p=2, observed=("1", "5")).digest()


# ---- Beyond the model of section 4 ---------------------------------------------------------------

NO_VARIANCE = "(1:0,2:0)3:0"
NO_NOISE = {"n": 2, "balanced": True, "sigma": 0.0}


def test_heavy_tails_are_those_of_students_t_with_variance_one():
    noise = make(n=200, p=200, tree=NO_VARIANCE, tails=5.0).vectors.ravel()
    assert kstest(noise * np.sqrt(5 / 3), "t", args=(5,)).pvalue > 1e-3
    assert kstest(noise, "norm").pvalue < 1e-6
    assert kstest(make(n=200, p=200, tree=NO_VARIANCE).vectors.ravel(), "norm").pvalue > 1e-3


@pytest.mark.parametrize("window", [1, 4])
def test_a_window_correlates_only_coordinates_within_it(window):
    p = 100_000
    x, y = make(p=p, tree="(1:4,2:4)3:0", window=window, **NO_NOISE).vectors
    for lag in range(7):
        expected = 4 * max(0.0, 1 - lag / window)  # shared normals, of the window's
        assert x[: p - lag] @ x[lag:] / p == pytest.approx(expected, abs=0.12)
        assert x[: p - lag] @ y[lag:] / p == pytest.approx(0, abs=0.12)


def test_a_window_does_not_change_the_heights_and_may_exceed_the_coordinates():
    plain, moving = (make(p=3, window=window, **NO_NOISE) for window in (1, 9))
    assert moving.vectors.shape == (2, 3)
    assert np.isfinite(moving.vectors).all()
    assert moving.truth.height.tolist() == plain.truth.height.tolist()
