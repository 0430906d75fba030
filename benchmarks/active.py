"""Hierarchies from active comparisons, compared with scipy's linkage of the true similarities.

``python -m benchmarks.active`` prints everything for 5000 items. A merge sort of their pairs would
ask 280 million queries, and the ledger would take gigabytes, so it is measured with 1000 items.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

import hcbench
from benchmarks.inputs import benchmark, best, seconds
from benchmarks.quadruplets import planted_similarities
from hcbench.run import make_oracle

SEED = 20190
LARGE, SORTED, SMALL = 5000, 1000, 240
TRACKED = 1000  # items in asv's benchmarks


@njit(cache=True)
def _answer(w: Any, ints: Any, i: Any, j: Any, k: Any, l: Any, _key: Any, _time: Any) -> Any:  # noqa: E741
    n = ints[0]
    difference = w[i * n + j] - w[k * n + l]
    return 1 if difference > 0 else -1 if difference < 0 else 0


def _oracle(w: NDArray[np.float64]) -> hcbench.Oracle:
    n = len(w)
    answers = hcbench.Answers(
        kind="quadruplet-queries",
        n=n,
        arity=4,
        compiled=_answer,
        floats=w,
        ints=np.array([n]),
    )
    return make_oracle(answers, None)


class Active:
    """Time and number of queries."""

    timeout = 300
    n = TRACKED

    def setup(self) -> None:
        """Draw the similarities and compile."""
        self.w = {n: planted_similarities(n) for n in {12, SMALL, SORTED, self.n}}
        for name in ("SL", "SL[ask=merge-sort]", "CL", "CL[ask=merge-sort]", "4K-AL-act"):
            self._run(name, 12)

    def _run(self, name: str, n: int) -> tuple[float, int]:
        oracle = _oracle(self.w[n])
        taken = seconds(lambda: hcbench.fit(name, oracle))
        return taken, oracle.ledger.queries or 0

    def _over_scipy(self, name: str, method: str) -> float:
        distances = squareform(1 - self.w[self.n], checks=False)
        return self._run(name, self.n)[0] / best(lambda: linkage(distances, method))

    @benchmark("SL: time", "s")
    def track_single_linkage(self) -> float:
        """Time of single linkage of 1000 items."""
        return self._run("SL", self.n)[0]

    @benchmark("CL: time", "s")
    def track_complete_linkage(self) -> float:
        """Time of complete linkage of 1000 items."""
        return self._run("CL", self.n)[0]

    @benchmark("SL: time over scipy's", "ratio")
    def track_single_linkage_over_scipy(self) -> float:
        """Time of single linkage over that of scipy, which sees the similarities."""
        return self._over_scipy("SL", "single")

    @benchmark("CL: time over scipy's", "ratio")
    def track_complete_linkage_over_scipy(self) -> float:
        """Time of complete linkage over that of scipy, which sees the similarities."""
        return self._over_scipy("CL", "complete")

    @benchmark("CL with merge sort: time", "s")
    def track_merge_sort(self) -> float:
        """Time of complete linkage of 1000 items after sorting all pairs."""
        return self._run("CL[ask=merge-sort]", SORTED)[0]

    @benchmark("4K-AL-act: time", "s")
    def track_active_kernel(self) -> float:
        """Time of 4K-AL-act with 240 items, 10^6 queries."""
        return self._run("4K-AL-act", SMALL)[0]

    @benchmark("SL: queries", "queries")
    def track_queries_of_single_linkage(self) -> int:
        """Queries of single linkage of 1000 items."""
        return self._run("SL", self.n)[1]

    @benchmark("CL: queries", "queries")
    def track_queries_of_complete_linkage(self) -> int:
        """Queries of complete linkage of 1000 items."""
        return self._run("CL", self.n)[1]

    @benchmark("CL with merge sort: queries", "queries")
    def track_queries_of_merge_sort(self) -> int:
        """Queries of complete linkage of 1000 items, half a million pairs, after sorting them."""
        return self._run("CL[ask=merge-sort]", SORTED)[1]


if __name__ == "__main__":
    active = Active()
    active.n = LARGE
    active.setup()
    for name, function in vars(Active).items():
        if name.startswith("track_"):
            sys.stdout.write(f"{function.pretty_name}: {function(active):.4g} {function.unit}\n")
