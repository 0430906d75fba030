"""t-STE and FORTE: time, and the accuracy of the embedding on held-out triplets."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

import hcbench
from benchmarks.inputs import Timed, benchmark
from hcbench_quadruplets.embedding_forte import descend_gram
from hcbench_quadruplets.embedding_starts import best_embedding
from hcbench_quadruplets.embedding_tste import descend

SEED = 20190
ITEMS, TRIPLETS, WRONG = 60, 10_000, 0.1

FITS: dict[str, Any] = {
    "t-STE": lambda start, triplets: descend(start, triplets, 1.0, 1000, 1e-7),
    "FORTE logistic": lambda start, triplets: descend_gram(start, triplets, "logistic", 300, 1e-7),
    "FORTE hinge": lambda start, triplets: descend_gram(start, triplets, "hinge", 300, 1e-7),
}


class Embedding(Timed):
    """60 normal points in the plane, 10,000 triplets, of which every tenth is wrong."""

    params: ClassVar = list(FITS)
    param_names: ClassVar = ["fit"]

    def setup(self, _fit: str) -> None:
        """Draw the training and the held-out triplets."""
        self.points = np.random.default_rng(SEED).normal(size=(ITEMS, 2))
        rows = self._draw(SEED + 1)
        wrong = np.random.default_rng(SEED).random(len(rows)) < WRONG
        rows[wrong] = rows[wrong][:, [0, 2, 1]]
        self.triplets = hcbench.Comparisons.from_triplets(ITEMS, rows)
        self.held_out = self._draw(SEED + 2)

    def _draw(self, seed: int) -> NDArray[np.int64]:
        items = np.random.default_rng(seed).random((TRIPLETS, ITEMS)).argpartition(3)[:, :3]
        right = _satisfied(self.points, items)
        return np.where(right[:, None], items, items[:, [0, 2, 1]])

    def _embed(self, fit: str) -> NDArray[np.float64]:
        rng = np.random.default_rng(SEED)
        return best_embedding(
            self.triplets, 2, 0, rng, lambda start: FITS[fit](start, self.triplets)
        )[1]

    @benchmark("Embedding: time")
    def time_embed(self, fit: str) -> None:
        """Time to embed 60 points from 10,000 triplets."""
        self._embed(fit)

    @benchmark("Embedding: error", "1 - accuracy")
    def track_wrong(self, fit: str) -> float:
        """Fraction of the held-out triplets that the embedding violates."""
        return 1 - float(_satisfied(self._embed(fit), self.held_out).mean())


def _satisfied(points: NDArray[np.float64], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    i, j, k = points[rows.T]
    order: NDArray[np.bool_] = ((i - j) ** 2).sum(axis=1) < ((i - k) ** 2).sum(axis=1)
    return order
