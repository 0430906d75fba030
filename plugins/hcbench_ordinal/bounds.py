"""Bounds of the number of queries for n items, and of rounds for a tree."""

from __future__ import annotations

from math import ceil, comb, lgamma, log, log2
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from hcbench import Scored

BoundOf: TypeAlias = Literal[
    "n-log-n",
    "insertions",
    "binary-search",
    "information",
    "triples",
    "degree",
    "star-with-pair",
]


def query_bound(scored: Scored, *, of: BoundOf = "n-log-n", factor: float = 1.0) -> float:
    """A number of queries for n items that the paper states, O(n) to compute.

    Emamjomeh-Zadeh & Kempe 2018; logarithms are to the base 2.

    Parameters
    ----------
    of : str
        "n-log-n": ``factor`` n log n (theorems 3.2 and 4.3). "insertions": n - 2, one
        query for each insertion. "binary-search": see
        `noiseless_queries`. "information": see `information_bound`. "triples": C(n, 3).
        "degree": d / log d n log n for trees of degree d, which is ``factor`` (section 6).
        "star-with-pair": n (n-1) / 12, the least mean number of queries for a star one of whose
        leaves is a pair (section 6).
    factor : float
    """
    n = scored.problem.n
    match of:
        case "n-log-n":
            return factor * n * log2(n)
        case "insertions":
            return max(n - 2, 0)
        case "binary-search":
            return float(noiseless_queries(n))
        case "information":
            return information_bound(n)
        case "triples":
            return float(comb(n, 3))
        case "degree":
            return factor / log2(factor) * n * log2(n)
        case "star-with-pair":
            return n * (n - 1) / 12


def noiseless_queries(n: int) -> int:
    """Maximum number of queries of binary search for all items: sum of floor(log2(2i-3)), i = 3..n.

    Lemma 4.2 of Emamjomeh-Zadeh & Kempe 2018, in whole numbers of queries for each item.
    """
    return sum((2 * i - 3).bit_length() - 1 for i in range(3, n + 1))


def information_bound(n: int) -> float:
    """log3 (2n-3)!!: a lower bound of the mean number of queries over all binary trees.

    Emamjomeh-Zadeh & Kempe 2018, section 3: there are (2n-3)!! = (2n-2)! / (2^(n-1) (n-1)!) trees
    of n items, and three answers. If all trees are equally likely, their entropy bounds the mean.
    """
    return (lgamma(2 * n - 1) - (n - 1) * log(2) - lgamma(n)) / log(3)


def chance_of_fixed_triples(n: int, count: int) -> float:
    """Maximum probability that fixed triples determine a balanced tree of n = 2^k items.

    Emamjomeh-Zadeh & Kempe 2018, appendix A: each of the n/4 clusters of four items needs a triple,
    and success with probability 1 - delta needs (1 - delta) n(n-1)(n-2) / 24 triples.
    """
    return min(1.0, 4 * count / comb(n, 3))


def capacity(p: float) -> float:
    """C = 1 - H(p), in bits: the information of an answer that is correct with probability p."""
    return 1 + p * log2(p) + (1 - p) * log2(1 - p)


def weight_rounds(p: float, failure: float, margin: float, vertices: int) -> int:
    """K of the multiplicative weights for a tree with this number of vertices.

    Lemma 5 of Emamjomeh-Zadeh, Kempe & Singhal 2016: with C = 1 - H(p), L = log2(p / (1-p)) and
    lambda = margin C / L,

        K = max(log2 |V| / (C - lambda L), ln(1/failure) / (2 lambda^2)).

    Lemma 5.4 of Emamjomeh-Zadeh & Kempe 2018 uses margin = 1/2.
    """
    c = capacity(p)
    least = log(1 / failure) / (2 * (margin * c / log2(p / (1 - p))) ** 2)
    return ceil(max(log2(vertices) / (c * (1 - margin)), least))
