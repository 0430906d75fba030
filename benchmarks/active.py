"""Hierarchies by active comparisons; scipy's linkage of the true similarities beside them.

``python -m benchmarks.active`` prints all, at 5000 items. A merge sort of their pairs would ask
280 million questions, of which the ledger alone takes gigabytes: it is measured at 1000.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

import hcbench

SEED = 20190
LARGE, SORTED, SMALL = 5000, 1000, 240
TRACKED = 1000  # items, where every benchmark is to be done in seconds


@njit(cache=True)
def _answer(w: Any, ints: Any, i: Any, j: Any, k: Any, l: Any, _key: Any, _time: Any) -> Any:  # noqa: E741
    n = ints[0]
    difference = w[i * n + j] - w[k * n + l]
    return 1 if difference > 0 else -1 if difference < 0 else 0


def _similarities(n: int) -> NDArray[np.float64]:
    """The planted model of Ghoshdastidar et al. 2019: three levels, delta and sigma 0.1."""
    label = np.arange(n) * 8 // n
    apart = sum(((label[:, None] >> level) != (label >> level)).astype(float) for level in range(3))
    noise = np.triu(np.random.default_rng(SEED).normal(scale=0.1, size=(n, n)), 1)
    return 0.8 - 0.1 * apart + noise + noise.T


def _oracle(w: NDArray[np.float64]) -> hcbench.Oracle:
    n = len(w)
    oracle = hcbench.Oracle(
        hcbench.Answers(
            kind="quadruplet-queries",
            n=n,
            arity=4,
            compiled=_answer,
            floats=w,
            ints=np.array([n]),
        )
    )
    oracle.prepare()
    return oracle


def _seconds(work: Callable[[], Any]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


class Active:
    """Seconds and questions."""

    timeout = 300
    n = TRACKED

    def setup(self) -> None:
        """Draw the similarities, and compile."""
        self.w = {n: _similarities(n) for n in {12, SMALL, SORTED, self.n}}
        for name in ("SL", "SL[ask=merge-sort]", "CL", "CL[ask=merge-sort]", "4K-AL-act"):
            self._run(name, 12)

    def _run(self, name: str, n: int) -> tuple[float, int]:
        oracle = _oracle(self.w[n])
        seconds = _seconds(lambda: hcbench.fit(name, oracle))
        return seconds, oracle.ledger.queries or 0

    def _over_scipy(self, name: str, method: str) -> float:
        distances = squareform(1 - self.w[self.n], checks=False)
        return self._run(name, self.n)[0] / _seconds(lambda: linkage(distances, method))

    def track_single_linkage(self) -> float:
        """All merges."""
        return self._run("SL", self.n)[0]

    def track_complete_linkage(self) -> float:
        """All merges."""
        return self._run("CL", self.n)[0]

    def track_single_linkage_over_scipy(self) -> float:
        """Against the linkage that sees the similarities."""
        return self._over_scipy("SL", "single")

    def track_complete_linkage_over_scipy(self) -> float:
        """Against the linkage that sees the similarities."""
        return self._over_scipy("CL", "complete")

    def track_merge_sort(self) -> float:
        """1000 items."""
        return self._run("CL[ask=merge-sort]", SORTED)[0]

    def track_active_kernel(self) -> float:
        """240 items, 10^6 questions."""
        return self._run("4K-AL-act", SMALL)[0]

    def track_questions_of_single_linkage(self) -> int:
        """As the ledger counts them."""
        return self._run("SL", self.n)[1]

    def track_questions_of_complete_linkage(self) -> int:
        """As the ledger counts them."""
        return self._run("CL", self.n)[1]

    def track_questions_of_merge_sort(self) -> int:
        """1000 items: half a million pairs."""
        return self._run("CL[ask=merge-sort]", SORTED)[1]


_UNITS = {"over_scipy": "ratio", "questions": "questions"}
_TRACKED = [name for name in vars(Active) if name.startswith("track_")]
for _name in _TRACKED:
    _unit = next((unit for part, unit in _UNITS.items() if part in _name), "s")
    vars(Active)[_name].unit = _unit


if __name__ == "__main__":
    benchmark = Active()
    benchmark.n = LARGE
    benchmark.setup()
    for name in _TRACKED:
        value, unit = getattr(benchmark, name)(), vars(Active)[name].unit
        sys.stdout.write(f"{name.removeprefix('track_')}: {value:.4g} {unit}\n")
