"""FORTE: projected gradient descent on the Gram matrix of an embedding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hcbench import Comparisons
from hcbench_quadruplets import _embedding_kernels as kernels
from hcbench_quadruplets.embedding_starts import Points, nearest_of_rank

Loss = Literal["logistic", "hinge"]

LOSSES: dict[str, Callable[..., float]] = {
    "logistic": kernels.logistic_loss,
    "hinge": kernels.hinge_loss,
}
HALVINGS = 40
"""Maximum number of halvings of a step before the descent stops."""


def gram_loss(
    points: Points, triplets: Comparisons, loss: Loss
) -> tuple[float, NDArray[np.float64]]:
    """Mean loss of the margins |x_i - x_k|^2 - |x_i - x_j|^2, and its gradient by the Gram matrix.

    A triplet that says w_ij > w_ik has the loss log(1 + exp(-margin)) or max(0, 1 - margin):
    Jain, Jamieson & Nowak, Finite sample prediction and recovery bounds for ordinal
    embedding, NeurIPS 2016.

    Parameters
    ----------
    points : (n, d) float64 array
    triplets : Comparisons
    loss : {"logistic", "hinge"}

    Returns
    -------
    loss : float
        0 without triplets.
    gradient : (n, n) array
        Of hinges, a subgradient; its rows add up to 0. O(m + n^2 d) time, O(n^2) memory.
    """
    n = len(points)
    m = max(len(triplets), 1)
    # Of each pair: its squared distance, and the derivative of the loss by its negative.
    squared = np.empty(n * (n - 1) // 2)
    slope = np.empty(n * (n - 1) // 2)
    kernels.squared_distances(points, squared)
    total = LOSSES[loss](triplets.closer, triplets.farther, -squared, slope)
    gradient = np.empty((n, n))
    kernels.gradient_of_gram(-slope / m, gradient)
    return total / m, gradient


@dataclass(frozen=True, slots=True)
class _Iterate:
    """Points, their Gram matrix, its loss and the gradient of that."""

    points: Points
    gram: NDArray[np.float64]
    loss: float
    gradient: NDArray[np.float64]


_Evaluate = Callable[[Points], _Iterate]


def descend_gram(
    start: Points, triplets: Comparisons, loss: Loss, iterations: int, tolerance: float
) -> tuple[float, Points]:
    """Projected gradient descent on `gram_loss`; the loss at its end, and the points.

    The Gram matrix M is replaced by that of rank d nearest to M - step G, G being the gradient:
    among those of rank d it minimises L(M) + <G, M' - M> + |M' - M|^2 / (2 step). The step is
    halved until the loss is below this model, so the loss never increases; the next step begins
    with the last estimate of the curvature (Barzilai & Borwein 1988).

    Parameters
    ----------
    start : (n, d) float64 array
    iterations : int
        Maximum number of iterations, O(m + n^3) each.
    tolerance : float
        Stop when the mean loss decreases by no more than this.

    Returns
    -------
    loss : float
    points : (n, min(d, n)) array
        The start if no step decreases the loss.
    """

    def evaluate(points: Points) -> _Iterate:
        value, gradient = gram_loss(points, triplets, loss)
        return _Iterate(points=points, gram=points @ points.T, loss=value, gradient=gradient)

    current = evaluate(start)
    steepest = float(np.abs(current.gradient).max())
    # Without triplets, or at a minimum.
    if steepest == 0:
        return current.loss, current.points
    # The first step changes an entry of M by 1 at most.
    step = 1 / steepest
    for _ in range(iterations):
        new, step = _line_search(current, step, start.shape[1], evaluate)
        decrease = current.loss - new.loss
        step = _step_length(current, new, step)
        current = new
        if decrease <= tolerance:
            break
    return current.loss, current.points


def _line_search(
    current: _Iterate, step: float, d: int, evaluate: _Evaluate
) -> tuple[_Iterate, float]:
    """The next iterate and the step length; the current one if no step decreases the loss."""
    for _ in range(HALVINGS):
        new = evaluate(nearest_of_rank(current.gram - step * current.gradient, d))
        change = new.gram - current.gram
        # The change of the loss that the model predicts. After the projection it may be positive.
        model = float(np.vdot(current.gradient, change) + np.vdot(change, change) / (2 * step))
        if new.loss <= current.loss + min(model, 0.0):
            return new, step
        step /= 2
    # At a minimum up to rounding, or where a subgradient of hinges is no descent.
    return current, step


def _step_length(current: _Iterate, new: _Iterate, step: float) -> float:
    """The step of Barzilai & Borwein: the inverse of the curvature along the last change."""
    change = new.gram - current.gram
    curvature = float(np.vdot(change, new.gradient - current.gradient))
    if curvature <= 0:
        # The loss is flat or concave there, and longer steps may lower it more.
        return 2 * step
    return float(np.vdot(change, change)) / curvature
