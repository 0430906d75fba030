"""Hierarchies from comparisons at the sizes of the paper, compared with plain numpy versions.

``python -m benchmarks.quadruplets`` measures 10^8 comparisons, which would take asv too long.
"""

from __future__ import annotations

import resource
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

import hcbench
from benchmarks.inputs import Timed, benchmark, best, seconds
from hcbench.run import call_of, make_answers

SEED = 20190


def planted_similarities(n: int) -> NDArray[np.float64]:
    """The planted model of Ghoshdastidar et al. 2019: three levels, delta and sigma 0.1."""
    label = np.arange(n) * 8 // n
    apart = sum(((label[:, None] >> level) != (label >> level)).astype(float) for level in range(3))
    noise = np.triu(np.random.default_rng(SEED).normal(scale=0.1, size=(n, n)), 1)
    similarities: NDArray[np.float64] = 0.8 - 0.1 * apart + noise + noise.T
    return similarities


def draw_comparisons(n: int, count: int) -> hcbench.Comparisons:
    """Comparisons of random pairs, sorted and without repeats."""
    w = planted_similarities(n)[np.triu_indices(n, 1)].astype(np.float32)
    one, two = np.random.default_rng(SEED).integers(w.size, size=(2, count), dtype=np.uint32)
    chosen = one != two
    one, two = one[chosen], two[chosen]
    first = w[one] > w[two]
    closer, farther = np.where(first, one, two), np.where(first, two, one)
    return hcbench.Comparisons(n, closer, farther).unique()


def _oracle(comparisons: Any) -> hcbench.Oracle:
    return hcbench.Oracle(
        hcbench.Answers(
            kind="quadruplet-set", n=comparisons.n, data=comparisons, size=len(comparisons)
        )
    )


def fit_comparisons(name: str, comparisons: Any) -> hcbench.Tree:
    """The tree of an algorithm from comparisons, as its oracle gives them."""
    tree = hcbench.fit(name, _oracle(comparisons))
    assert isinstance(tree, hcbench.Tree)
    return tree


def _plain_four_al(S: NDArray[np.int8], n: int) -> None:
    """Equations 4 and 5 with the dense matrix of comparisons: a product with c at every merge."""
    i, j = np.triu_indices(n, 1)
    cluster = np.arange(n)
    for _ in range(n - 1):
        size = np.bincount(cluster)
        c = (cluster[i] != cluster[j]) / (size[cluster[i]] * size[cluster[j]])
        sums = np.zeros((size.size, size.size))
        np.add.at(sums, (cluster[i], cluster[j]), S @ c)
        W = np.triu((sums + sums.T) / np.outer(size, size), 1)
        W[np.tril_indices(size.size)] = -np.inf
        p, q = np.unravel_index(W.argmax(), W.shape)
        cluster[cluster == q] = p
        cluster[cluster > q] -= 1


def _plain_kernel(S: NDArray[np.int8], n: int) -> NDArray[np.float32]:
    """Equation 3 as matrix products, one for each r."""
    K = np.zeros((n, n), np.float32)
    for r in range(n):
        others = np.delete(np.arange(n), r)
        rows = np.zeros((n, len(S)), np.float32)
        rows[others] = S[hcbench.model.pair_index(np.full(n - 1, r), others, n)]
        K += rows @ rows.T
    return K


def _drawn(problem: hcbench.Problem) -> hcbench.Comparisons:
    """What the oracle makes before an algorithm is timed."""
    (oracle,) = hcbench.load_registry().use_oracles("quadruplet-set[p=0.1]")
    answers = make_answers(call_of(oracle), problem, SEED, None)
    assert isinstance(answers.data, hcbench.Comparisons)
    return answers.data


def _plain_draw(problem: hcbench.Problem) -> hcbench.Comparisons:
    """A random number for each pair of pairs."""
    assert problem.similarity is not None
    w = problem.similarity[np.triu_indices(problem.n, 1)]
    one, two = np.triu_indices(w.size, 1)
    drawn = np.random.default_rng(SEED).random(one.size) < 0.1
    one, two = one[drawn], two[drawn]
    first = w[one] > w[two]
    return hcbench.Comparisons(problem.n, np.where(first, one, two), np.where(first, two, one))


def _dense(comparisons: hcbench.Comparisons) -> NDArray[np.int8]:
    M = comparisons.n * (comparisons.n - 1) // 2
    S = np.zeros((M, M), np.int8)
    S[comparisons.closer, comparisons.farther] = 1
    S -= S.T.copy()
    return S


