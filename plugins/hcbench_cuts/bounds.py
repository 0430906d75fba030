"""Bounds of the queries and errors of searches: Gentile et al. 2019, sections 3 and 4.

Where the paper has an O(.), these have a constant for which the bound can be proved.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from hcbench import NotApplicableError, Scored, Tree
from hcbench_cuts._count_kernels import mean_search_leaves
from hcbench_cuts.priors import prior_of
from hcbench_cuts.statistics import k_tilde


def mean_k_tilde(scored: Scored, *, prior: Literal["uniform"] | float = "uniform") -> float:
    """E[K-tilde] of a cut drawn from a prior; O(n).

    Parameters
    ----------
    prior : {"uniform"} or float
        As in `hcbench_cuts.priors.prior_of`.
    """
    tree = _given_tree(scored)
    if tree.n < 2:
        return 0.0
    chances = np.exp(prior_of(tree, prior, bands=1, epsilon=0.01).below)
    return float(mean_search_leaves(tree.parent, tree.n, chances))


def wdp_bound(
    scored: Scored,
    *,
    prior: Literal["uniform", "bands"] | float = "uniform",
    bands: int = 5,
) -> float:
    """The maximum average number of queries of WDP that knows the prior.

    Bisection by probability finds one of h + 1 places on a path with at most H + 2 queries on
    average, where H <= log2(h + 1) is the entropy of the place. Theorem 3: there are E[K-tilde]
    paths, at most as long as the tree is high. Theorem 6: of a cut that is one of b bands there are
    K-tilde paths, each with b places and the rest.

    Parameters
    ----------
    prior : {"uniform", "bands"} or float
        As for WDP.
    bands : int
        Number b of bands.
    """
    if prior == "bands":
        return k_tilde(scored) * (math.log2(bands + 1) + 2)
    tree = _given_tree(scored)
    height = int(tree.depths.max())
    return mean_k_tilde(scored, prior=prior) * (math.log2(height + 1) + 2)


def votes(n: int, noise: float, delta: float) -> int:
    """Votes on a node in theorem 4, m = 2 ln(n / delta) / (1 - 2 lambda)^2, made odd."""
    return math.ceil(2 * math.log(n / delta) / (1 - 2 * noise) ** 2) | 1


def error_bound(n: int, noise: float, delta: float) -> float:
    """The error of N-WDP on a full tree, 2 sqrt(m) / n with probability 1 - delta (theorem 4).

    Clusters are merged only at nodes of fewer than m pairs, which have fewer than 2 sqrt(m) leaves.
    """
    return 2 * math.sqrt(votes(n, noise, delta)) / n


def excess_bound(n: int, rounds: int, most_clusters: int, delta: float) -> float:
    """The excess risk of NR after t rounds, with constant 1 (theorem 5).

    sqrt(B ln t / t) + B ln t / t, where B = K ln n + ln(1 / delta).
    """
    b = most_clusters * math.log(n) + math.log(1 / delta)
    part = b * math.log(rounds) / rounds
    return math.sqrt(part) + part


def _given_tree(scored: Scored) -> Tree:
    """The tree that was cut."""
    if scored.problem.tree is None:
        raise NotApplicableError("bounds of searches are for cuts of a given tree")
    return scored.problem.tree
