"""t-STE and FORTE: time, and how many triplets that were held out the embedding orders rightly."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

import hcbench
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


class Embedding:
    """Normal points in the plane; every tenth answer is wrong."""

    params: ClassVar = list(FITS)
    param_names: ClassVar = ["fit"]

    def setup(self, _fit: str) -> None:
        """Draw triplets to learn from and to hold out."""
        self.points = np.random.default_rng(SEED).normal(size=(ITEMS, 2))
        rows = self._draw(SEED + 1)
        wrong = np.random.default_rng(SEED).random(len(rows)) < WRONG
        rows[wrong] = rows[wrong][:, [0, 2, 1]]
        self.triplets = hcbench.Comparisons.from_triplets(ITEMS, rows)
        self.held_out = self._draw(SEED + 2)

    def _draw(self, seed: int) -> NDArray[np.int64]:
        items = np.random.default_rng(seed).random((TRIPLETS, ITEMS)).argpartition(3)[:, :3]
        right = _order_rightly(self.points, items)
        return np.where(right[:, None], items, items[:, [0, 2, 1]])

    def _embed(self, fit: str) -> NDArray[np.float64]:
        rng = np.random.default_rng(SEED)
        return best_embedding(
            self.triplets, 2, 0, rng, lambda start: FITS[fit](start, self.triplets)
        )

    def time_embed(self, fit: str) -> None:
        """From the first start to the end."""
        self._embed(fit)

    def track_wrong(self, fit: str) -> float:
        """Part of the held-out triplets that the embedding orders wrongly."""
        return 1 - float(_order_rightly(self._embed(fit), self.held_out).mean())

    track_wrong.unit = "1 - accuracy"  # type: ignore[attr-defined]


def _order_rightly(points: NDArray[np.float64], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    i, j, k = points[rows.T]
    order: NDArray[np.bool_] = ((i - j) ** 2).sum(axis=1) < ((i - k) ** 2).sum(axis=1)
    return order
