"""Kernels, compared with the same work by scipy in the same run."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.stats import kendalltau

import hcbench
from benchmarks.inputs import Timed, benchmark, best, random_tree
from hcbench.compiled import ASK, STATE, uniform
from hcbench.run import make_oracle

SEED = 20190


def _problem(n: int, classes: int) -> hcbench.Problem:
    rng = np.random.default_rng(SEED)
    levels = np.sort(rng.integers(classes, size=n))[:, None]
    return hcbench.Problem(n=n, vectors=rng.normal(size=(n, 8)) + levels, levels=levels)


class Trees(Timed):
    """Trees of 10^5 leaves."""

    def setup(self) -> None:
        """Build a tree and compile."""
        self.tree = random_tree(100_000)
        self.linkage = self.tree.to_linkage()
        self.pairs = np.random.default_rng(SEED).integers(self.tree.n, size=(2, 100_000))
        self.tree.lca(*self.pairs)
        self._fresh().cut(10)

    def _fresh(self) -> hcbench.Tree:
        return hcbench.Tree.from_linkage(self.linkage)

    @benchmark("Tree.from_linkage: time")
    def time_from_linkage(self) -> None:
        """Time to build and validate a tree of 10^5 leaves."""
        self._fresh()

    @benchmark("Tree.cut: time")
    def time_cut(self) -> None:
        """Time to build a tree of 10^5 leaves, order its merges and cut it."""
        self._fresh().cut(1000)

    @benchmark("Tree.lca: time")
    def time_lca(self) -> None:
        """Time to find 10^5 common ancestors, without building the table."""
        self.tree.lca(*self.pairs)

    @benchmark("Tree.to_newick: time")
    def time_newick(self) -> None:
        """Time to write a tree of 10^5 leaves."""
        self.tree.to_newick()

    @benchmark("Tree.cut: time over scipy's", "ratio")
    def track_cut_over_scipy(self) -> float:
        """Time to build and cut a tree over that of scipy's fcluster on the same linkage."""
        ours = best(lambda: self._fresh().cut(1000))
        return ours / best(lambda: fcluster(self.linkage, 1000, criterion="maxclust"))


class Metrics(Timed):
    """1000 items in 20 classes."""

    def setup(self) -> None:
        """Build a tree and compile."""
        self.problem = _problem(1000, 20)
        assert isinstance(self.problem.vectors, np.ndarray)
        rows = linkage(self.problem.vectors, method="average")
        self.tree = hcbench.Tree.from_linkage(rows)
        self.time_kendall_tau_b()
        self.time_dasgupta()
        self.time_aari()

    @benchmark("kendall-tau-b: time")
    def time_kendall_tau_b(self) -> None:
        """Time of kendall-tau-b, the mean over 1000 items."""
        hcbench.score("kendall-tau-b", self.tree, self.problem)

    @benchmark("dasgupta: time")
    def time_dasgupta(self) -> None:
        """Time of dasgupta with the closed form for cosine similarities of 1000 vectors."""
        hcbench.score("dasgupta", self.tree, self.problem)

    @benchmark("AARI: time")
    def time_aari(self) -> None:
        """Time of AARI with one level of 1000 items."""
        hcbench.score("AARI", self.tree, self.problem)

    @benchmark("kendall-tau-b: time over scipy's", "ratio")
    def track_kendall_tau_b_over_scipy(self) -> float:
        """Time of kendall-tau-b over that of a loop of scipy's kendalltau on the same rankings."""
        return best(self.time_kendall_tau_b) / best(self._scipy_loop, 1)

    def _scipy_loop(self) -> None:
        n = self.problem.n
        items = np.arange(n)
        for i in items:
            others = np.delete(items, i)
            result = self.tree.depths[self.tree.lca(i, others)]
            truth = self.problem.truth.depths[self.problem.truth.lca(i, others)]
            kendalltau(result, truth)


@njit(cache=True)
def _answer(floats: Any, ints: Any, i: Any, j: Any, k: Any, l: Any, key: Any, time: Any) -> Any:  # noqa: E741
    sign = 1 if floats[i] * floats[j] > floats[k] * floats[l] else -1
    return -sign if uniform(ints[0], key, time) < 0.1 else sign


@njit(types.int64(ASK, STATE, types.int64, types.int64), cache=True)
def _make_queries(ask: Any, state: Any, n: Any, queries: Any) -> Any:
    total = 0
    for q in range(queries):
        total += ask(state, q % n, (7 * q + 1) % n, (13 * q + 2) % n, (q // n) % n)
    return total


class CompiledOracle(Timed):
    """A kernel that asks 10^6 noisy queries one after another."""

    def setup(self) -> None:
        """Make the oracle and compile."""
        n = 1000
        answers = hcbench.Answers(
            kind="quadruplet-queries",
            n=n,
            arity=4,
            compiled=_answer,
            floats=np.random.default_rng(SEED).random(n),
            ints=np.array([SEED]),
        )
        self.oracle = make_oracle(answers, None)
        self.oracle.run(_make_queries, n, 10)
        self.batch = np.random.default_rng(SEED).integers(n, size=(1_000_000, 4))
        self.oracle.ask(self.batch[:10])

    @benchmark("10^6 queries by a kernel: time")
    def time_a_million_queries(self) -> None:
        """Time to count, deduplicate and answer 10^6 queries one by one."""
        self.oracle.run(_make_queries, 1000, 1_000_000)

    @benchmark("Validation of answers", "ns per query")
    def track_validation(self) -> float:
        """Time to check that an answer is a code of its kind, of the slowest type; below 2 ns."""
        slowest = 0.0
        for codes in ([1, -1, 0, 1], [1, -1, 0, hcbench.UNSURE]):
            for kind in (np.int8, np.int64, np.float64):
                batch = np.tile(np.array(codes, kind), len(self.batch) // 4)
                seconds = best(lambda batch=batch: self.oracle._valid(batch, self.batch))
                slowest = max(slowest, seconds / len(batch) * 1e9)
        return slowest

    @benchmark("10^6 queries in a batch: time")
    def time_a_million_queries_in_a_batch(self) -> None:
        """Time to count, deduplicate and answer 10^6 queries in one batch."""
        self.oracle.ask(self.batch)
