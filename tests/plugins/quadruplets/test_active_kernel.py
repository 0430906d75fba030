"""4K-AL-act against a literal implementation of equation 2."""

from itertools import combinations
from math import comb, log

import numpy as np
import pytest
from hypothesis import given, strategies as st

import hcbench
from hcbench import HeightKind, Items, ModelWarning, Oracle, OracleRequest, Partition, Problem
from hcbench.errors import BudgetExceededError, ParameterError
from hcbench_oracles.active import quadruplet_queries
from hcbench_quadruplets import active_kernel
from hcbench_quadruplets._active_product_kernels import add_products
from hcbench_quadruplets.active_kernel import four_k_al_act
from hcbench_quadruplets.linkage import tree_by_mean

pytestmark = pytest.mark.filterwarnings("ignore::hcbench.ModelWarning")


def similarities(n: int, values: int, seed: int) -> np.ndarray:
    w = np.triu(np.random.default_rng(seed).integers(values, size=(n, n)), 1).astype(float)
    return w + w.T


def oracle_of(w: np.ndarray, budget: int | None = None) -> Oracle:
    return Oracle(
        quadruplet_queries(
            OracleRequest(problem=Problem(n=len(w), similarity=w), seed=0, budget=budget)
        ),
        budget,
    )


def fit(oracle: Oracle, seed: int = 0, **params) -> hcbench.Tree:
    return four_k_al_act(oracle, Items(n=oracle.n), np.random.default_rng(seed), **params)


def observed(n: int, monkeypatch, answer, seed: int = 0, **params):
    """Run with a Python callable: its queries, the drawn landmarks, K and the ledger."""
    asked, drawn, kernels = [], [], []

    def closer(i, j, k, l):  # noqa: E741
        asked.append((i, j, k, l))
        return answer(i, j, k, l)

    def draw(*args):
        landmarks = DRAWN(*args)
        drawn.append(np.flatnonzero(landmarks.rank >= 0).tolist())
        return landmarks

    def keep(similarity, names):
        kernels.append(similarity)
        return tree_by_mean(similarity, names)

    with monkeypatch.context() as patch:
        patch.setattr(active_kernel, "draw_landmarks", draw)
        patch.setattr(active_kernel, "tree_by_mean", keep)
        oracle = hcbench.ask_oracle("quadruplet-queries", closer, n=n)
        fit(oracle, seed, **params)
    return asked, drawn, kernels[0], oracle.ledger


DRAWN = active_kernel.draw_landmarks


def equation_2(w, references, landmarks, own: bool) -> np.ndarray:
    """``landmarks`` (one list a reference); ``own``: k runs over i and j, where w_kk is largest."""
    n = len(w)
    K = np.zeros((n, n), int)
    for (i0, j0), S in zip(references, landmarks, strict=True):
        for i, j in combinations(range(n), 2):
            for k in S:
                if k in (i, j) and not own:
                    continue
                one, two = (1 if k == a else np.sign(w[a, k] - w[i0, j0]) for a in (i, j))
                K[i, j] += one * two
                K[j, i] = K[i, j]
    return K


def off_diagonal(K: np.ndarray) -> np.ndarray:
    return K[np.triu_indices(len(K), 1)]


