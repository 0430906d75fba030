"""Whether two problems are recognised as data of the same items."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import hcbench
from hcbench import Problem
from hcbench.run import make_data
from hcbench.testing.items import shared_items

RNG = np.random.default_rng(3)
ROWS = RNG.normal(size=(60, 3))


def sample(table, size, **changes):
    return Problem(n=size, vectors=table[RNG.permutation(len(table))[:size]], **changes)


def test_samples_of_the_same_rows_share_items():
    assert shared_items(sample(ROWS, 50), sample(ROWS, 50)) >= 40  # 40 at least are in both
    assert shared_items(Problem(n=60, vectors=ROWS), Problem(n=60, vectors=ROWS[::-1])) == 60


def test_sparse_samples():
    counts = RNG.poisson(0.3, size=(60, 40)) * RNG.random(size=(60, 40))
    one, another = (Problem(n=50, vectors=sparse.csr_array(counts[k : k + 50])) for k in (0, 5))
    assert shared_items(one, another) == 45
    assert shared_items(one, Problem(n=50, vectors=sparse.csr_array(counts[:50] * 2))) == 0


def test_samples_of_the_same_similarities():
    squares = RNG.random((60, 60))
    squares += squares.T
    items = [RNG.permutation(60)[:50] for _ in range(2)]
    one, another = (Problem(n=50, similarity=squares[np.ix_(i, i)]) for i in items)
    n_common = np.intersect1d(*items).size
    assert shared_items(one, another) == n_common * (n_common - 1) // 2


def test_new_draws_share_nothing():
    for draw in (
        lambda: RNG.normal(size=(80, 2)),
        lambda: RNG.integers(0, 5, size=(80, 3)),  # rows that are often equal by chance
        lambda: RNG.integers(0, 2, size=(80, 2)),
        lambda: RNG.poisson(0.1, size=(80, 30)),
    ):
        for _ in range(50):
            one, another = (Problem(n=80, vectors=draw()) for _ in range(2))
            assert shared_items(one, another) == 0


def test_samples_of_discrete_rows_share_items():
    table = RNG.integers(0, 8, size=(100, 4))
    assert shared_items(sample(table, 80), sample(table, 80)) > 30


def test_names_that_both_have():
    words = np.array([f"{a}{b}" for a in "abcdefgh" for b in "abcdefgh"])
    one, another = (tuple(words[RNG.permutation(64)[:40]].tolist()) for _ in range(2))

    def named(names):
        return Problem(n=40, names=names, vectors=RNG.normal(size=(40, 2)))

    assert shared_items(named(one), named(another)) == len(set(one) & set(another))
    assert shared_items(named(one), named(one)) == 0  # new values under the same names
    numbered = [tuple(f"point {i}" for i in range(k, k + 40)) for k in (0, 20)]
    assert shared_items(*(named(names) for names in numbered)) == 0


def test_nothing_to_compare():
    (use,) = hcbench.load_registry().use_datasets("random-tree[n=20]")
    one, another = (make_data(use, seed) for seed in (1, 2))
    assert shared_items(one, another) == 0


@pytest.mark.parametrize(
    "name",
    [
        "iris[n=120]",
        "wine[n=120]",
        "digits[n=1000]",
        "breast-cancer[n=400]",
        "products",
        "wordnet[n=200]",
        "subsample[of=iris]",
        "cut-of[data=iris,tree=UPGMA]",
        "cut-of[data='wine[n=150]',tree=UPGMA,law=labels]",
    ],
)
def test_samples_of_fixed_items_are_declared(name):
    """Each is found by its data, and says that its repetitions are not independent."""
    (use,) = hcbench.load_registry().use_datasets(name)
    one, another = (make_data(use, seed) for seed in (1, 2))
    assert shared_items(one, another)
    assert use.is_dependent


@pytest.mark.parametrize("name", ["cut-of", "cut-of[data='planted[N0=5]',tree=truth]", "planted"])
def test_new_items_are_not_declared(name):
    (use,) = hcbench.load_registry().use_datasets(name)
    one, another = (make_data(use, seed) for seed in (1, 2))
    assert not shared_items(one, another)
    assert not use.is_dependent
