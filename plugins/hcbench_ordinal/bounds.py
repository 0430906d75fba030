"""Bounds of the number of queries for n items."""

from __future__ import annotations

from math import comb, lgamma, log


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
