"""t-STE and FORTE against literal formulas and finite differences."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy.optimize import approx_fprime, check_grad

from hcbench import Comparisons
from hcbench_quadruplets import _embedding_kernels as kernels
from hcbench_quadruplets.embedding_forte import descend_gram, gram_loss
from hcbench_quadruplets.embedding_starts import first_start, nearest_of_rank, starts
from hcbench_quadruplets.embedding_tste import descend, student_loss

FITS = {
    "t-STE": lambda start, triplets: descend(start, triplets, 1.0, 1000, 1e-9),
    "logistic": lambda start, triplets: descend_gram(start, triplets, "logistic", 300, 1e-7),
    "hinge": lambda start, triplets: descend_gram(start, triplets, "hinge", 300, 1e-7),
}


def naive_student(X, rows, alpha) -> float:
    """Mean of -log p, p of the kernel of van der Maaten & Weinberger."""

    def kernel(i, j):
        return (1 + sum((X[i] - X[j]) ** 2) / alpha) ** (-(alpha + 1) / 2)

    return -np.mean([math.log(kernel(i, j) / (kernel(i, j) + kernel(i, k))) for i, j, k in rows])


def naive_gram(M, rows, loss) -> float:
    """Mean loss of margins, from the Gram matrix."""

    def distance(i, j):
        return M[i, i] - M[i, j] - M[j, i] + M[j, j]

    margins = np.array([distance(i, k) - distance(i, j) for i, j, k in rows])
    of = {"logistic": np.log1p(np.exp(-margins)), "hinge": np.maximum(0, 1 - margins)}
    return of[loss].mean()


@st.composite
def problems(draw):
    n, d = draw(st.integers(3, 8)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = np.array([rng.permutation(n)[:3] for _ in range(draw(st.integers(1, 30)))])
    return rng.normal(size=(n, d)) * draw(st.sampled_from([0.1, 1.0, 3.0])), rows


@given(problems(), st.sampled_from([0.5, 1.0, 4.0]))
def test_t_ste_is_its_formula_and_has_its_gradient(problem, alpha) -> None:
    X, rows = problem
    triplets = Comparisons.from_triplets(len(X), rows)
    loss, gradient = student_loss(X, triplets, alpha)
    assert loss == pytest.approx(naive_student(X, rows, alpha), rel=1e-12)
    error = check_grad(
        lambda x: student_loss(x.reshape(X.shape), triplets, alpha)[0],
        lambda _: gradient.ravel(),
        X.ravel(),
    )
    assert error < 1e-5 * (1 + np.linalg.norm(gradient))


@given(problems(), st.sampled_from(["logistic", "hinge"]))
def test_forte_is_its_formula_and_has_its_gradient(problem, loss) -> None:
    X, rows = problem
    M = X @ X.T
    if loss == "hinge":  # away from the kinks
        D = np.diag(M)[:, None] - 2 * M + np.diag(M)
        i, j, k = rows.T
        assume((abs(1 + D[i, j] - D[i, k]) > 1e-4).all())
    value, gradient = gram_loss(X, Comparisons.from_triplets(len(X), rows), loss)
    assert value == pytest.approx(naive_gram(M, rows, loss), rel=1e-12, abs=1e-12)
    by_difference = approx_fprime(
        M.ravel(), lambda flat: naive_gram(flat.reshape(M.shape), rows, loss), 1e-6
    )
    np.testing.assert_allclose(gradient.ravel(), by_difference, atol=1e-4)
    np.testing.assert_allclose(gradient.sum(axis=0), 0, atol=1e-12)


@given(problems(), st.randoms(use_true_random=False))
def test_losses_do_not_depend_on_names_and_order(problem, random) -> None:
    X, rows = problem
    order = np.array(random.sample(range(len(X)), len(X)))
    moved = np.empty_like(X)
    moved[order] = X
    renamed = Comparisons.from_triplets(len(X), order[rows][::-1])
    triplets = Comparisons.from_triplets(len(X), rows)
    assert student_loss(moved, renamed, 1.0)[0] == pytest.approx(student_loss(X, triplets, 1.0)[0])
    for loss in ("logistic", "hinge"):
        one, two = gram_loss(moved, renamed, loss)[0], gram_loss(X, triplets, loss)[0]
        assert one == pytest.approx(two)


@pytest.mark.parametrize("scale", [1.0, 100.0, 590.0, 610.0, 1e4, 1e8])
def test_the_logistic_loss_is_exact_however_far_scores_lie_apart(scale: float) -> None:
    rng = np.random.default_rng(0)
    u = rng.uniform(0, scale, 30)
    u[:2] = 0, scale
    pairs = [(a, b) for a in range(30) for b in range(30) if a != b]
    closer, farther = np.array(pairs, np.uint32).T.copy()
    slope, expected = np.empty(30), np.zeros(30)
    loss = kernels.logistic_loss(closer, farther, u, slope)
    gaps = u[farther] - u[closer]
    assert loss == pytest.approx(math.fsum(np.logaddexp(0, gaps)), rel=1e-13)
    wrong = np.exp(-np.logaddexp(0, -gaps))
    np.add.at(expected, closer, -wrong)
    np.add.at(expected, farther, wrong)
    np.testing.assert_allclose(slope, expected, atol=1e-12)


def test_repeated_and_opposite_answers_count_each_time() -> None:
    X = np.random.default_rng(0).normal(size=(4, 2))
    one = Comparisons.from_triplets(4, [[0, 1, 2]])
    twice = Comparisons.from_triplets(4, [[0, 1, 2], [0, 1, 2], [0, 2, 1]])
    mean = (2 * student_loss(X, one, 1.0)[0] + student_loss(X, one.flip(), 1.0)[0]) / 3
    assert student_loss(X, twice, 1.0)[0] == pytest.approx(mean)


def draw_triplets(points, m: int, rng) -> np.ndarray:
    rows = np.array([rng.choice(len(points), 3, replace=False) for _ in range(m)])
    return np.where(holds(points, rows)[:, None], rows, rows[:, [0, 2, 1]])


def holds(points, rows) -> np.ndarray:
    i, j, k = points[rows.T]
    return ((i - j) ** 2).sum(axis=1) < ((i - k) ** 2).sum(axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("fit", FITS)
@pytest.mark.parametrize("start", [0, 1])
def test_a_planted_embedding_orders_triplets_that_were_held_out(fit: str, start: int) -> None:
    rng = np.random.default_rng(7)
    planted = rng.uniform(size=(30, 2))
    triplets = Comparisons.from_triplets(30, draw_triplets(planted, 4000, rng))
    begin = list(starts(triplets, 2, 1, rng))[start]
    _, found = FITS[fit](begin, triplets)
    assert holds(found, draw_triplets(planted, 2000, rng)).mean() > 0.95


@pytest.mark.slow
@pytest.mark.parametrize("fit", FITS)
def test_a_descent_never_ends_above_its_start(fit: str) -> None:
    rng = np.random.default_rng(3)
    rows = np.array([rng.choice(12, 3, replace=False) for _ in range(200)])  # without any order
    triplets = Comparisons.from_triplets(12, rows)
    losses = {
        "t-STE": lambda X: student_loss(X, triplets, 1.0)[0],
        "logistic": lambda X: gram_loss(X, triplets, "logistic")[0],
        "hinge": lambda X: gram_loss(X, triplets, "hinge")[0],
    }
    for start in starts(triplets, 3, 4, rng):
        loss, found = FITS[fit](start, triplets)
        assert loss == pytest.approx(losses[fit](found), rel=1e-9)
        assert loss <= losses[fit](start)


def test_logistic_forte_of_full_rank_finds_the_minimum_of_a_convex_loss() -> None:
    """In n - 1 dimensions there is one minimum, at which no descent remains."""
    rng = np.random.default_rng(5)
    rows = np.array([rng.choice(8, 3, replace=False) for _ in range(400)])
    triplets = Comparisons.from_triplets(8, rows)
    ends = [
        descend_gram(start, triplets, "logistic", 5000, 1e-13)
        for start in starts(triplets, 7, 2, rng)
    ]
    assert np.ptp([loss for loss, _ in ends]) < 1e-8
    _, gradient = gram_loss(ends[0][1], triplets, "logistic")
    assert np.linalg.eigvalsh(gradient)[0] > -1e-4
    assert abs(np.vdot(gradient, ends[0][1] @ ends[0][1].T)) < 1e-4


@given(st.integers(1, 7), st.integers(1, 9), st.integers(0, 1000))
def test_the_nearest_matrix_of_a_rank_beats_others(n, d, seed) -> None:
    rng = np.random.default_rng(seed)
    M = rng.normal(size=(n, n))
    M = M + M.T
    found = nearest_of_rank(M, d)
    assert found.shape == (n, min(d, n))
    distance = np.linalg.norm(found @ found.T - M)
    eigenvalues = np.sort(np.linalg.eigvalsh(M))[::-1]
    eigenvalues[:d] = np.minimum(eigenvalues[:d], 0)  # Eckart & Young, of the positive part
    assert distance == pytest.approx(np.linalg.norm(eigenvalues), abs=1e-9)
    for scale in (0.1, 1.0):
        other = found + scale * rng.normal(size=found.shape)
        assert distance <= np.linalg.norm(other @ other.T - M) + 1e-9


def test_the_first_start_has_no_empty_axis_and_a_spread_of_one() -> None:
    rng = np.random.default_rng(0)
    triplets = Comparisons.from_triplets(6, draw_triplets(rng.normal(size=(6, 2)), 50, rng))
    points = first_start(triplets, 2, rng)
    squared = ((points[:, None] - points) ** 2).sum(axis=-1)
    assert squared.mean() == pytest.approx(1)
    assert first_start(triplets, 9, rng).any(axis=0).all()
