"""t-STE: stochastic triplet embedding with a Student-t kernel."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from hcbench import Comparisons
from hcbench_quadruplets import _embedding_kernels as kernels
from hcbench_quadruplets.embedding_starts import Points


def student_loss(points: Points, triplets: Comparisons, alpha: float) -> tuple[float, Points]:
    """Mean of -log p over the triplets, and its gradient.

    With the kernel k_ij = (1 + |x_i - x_j|^2 / alpha)^(-(alpha + 1) / 2), a triplet that says
    w_ij > w_ik has p = k_ij / (k_ij + k_ik): van der Maaten & Weinberger, Stochastic triplet
    embedding, MLSP 2012.

    Parameters
    ----------
    points : (n, d) float64 array
    triplets : Comparisons
    alpha : float
        Degrees of freedom, positive.

    Returns
    -------
    loss : float
        0 without triplets.
    gradient : (n, d) array
        O(m + n^2 d) time, O(n^2) memory.
    """
    n = len(points)
    m = max(len(triplets), 1)
    squared, slope = np.empty((2, n * (n - 1) // 2))
    kernels.squared_distances(points, squared)
    power = (alpha + 1) / 2
    scores = -power * np.log1p(squared / alpha)
    loss = kernels.logistic_loss(triplets.closer, triplets.farther, scores, slope)
    gradient = np.empty_like(points)
    kernels.gradient_of_items(points, slope * (-power / (alpha + squared)), gradient)
    return loss / m, gradient / m


def descend(
    start: Points, triplets: Comparisons, alpha: float, iterations: int, tolerance: float
) -> tuple[float, Points]:
    """L-BFGS on `student_loss`; the loss at its end, and the points (n, d)."""

    def objective(flat: Points) -> tuple[float, Points]:
        loss, gradient = student_loss(flat.reshape(start.shape), triplets, alpha)
        return loss, gradient.ravel()

    optimum = minimize(
        objective,
        start.ravel(),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": iterations, "ftol": tolerance, "gtol": 0.0},
    )
    return float(optimum.fun), optimum.x.reshape(start.shape)
