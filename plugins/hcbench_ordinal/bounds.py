"""How many questions have to be asked, and how many are enough: from n alone."""

from __future__ import annotations

from math import comb, lgamma, log


def noiseless_queries(n: int) -> int:
    """The most questions of binary search for all items: sum of floor(log2(2i-3)), i = 3..n.

    Lemma 4.2 of Emamjomeh-Zadeh & Kempe 2018 for each of them, whole numbers as questions are.
    """
    return sum((2 * i - 3).bit_length() - 1 for i in range(3, n + 1))


def information_bound(n: int) -> float:
    """log3 (2n-3)!!: questions that any algorithm takes, in the mean over all binary trees.

    Emamjomeh-Zadeh & Kempe 2018, section 3: there are (2n-3)!! = (2n-2)! / (2^(n-1) (n-1)!) trees
    of n items, and three answers. If all are equally likely, their entropy bounds the mean too.
    """
    return (lgamma(2 * n - 1) - (n - 1) * log(2) - lgamma(n)) / log(3)


def chance_of_fixed_triples(n: int, count: int) -> float:
    """The most that so many triples, chosen beforehand, find a balanced tree of n = 2^k items.

    Emamjomeh-Zadeh & Kempe 2018, appendix A: the n/4 clusters of four items take a triple each, and
    success with probability 1 - delta takes (1 - delta) n(n-1)(n-2) / 24 triples.
    """
    return min(1.0, 4 * count / comb(n, 3))