class PaperSize(Timed):
    """N = 240 and 41 million comparisons, p = 0.1."""

    params = ("4-AL", "4K-AL", "tK-AL", "AL-rowsum")
    param_names = ("algorithm",)

    def setup(self, name: str) -> None:
        """Draw the comparisons, make their bits as the oracle does, and compile."""
        self.comparisons = draw_comparisons(240, 43_200_000)
        self.comparisons.bits()
        fit_comparisons(name, draw_comparisons(12, 200))

    @benchmark("41 million comparisons: time")
    def time_fit(self, name: str) -> None:
        """Time to fit one tree to 41 million comparisons of 240 items."""
        fit_comparisons(name, self.comparisons)

    @benchmark("41 million comparisons: peak memory")
    def peakmem_fit(self, name: str) -> None:
        """Peak memory of the process, with 0.33 GB of comparisons and their 0.2 GB of bits."""
        fit_comparisons(name, self.comparisons)


class Sampling(Timed):
    """Comparisons of the quadruplet-set oracle, with their bits, p = 0.1."""

    def setup(self) -> None:
        """Make similarities and compile."""
        self.large, self.small = (
            hcbench.Problem(n=n, similarity=planted_similarities(n)) for n in (240, 80)
        )
        _drawn(self.small)

    @benchmark("Drawing 41 million comparisons: time")
    def time_draw(self) -> None:
        """Time to draw 41 million comparisons of 240 items."""
        _drawn(self.large)

    @benchmark("Drawing 41 million comparisons: peak memory")
    def peakmem_draw(self) -> None:
        """Peak memory of the process: 8 bytes per comparison and 0.2 GB of bits."""
        _drawn(self.large)

    @benchmark("Drawing comparisons: time over numpy's", "ratio")
    def track_over_plain(self) -> float:
        """Time to draw half a million comparisons of 80 items over that of numpy without bits."""
        return best(lambda: _drawn(self.small)) / best(lambda: _plain_draw(self.small))


class EveryComparison(Timed):
    """p = 1: computed from ranks, without storing comparisons."""

    params = (("4-AL", "4K-AL", "tK-AL", "AL-rowsum"), (240, 1000))
    param_names = ("algorithm", "n")
    timeout = 300

    def setup(self, name: str, n: int) -> None:
        """Rank the pairs and compile."""
        self.ranking = hcbench.AllComparisons.from_similarity(planted_similarities(n))
        fit_comparisons(name, hcbench.AllComparisons.from_similarity(planted_similarities(12)))

    @benchmark("All comparisons: time")
    def time_fit(self, name: str, _n: int) -> None:
        """Time to fit one tree to all comparisons."""
        fit_comparisons(name, self.ranking)


class AgainstPlain:
    """80 items, p = 0.1: the time over that of the equations in numpy."""

    def setup(self) -> None:
        """Draw comparisons, as a set and as a dense matrix, and compile."""
        self.comparisons = draw_comparisons(80, 525_000)
        self.S = _dense(self.comparisons)
        for name in ("4-AL", "4K-AL"):
            fit_comparisons(name, self.comparisons)

    @benchmark("4-AL: time over numpy's", "ratio")
    def track_four_al(self) -> float:
        """Time of 4-AL over that of a product with the dense S at every merge."""
        ours = best(lambda: fit_comparisons("4-AL", self.comparisons))
        return ours / best(lambda: _plain_four_al(self.S, 80), 1)

    @benchmark("4K-AL: time over numpy's", "ratio")
    def track_kernel(self) -> float:
        """Time of 4K-AL over that of matrix products, one for each r."""
        ours = best(lambda: fit_comparisons("4K-AL", self.comparisons))
        return ours / best(lambda: _plain_kernel(self.S, 80), 1)


class TrueAverageLinkage(Timed):
    """AL of 2000 items."""

    def setup(self) -> None:
        """Make similarities and compile."""
        self.w = planted_similarities(2000)
        hcbench.fit("AL", self.w[:12, :12])

    @benchmark("AL: time")
    def time_fit(self) -> None:
        """Time of average linkage of the similarities of 2000 items."""
        hcbench.fit("AL", self.w)

    @benchmark("AL: time over scipy's", "ratio")
    def track_over_scipy(self) -> float:
        """Time of AL over that of scipy's average linkage of the same matrix."""
        distances = squareform(2.0 - self.w - (2.0 - self.w.diagonal()) * np.eye(2000))
        return best(lambda: hcbench.fit("AL", self.w)) / best(lambda: linkage(distances, "average"))


def main() -> None:
    """Print time and peak memory, drawing included, of N = 2000 and 10^8 comparisons."""
    comparisons = draw_comparisons(2000, 100_000_000)
    for name in ("4-AL", "4K-AL"):
        fit_comparisons(name, draw_comparisons(12, 200))
        taken = seconds(lambda name=name: fit_comparisons(name, comparisons))  # type: ignore[misc]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        sys.stdout.write(f"{name}: {taken:.1f} s, peak memory so far {peak:.0f} MB\n")


if __name__ == "__main__":
    main()