@given(
    n=st.integers(2, 8),
    values=st.sampled_from([2, 5, 1000]),
    seed=st.integers(0, 10**6),
    references=st.integers(1, 40),
    shared=st.booleans(),
    q=st.floats(0.05, 1.0),
    own=st.booleans(),
    block=st.sampled_from([1, 7, 1 << 20]),
)
def test_the_kernel_is_that_of_equation_2(n, values, seed, references, shared, q, own, block):
    """With ties, references that contain landmarks, and blocks of any size."""
    w = similarities(n, values, seed)
    params = {"kernel": "code"} if own else {"q": q, "landmarks": "shared" if shared else "fresh"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(active_kernel, "BLOCK", block)
        sign = lambda i, j, k, l: int(np.sign(w[i, j] - w[k, l]))  # noqa: E731, E741
        asked, drawn, K, ledger = observed(n, patch, sign, seed, references=references, **params)
    n_pairs = comb(n, 2)
    rng = np.random.default_rng(seed)
    first, second = hcbench.model.pair_items(rng.permutation(n_pairs)[:references], n)
    taken = list(zip(first.tolist(), second.tolist(), strict=True))
    landmarks = drawn if len(drawn) == len(taken) else drawn * len(taken)
    if own:
        assert drawn == [list(range(n))]
    assert off_diagonal(K).tolist() == off_diagonal(equation_2(w, taken, landmarks, own)).tolist()

    assert ledger.queries == len(asked)
    for i, j, k, l in asked:  # noqa: E741
        assert i != j
        assert (min(k, l), max(k, l)) in taken
        assert {i, j} != {k, l}
    if shared or own:
        assert ledger.distinct_queries == ledger.queries
    else:  # each of two references may be queried in the block of the other
        mirrored = comb(len(taken), 2)
        assert ledger.queries - mirrored <= ledger.distinct_queries


@given(n=st.integers(1, 9), columns=st.integers(1, 200), seed=st.integers(0, 10**6))
def test_products_of_bits_are_those_of_the_signs(n, columns, seed):
    signs = np.random.default_rng(seed).integers(-1, 2, size=(n, columns)).astype(np.int8)
    right = signs.astype(np.int64) @ signs.T
    found = np.full((n, n), 7)
    add_products(*active_kernel.bits_of_signs(signs), found)
    assert off_diagonal(found).tolist() == off_diagonal(right + 7).tolist()
    assert off_diagonal(found.T).tolist() == off_diagonal(right + 7).tolist()


def test_the_count_with_all_items_as_landmarks_is_the_formula_of_the_code():
    """The largest R with R (2 (M - 1) - R + 1) / 2 <= p M (M - 1) / 2."""
    w = similarities(12, 10**6, 0)
    M = comb(12, 2)
    for p in (0.01, 0.1, 0.35, 1.0):
        oracle = oracle_of(w)
        fit(oracle, kernel="code", p=p)
        most = p * M * (M - 1) / 2
        counts = [R * (2 * (M - 1) - R + 1) // 2 for R in range(1, M + 1)]
        assert oracle.ledger.queries == max([c for c in counts if c <= most], default=counts[0])
        assert oracle.ledger.rounds == 1


def test_all_comparisons_make_the_passive_kernel_of_all_of_them():
    """Every pair a reference, every item a landmark: equation 2 is equation 3."""
    n = 9
    w = similarities(n, 10**6, 3)
    with pytest.MonkeyPatch.context() as patch:
        sign = lambda i, j, k, l: int(np.sign(w[i, j] - w[k, l]))  # noqa: E731, E741
        _, _, K, _ = observed(n, patch, sign, references=comb(n, 2), q=1.0)
    for i, j in combinations(range(n), 2):
        expected = sum(
            np.sign(w[i, r] - w[k, l]) * np.sign(w[j, r] - w[k, l])
            for r in set(range(n)) - {i, j}
            for k, l in combinations(range(n), 2)  # noqa: E741
        )
        assert K[i, j] == expected


@pytest.mark.parametrize("landmarks", ["shared", "fresh"])
def test_p_and_budget_are_used_up_to_less_than_one_reference(landmarks):
    w = similarities(20, 10**6, 1)
    M = comb(20, 2)
    for p, budget in ((0.1, None), (0.1, 700), (None, 300), (0.02, 700), (None, None)):
        oracle = oracle_of(w, budget)
        fit(oracle, 4, p=p, landmarks=landmarks, q=0.2)
        most = int((0.1 if p is None else p) * M * (M - 1) / 2)
        if budget is not None:
            most = min(most, budget)
        assert most - M < oracle.ledger.queries <= most
        assert not oracle.ledger.refused
    oracle = oracle_of(w, 500)
    fit(oracle, 4, references=50, landmarks=landmarks, q=0.2)
    assert 500 - M < oracle.ledger.queries <= 500


def test_a_budget_below_one_reference_is_used_up():
    oracle = oracle_of(similarities(20, 100, 1), 10)
    with pytest.raises(BudgetExceededError):
        fit(oracle, q=1.0)
    with pytest.raises(BudgetExceededError):
        fit(oracle_of(similarities(20, 100, 1), 0), kernel="code")


def test_the_default_is_a_tenth_or_a_million():
    oracle = oracle_of(similarities(30, 10**6, 0))
    fit(oracle, q=1.0)
    total = comb(comb(30, 2), 2)
    assert 0.1 * total - comb(30, 2) < oracle.ledger.queries <= 0.1 * total
    oracle = oracle_of(similarities(100, 10**6, 0))
    fit(oracle, q=1.0)
    assert 10**6 - comb(100, 2) < oracle.ledger.queries <= 10**6


@pytest.mark.filterwarnings("default::hcbench.ModelWarning")
def test_more_references_than_pairs_and_no_landmark_are_noted():
    w = similarities(6, 100, 0)
    with pytest.warns(
        ModelWarning, match="references=16 would take more .* than the 15 that exist"
    ):
        fit(oracle_of(w), references=16, q=1.0)
    with pytest.warns(ModelWarning, match=r"p=1, 105 comparisons, would take more reference pairs"):
        fit(oracle_of(w), p=1.0, q=0.3)
    with pytest.warns(ModelWarning, match="no item was drawn as a landmark with q=1e-09"):
        tree = fit(oracle_of(w), references=3, q=1e-9)
    assert tree.is_binary


@pytest.mark.filterwarnings("error::hcbench.ModelWarning")
def test_a_fulfilled_request_gives_no_note():
    w = similarities(6, 10**6, 0)
    fit(oracle_of(w), references=15, q=1.0)
    fit(oracle_of(w), p=1.0, q=1.0)  # all 105 comparisons
    fit(oracle_of(w, 20), p=1.0, q=1.0)
    fit(oracle_of(w, 105), references=40, q=1.0)


def test_landmarks_are_drawn_with_their_probability():
    n, repeats = 240, 400
    rng = np.random.default_rng(0)
    q = log(n) / n
    sizes = [len(active_kernel.draw_landmarks(n, q, rng).position) for _ in range(repeats)]
    assert abs(np.mean(sizes) - log(n)) < 4 * np.sqrt(log(n) / repeats)


def test_monotone_transforms_change_nothing():
    w = similarities(20, 10**6, 8) + 1
    for params in ({}, {"landmarks": "fresh"}, {"kernel": "code"}):
        trees = [fit(oracle_of(v), references=30, **params) for v in (w, np.log(w), w**3)]
        assert trees[0] == trees[1] == trees[2]


def test_renumbered_items_have_the_same_kernel_of_all_comparisons(monkeypatch):
    w = similarities(10, 10**6, 8)
    order = np.random.default_rng(1).permutation(10)
    found = []
    for v in (w, w[np.ix_(order, order)]):
        sign = lambda i, j, k, l, v=v: int(np.sign(v[i, j] - v[k, l]))  # noqa: E731, E741
        found.append(observed(10, monkeypatch, sign, p=1.0, q=1.0)[2])
    shuffled = found[0][np.ix_(order, order)]
    assert off_diagonal(found[1]).tolist() == off_diagonal(shuffled).tolist()


@pytest.mark.parametrize("params", [{"landmarks": "fresh"}, {"kernel": "code"}, {"q": 0.5}])
def test_clear_clusters_are_recovered(params):
    label = np.repeat(np.arange(4), 12)
    rng = np.random.default_rng(2)
    near = 1.0 * (label[:, None] == label) + (label[:, None] // 2 == label // 2)
    noise = np.triu(rng.normal(0, 0.05, size=near.shape), 1)
    tree = fit(oracle_of(near + noise + noise.T), p=0.05, **params)
    assert tree.kind is HeightKind.ORDER
    assert tree.cut(4) == Partition(label)
    assert tree.cut(2) == Partition(label // 2)
    assert np.isfinite(tree.linkage[48:]).all()


def test_parameters_that_exclude_each_other():
    oracle = oracle_of(similarities(5, 10, 0))
    with pytest.raises(ParameterError, match="references or p"):
        fit(oracle, references=3, p=0.1)
    for params in ({"q": 0.5}, {"landmarks": "fresh"}):
        with pytest.raises(ParameterError, match="all items as landmarks"):
            fit(oracle, kernel="code", **params)
    assert oracle.ledger.queries == 0


def test_one_item_and_two():
    for n in (1, 2):
        tree = fit(hcbench.ask_oracle("quadruplet-queries", max, n=n))
        assert (tree.n, tree.kind) == (n, HeightKind.ORDER)
