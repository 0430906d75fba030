"""Every registered algorithm, measured once per commit by hcbench itself.

asv's own timing of a whole process costs a second a parameter and shows the imports; here one
comparison fills the cache, and the ``track_*`` methods only read it.
"""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import ClassVar

import hcbench

ALGORITHMS = [
    entry.spec.name
    for entry in hcbench.load_registry().algorithms.entries
    if not any(parameter.required for parameter in entry.spec.parameters)
]
DATASETS = {
    "planted, 40 items": "planted[N0=5,L=3]",
    "planted, 80 items": "planted[N0=10,L=3]",
}
REPETITIONS = 3

Cache = dict[tuple[str, str], dict[str, float]]


class Registered:
    """One row an algorithm and data set: the median over the repetitions."""

    params: ClassVar = [ALGORITHMS, list(DATASETS)]
    param_names: ClassVar = ["algorithm", "dataset"]
    timeout = 600

    def setup_cache(self) -> Cache:
        """Run the comparison."""
        with tempfile.TemporaryDirectory() as folder:
            results = hcbench.compare(
                algos=ALGORITHMS,
                datasets=list(DATASETS.values()),
                metrics=["AARI"],
                repetitions=REPETITIONS,
                n_jobs=1,
                store=Path(folder) / "asv.sqlite",
            )
        labels = {
            label: entry.label
            for label, text in DATASETS.items()
            for entry in hcbench.load_registry().use_datasets(text)
        }
        return {
            (algorithm, name): _medians(results.rows, algorithm, label)
            for algorithm in ALGORITHMS
            for name, label in labels.items()
        }

    def track_seconds(self, cache: Cache, algorithm: str, dataset: str) -> float:
        """Wall time of the algorithm alone."""
        return cache[algorithm, dataset]["seconds"]

    def track_peak_memory(self, cache: Cache, algorithm: str, dataset: str) -> float:
        """Memory held during the call above what was held before it."""
        return cache[algorithm, dataset]["peak_bytes"]

    def track_queries(self, cache: Cache, algorithm: str, dataset: str) -> float:
        """Questions asked, by the oracle's ledger: deterministic, so that a change is one."""
        return cache[algorithm, dataset]["queries"]

    def track_loss(self, cache: Cache, algorithm: str, dataset: str) -> float:
        """1 - AARI: asv takes lower as better."""
        return 1 - cache[algorithm, dataset]["AARI"]

    track_seconds.unit = "s"  # type: ignore[attr-defined]
    track_peak_memory.unit = "bytes"  # type: ignore[attr-defined]
    track_queries.unit = "questions"  # type: ignore[attr-defined]
    track_loss.unit = "1 - AARI"  # type: ignore[attr-defined]


def _medians(cells: list[dict], algorithm: str, dataset: str) -> dict[str, float]:  # type: ignore[type-arg]
    rows = [c for c in cells if c["algorithm"] == algorithm and c["dataset"] == dataset]
    columns = {name: [row[name] for row in rows] for name in ("seconds", "peak_bytes", "queries")}
    columns["AARI"] = [row["metrics"]["AARI"] for row in rows]
    return {name: _median(values) for name, values in columns.items()}


def _median(values: list[float | None]) -> float:
    """nan, which asv shows as n/a, where a value is missing."""
    known = sorted(v for v in values if v is not None)
    return known[len(known) // 2] if known and len(known) == len(values) else math.nan
