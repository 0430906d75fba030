"""The planted hierarchy against the paper's definition; scikit-learn's sets; the specs."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn import datasets as sk
from sklearn.preprocessing import StandardScaler

import hcbench_datasets
from hcbench import DataError, DataRequest, DatasetSpec, HeightKind, Problem
from hcbench.errors import ParameterError

SPECS = {spec.name: spec for spec in hcbench_datasets.hcbench_datasets()}


def make(name: str, seed: int = 0, **params: object) -> Problem:
    spec = SPECS[name]
    problem: Problem = spec.load()(DataRequest(seed=seed), **spec.resolve(params))  # type: ignore[arg-type]
    return problem


def ideal_mean(i: int, j: int, N0: int, L: int, mu: float, delta: float) -> float:
    """Section 2.2, step by step: halve the items that are still together."""
    low, high = 0, N0 * 2**L
    for step in range(L):
        middle = (low + high) // 2
        if (i < middle) != (j < middle):
            return mu - (L - step) * delta
        low, high = (low, middle) if i < middle else (middle, high)
    return mu


def test_planted_without_noise_is_the_ideal_matrix():
    problem = make("planted", N0=3, L=3, mu=0.8, sigma=0.0, delta=0.1, order=True)
    expected = [[ideal_mean(i, j, 3, 3, 0.8, 0.1) for j in range(24)] for i in range(24)]
    np.testing.assert_allclose(problem.similarity, expected, atol=1e-15)


@given(N0=st.integers(1, 4), L=st.integers(1, 4), delta=st.sampled_from([0.0, 0.1, 2.0]))
def test_planted_truth_has_the_ideal_similarities_for_heights(N0, L, delta):
    problem = make("planted", N0=N0, L=L, mu=0.8, sigma=0.0, delta=delta)
    n, tree = N0 * 2**L, problem.truth
    assert tree.kind is HeightKind.AFFINITY
    assert (tree.height[:n] == 0.8).all()
    i, j = np.triu_indices(n, 1)
    np.testing.assert_allclose(tree.merge_height(i, j), problem.similarity[i, j], atol=1e-12)
    assert tree.n_nodes == n + 2**L - 1 + (2**L if N0 > 1 else 0)


def test_planted_levels_are_the_side_taken_at_each_step():
    levels = make("planted", N0=2, L=3, order=True).levels
    assert levels.tolist()[::2] == [
        [0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1],
    ]  # fmt: skip
    assert (levels[::2] == levels[1::2]).all()
    assert levels.dtype == np.int64


def test_planted_noise_has_the_stated_mean_and_variance_in_every_block():
    N0, L, mu, sigma, delta = 60, 2, 0.8, 0.3, 0.1
    problem = make("planted", 7, N0=N0, L=L, mu=mu, sigma=sigma, delta=delta, order=True)
    S = problem.similarity
    assert (S.T == S).all()
    for a in range(4):
        for b in range(a, 4):
            block = S[a * N0 : (a + 1) * N0, b * N0 : (b + 1) * N0]
            values = block[np.triu_indices(N0, 1)] if a == b else block.ravel()
            m = values.size
            mean = ideal_mean(a * N0, b * N0, N0, L, mu, delta)
            # 4.5 standard errors: of the mean, and of the variance of a normal sample
            assert abs(values.mean() - mean) < 4.5 * sigma / np.sqrt(m)
            assert abs(values.var(ddof=1) - sigma**2) < 4.5 * sigma**2 * np.sqrt(2 / (m - 1))


def test_planted_noise_of_different_pairs_is_uncorrelated():
    noise = make("planted", 3, N0=50, L=1, mu=0.0, sigma=1.0, delta=0.0).similarity
    left, right = noise[0, 2:], noise[1, 2:]
    assert abs(np.corrcoef(left, right)[0, 1]) < 4.5 / np.sqrt(left.size)


def test_planted_items_are_numbered_at_random_unless_the_order_is_wanted():
    """The same similarities, levels and true tree, of items in another order."""
    ordered, drawn = make("planted", 3, N0=4, L=2, order=True), make("planted", 3, N0=4, L=2)
    n = ordered.n
    place = {value: i for i, value in enumerate(ordered.similarity.sum(axis=1).round(9))}
    items = np.array([place[value] for value in drawn.similarity.sum(axis=1).round(9)])
    assert sorted(items) == list(range(n))
    assert items.tolist() != list(range(n))
    np.testing.assert_array_equal(drawn.similarity, ordered.similarity[np.ix_(items, items)])
    np.testing.assert_array_equal(drawn.levels, ordered.levels[items])
    i, j = np.triu_indices(n, 1)
    np.testing.assert_array_equal(
        drawn.truth.merge_height(i, j), ordered.truth.merge_height(items[i], items[j])
    )


def test_planted_seed_decides_the_data():
    assert make("planted", 5).digest() == make("planted", 5).digest()
    assert make("planted", 5).digest() != make("planted", 6).digest()


@pytest.mark.parametrize(
    ("name", "value"), [("N0", 0), ("L", 0), ("sigma", -0.1), ("delta", -0.1), ("N0", 1.5)]
)
def test_planted_parameters_out_of_range(name, value):
    with pytest.raises(ParameterError, match=name):
        SPECS["planted"].resolve({name: value})


BUNDLED = {
    "iris": sk.load_iris,
    "wine": sk.load_wine,
    "digits": sk.load_digits,
    "breast-cancer": sk.load_breast_cancer,
}


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_data_are_scikit_learns(name):
    X, y = BUNDLED[name](return_X_y=True)
    problem = make(name)
    assert problem.names is None
    assert np.array_equal(problem.vectors, X)
    assert problem.levels.shape == (len(X), 1)
    assert np.array_equal(problem.levels[:, 0], y)
    assert problem.truth.n_nodes == len(X) + len(np.unique(y)) + 1


@pytest.mark.parametrize("name", BUNDLED)
def test_standardise_is_scikit_learns_standard_scaler(name):
    X = StandardScaler().fit_transform(BUNDLED[name](return_X_y=True)[0])
    np.testing.assert_allclose(make(name, standardise=True).vectors, X, atol=1e-9)


def test_standardise_leaves_constant_columns_at_exactly_zero():
    from hcbench_datasets.preparation import standardised

    X = np.array([[0.1, 1.0], [0.1, 3.0], [0.1, 5.0]])  # the mean of three 0.1 is not 0.1
    Z = standardised(X)
    assert (Z[:, 0] == 0).all()
    np.testing.assert_allclose(Z[:, 1], [-1.224744871391589, 0, 1.224744871391589])


def test_subsample_depends_on_the_seed_and_draws_items_with_their_labels():
    X, y = BUNDLED["digits"](return_X_y=True)
    first, again, other = (make("digits", seed, n=100) for seed in (1, 1, 2))
    assert first.digest() == again.digest() != other.digest()
    row = {x.tobytes(): label for x, label in zip(X, y, strict=True)}
    assert len(row) == len(X)  # all digits differ, so a row identifies its item
    assert [row[x.tobytes()] for x in first.vectors] == first.levels[:, 0].tolist()
    assert len({x.tobytes() for x in first.vectors}) == 100


def test_subsample_larger_than_the_data():
    with pytest.raises(DataError, match="iris: n=151 exceeds the 150 items"):
        make("iris", n=151)


@pytest.mark.parametrize("name", ["planted", *BUNDLED])
def test_data_provide_what_their_spec_declares(name):
    spec: DatasetSpec = SPECS[name]
    assert spec.provides_with(spec.resolve({})) <= make(name).provides


@pytest.mark.slow
def test_importing_the_plugin_imports_nothing_heavy():
    code = (
        "import sys, hcbench_datasets as p; list(p.hcbench_datasets()); list(p.hcbench_suites())\n"
        "print([m for m in ('numpy', 'scipy', 'sklearn', 'numba', 'pyarrow') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_compare_suite_names_only_data_sets_of_this_plugin():
    from hcbench.registry.names import parse_name

    (suite,) = hcbench_datasets.hcbench_suites()
    assert suite.name == "compare"
    for text in suite.datasets:
        name = parse_name(text)
        # By full names, so that a data set of the same name in another package does not matter.
        SPECS[name.base.removeprefix("hcbench:")].resolve(name.params)
