"""Samples that are drawn and answered as bits, against the same ones as a list."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.spatial.distance import squareform

from hcbench import Comparisons, OracleRequest, Problem
from hcbench.model import pair_items
from hcbench_oracles._bit_kernels import untied_ranks
from hcbench_oracles.passive import quadruplet_set
from hcbench_oracles.sampling import BLOCK, are_drawn_as_bits, distinct_bits, distinct_positions
from hcbench_oracles.whole import similarities_of_pairs


def problem_of(n: int) -> Problem:
    rng = np.random.default_rng(0)
    return Problem(n=n, similarity=squareform(rng.random(n * (n - 1) // 2)))


def read(problem: Problem, seed: int = 0, **params) -> Comparisons:
    return quadruplet_set(OracleRequest(problem=problem, seed=seed), **params).data


def positions(total: int, number: int, seed: int) -> list[int]:
    chunks = distinct_positions(total, number, np.random.default_rng(seed))
    return np.concatenate([np.empty(0, np.int64), *chunks]).tolist()


@pytest.mark.parametrize("part", [0.004, 0.1, 0.5, 0.7, 1.0])
@pytest.mark.parametrize("total", [1, 63, 64, 65, 1000, BLOCK, 3 * BLOCK + 77])
def test_bits_are_those_of_the_positions(total, part):
    number = round(part * total)
    if not are_drawn_as_bits(total, number):
        assert number == 0
        return
    words = distinct_bits(total, number, np.random.default_rng(5))
    bits = np.unpackbits(words.view(np.uint8), bitorder="little")
    assert bits.size >= total + 64  # a word to read beyond the end
    assert np.flatnonzero(bits).tolist() == positions(total, number, 5)


@pytest.mark.slow
@given(st.lists(st.integers(0, 30), min_size=1, max_size=40), st.sampled_from([0.0, 0.2, 0.35, 9]))
def test_ranks_show_which_similarities_are_tied(values, tolerance):
    """Multiples of a tenth: their differences are rounded."""
    ordered = np.sort(np.array(values) / 10)
    below, above = untied_ranks(ordered, tolerance)
    for at, one in enumerate(ordered):
        other = np.arange(ordered.size)
        assert np.array_equal(other < below[at], one - ordered > tolerance)
        assert np.array_equal(other >= above[at], ordered - one > tolerance)


def by_list(w, tolerance: float, n: int, drawn: list[int]) -> Comparisons:
    """The answers to queries, one by one."""
    a, b = pair_items(drawn, w.size)
    difference = w[a] - w[b]
    closer, farther = np.where(difference > 0, a, b), np.where(difference > 0, b, a)
    answered = abs(difference) > tolerance
    return Comparisons(n, closer[answered], farther[answered])


@pytest.mark.parametrize("n", [4, 12, 13, 33, 46])  # 12, 33 and 46 have pairs beyond whole words
def test_a_sample_of_bits_is_that_of_a_list(n):
    """Vectors on a line, with few or many distinct points: ties are up to rounding."""
    for p, levels in product((0.02, 0.3, 0.8), (None, 6)):
        rng = np.random.default_rng(n)
        X = rng.normal(size=(n, 1)) if levels is None else rng.integers(levels, size=(n, 1)) / 10
        problem = Problem(n=n, vectors=X)
        w, tolerance = similarities_of_pairs(problem, "euclidean")
        assert tolerance > 0
        total = w.size * (w.size - 1) // 2
        number = int(p * total)
        drawn = positions(total, number, 9)
        sample = read(problem, 9, count=number, similarity="euclidean")
        expected = by_list(w, tolerance, n, drawn)
        assert levels is None or number == 0 or len(expected) < number
        assert sample == expected
        np.testing.assert_array_equal(sample.bits().won, expected.bits().won)
        np.testing.assert_array_equal(sample.bits().lost, expected.bits().lost)


def test_similarities_a_tolerance_apart_are_tied_in_bits(monkeypatch):
    """Steps of 0.4: neighbours are tied, but ties are not transitive."""
    w = squareform(0.4 * np.arange(66.0)[::-1])
    monkeypatch.setattr(
        "hcbench_oracles.passive.similarities_of_pairs", lambda *_: (squareform(w), 0.5)
    )
    sample = read(Problem(n=12, similarity=w), count=10**6)
    assert len(sample) == 66 * 65 // 2 - 65
    assert sample == by_list(squareform(w), 0.5, 12, list(range(66 * 65 // 2)))


def test_a_list_is_made_only_if_needed():
    sample = read(problem_of(12), count=500)
    assert (len(sample), sample.never_compared().size) == (500, 0)
    assert len(sample.arrays()) == 2, "the bits of both answers"
    assert sample.closer.size == 500
    assert len(sample.arrays()) == 4, "the list, too"
    tied = np.zeros((12, 12))
    tied[0, 1] = tied[1, 0] = 1.0
    few = read(Problem(n=12, similarity=tied), count=500)
    assert len(few) <= 17
    assert few.arrays()[0].size == len(few), "a list of so few"
