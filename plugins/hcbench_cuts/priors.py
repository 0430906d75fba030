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
        if prior == "uniform":
            return _uniform_prior(tree)
        return bands_prior(tree, bands, epsilon)
    values: Any = prior
    if callable(prior):
        values = prior(tree)
    if np.ndim(values) == 0:
        # The same for every inner node.
        values = np.full(tree.n_nodes - tree.n, values)
    p = _validated(tree, values)
    return LogPrior(below=np.log(p), above=np.log1p(-p))


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
    """P(v) = 1 / N(v)."""
    log_n = log_cuts(tree.parent)[tree.n :]
    with np.errstate(divide="ignore"):
        log_above = np.log1p(-np.exp(-log_n))
    return LogPrior(below=-log_n, above=log_above)


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
    # How many levels cut just above each inner node or below it: those below the height of its
    # parent, and at the root, which has none, all.
    height_above = np.append(height[parent[:-1]], np.inf)[: len(parent)]
    n_reaching = np.searchsorted(levels, height_above)
    # How many cut below it: those below its own height.
    n_beneath = np.searchsorted(levels, height[tree.n :])
    # Logs of the probabilities that the cut is one of the b cuts, and just above the node or below.
    with np.errstate(divide="ignore"):
        log_level = np.log((1.0 - epsilon) / len(levels))
        level_at = np.log(n_reaching - n_beneath) + log_level
        level_beneath = np.log(n_beneath) + log_level
    # The same with the share of the uniform prior.
    uniform_reaching = np.log(epsilon) + log_survival(tree.parent, uniform.above)
    below = np.logaddexp(level_at, uniform_reaching + uniform.below)
    above = np.logaddexp(level_beneath, uniform_reaching + uniform.above)
    # Divided by the probability that all nodes above the node are above the cut.
    reaching = np.logaddexp(below, above)
    return LogPrior(below=below - reaching, above=above - reaching)


def _levels(
    tree: Tree, bands: int | Sequence[float]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Heights (m,), not increasing from the root down, and the levels (b,) in ascending order."""
    # Affinities and depths increase from the root down: their negatives are taken.
    if tree.kind is HeightKind.NONE:
        sign = -1.0
        height = -tree.depths.astype(np.float64)
    elif tree.kind is HeightKind.AFFINITY:
        sign = -1.0
        height = -tree.envelope
    else:
        sign = 1.0
        height = tree.envelope
    if isinstance(bands, int):
        return height, _levels_by_rank(height[tree.n :], bands)
    levels = np.sort(sign * _as_floats(bands, "bands must be heights"))
    if not levels.size or not np.isfinite(levels).all():
        raise ParameterError(f"bands={bands!r}: give the number of bands, or finite heights")
    return height, levels


def _levels_by_rank(height: NDArray[np.float64], bands: int) -> NDArray[np.float64]:
    """Levels evenly spaced among the ranks of the distinct heights; 0 if there are none."""
    distinct = np.unique(height)
    if not distinct.size:
        return np.zeros(bands)
    ranks = np.ceil(np.arange(1, bands + 1) * distinct.size / (bands + 1)).astype(np.int64)
    return distinct[ranks - 1]
