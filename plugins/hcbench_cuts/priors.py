"""Prior distributions over the cuts of a tree: eq. (1) of Gentile et al. 2019."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hcbench import HeightKind, ParameterError, Tree
from hcbench_cuts._count_kernels import log_cuts
from hcbench_cuts._path_kernels import log_survival

Prior = Literal["uniform", "bands"] | float | Sequence[float] | Callable[[Tree], ArrayLike]


@dataclass(frozen=True, slots=True, eq=False)
class LogPrior:
    """log P(v) and log (1 - P(v)), (m-n,) each, of the inner nodes n .. m-1.

    P(v) is the probability that v is below the cut, given that all nodes above it are above the
    cut; 1 for leaves.
    """

    below: NDArray[np.float64]
    above: NDArray[np.float64]


def prior_of(tree: Tree, prior: Prior, bands: int | Sequence[float], epsilon: float) -> LogPrior:
    """The probabilities of a prior, given by name or by value.

    Parameters
    ----------
    prior : {"uniform", "bands"}, float, sequence or callable
        "uniform": all cuts are equally likely, P(v) = 1 / N(v). "bands": see `bands_prior`. A
        float: P(v) is that number. A sequence: P(v) of the inner nodes n .. m-1 in the order of
        their ids. A callable: it takes the tree and returns such a sequence.
    bands, epsilon
        As in `bands_prior`.

    Raises
    ------
    ParameterError
        If there is not one probability for each inner node, or one is not in (0, 1).
    """
    if isinstance(prior, str):
        return _uniform_prior(tree) if prior == "uniform" else bands_prior(tree, bands, epsilon)
    values = prior(tree) if callable(prior) else prior
    p = _validated(tree, np.full(tree.n_nodes - tree.n, values) if np.ndim(values) == 0 else values)
    return LogPrior(np.log(p), np.log1p(-p))


def _validated(tree: Tree, values: Any) -> NDArray[np.float64]:
    inner = tree.n_nodes - tree.n
    p = _as_floats(values, "prior must be probabilities")
    if p.shape != (inner,):
        raise ParameterError(
            f"prior has shape {p.shape}; it needs {inner} probabilities, one for each inner node "
            f"{tree.n}..{tree.n_nodes - 1}"
        )
    wrong = np.flatnonzero(~((p > 0.0) & (p < 1.0)))
    if wrong.size:
        raise ParameterError(
            f"the prior of node {tree.n + wrong[0]} is {p[wrong[0]]:g}; it must be above 0 and "
            "below 1, so that no cut is impossible"
        )
    return p


def _as_floats(values: Any, requirement: str) -> NDArray[np.float64]:
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{requirement}, got {values!r}") from error


def _uniform_prior(tree: Tree) -> LogPrior:
    log_n = log_cuts(tree.parent)[tree.n :]
    with np.errstate(divide="ignore"):
        return LogPrior(-log_n, np.log1p(-np.exp(-log_n)))


def bands_prior(tree: Tree, bands: int | Sequence[float], epsilon: float) -> LogPrior:
    """Probabilities that favour b parallel cuts, each at one level of coherence.

    Appendix B.3 of Gentile et al. 2019, below theorem 6. On each path from the root to a leaf, each
    edge cut by one of the b cuts has probability (1 - epsilon) / b (an edge cut by several has the
    sum), and epsilon is distributed as by the uniform prior. That is as close to b equally likely
    cuts as eq. (1) allows, where siblings are independent: the entropy of a path is about log2 b.

    Parameters
    ----------
    bands : int or sequence of float
        b, for cuts at heights evenly spaced among the ranks of the distinct heights of inner
        nodes; or the heights. A tree without heights is cut by depth.
    epsilon : float
        In (0, 1): all cuts are possible.

    Raises
    ------
    ParameterError
        If there is no height, or one is not a finite number.
    """
    height, levels = _levels(tree, bands)
    uniform = _uniform_prior(tree)
    parent = tree.parent[tree.n :]
    # Levels that cut at or below the node, and strictly below it; the root has no node above it.
    reaching = np.searchsorted(levels, np.append(height[parent[:-1]], np.inf))[: len(parent)]
    passing = np.searchsorted(levels, height[tree.n :])
    with np.errstate(divide="ignore"):
        at, beneath = (
            np.log(count) + np.log((1.0 - epsilon) / len(levels))
            for count in (reaching - passing, passing)
        )
    rest = np.log(epsilon) + log_survival(tree.parent, uniform.above)
    below = np.logaddexp(at, rest + uniform.below)
    above = np.logaddexp(beneath, rest + uniform.above)
    whole = np.logaddexp(below, above)
    return LogPrior(below - whole, above - whole)


def _levels(
    tree: Tree, bands: int | Sequence[float]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Heights (m,), not increasing from the root down, and the levels (b,) in ascending order."""
    is_height = tree.kind is not HeightKind.NONE
    rising = is_height and tree.kind is not HeightKind.AFFINITY
    height = tree.envelope if is_height else tree.depths.astype(np.float64)
    height = height if rising else -height
    if isinstance(bands, int):
        different = np.unique(height[tree.n :])
        if not different.size:
            return height, np.zeros(bands)
        places = np.ceil(np.arange(1, bands + 1) * different.size / (bands + 1)).astype(np.int64)
        return height, different[places - 1]
    levels = np.sort(_as_floats(bands, "bands must be heights"))
    if not levels.size or not np.isfinite(levels).all():
        raise ParameterError(f"bands={bands!r}: give the number of bands, or finite heights")
    return height, levels if rising else -levels[::-1]
