"""What is measured: the cases, their sizes and repetitions, and the quantities with their units."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

VERSION = "5"
"""Of the measurements: asv and ``hcbench regress`` only compare results of equal versions."""

SIZES = (40, 80, 160)
REPETITIONS = 3
"""Of each algorithm, with new seeds."""

UNITS = {
    "seconds": "s",
    "peak_memory": "bytes",
    "queries": "queries",
    "loss": "1 - quality",
    "seconds_per_query": "s",
    "value": "value",
}
"""The unit of each quantity."""

TRACKS = {
    "algorithm": {
        "seconds": "Median processor time of a call, with its processes, over the repetitions.",
        "peak_memory": "Smallest peak memory of a call over the repetitions.",
        "queries": "Mean number of queries over the repetitions.",
        "loss": "1 - AARI of a tree, 1 - ARI of a partition; the mean over the repetitions.",
    },
    "oracle": {
        "seconds": "Processor time to make the answers, with that of processes.",
        "seconds_per_query": "Processor time per query.",
    },
    "metric": {
        "seconds": "Processor time of a call, with its processes.",
        "value": "The metric of average linkage on a few coordinates of the data.",
    },
}
"""What is measured of each kind of registration, with the docstrings of the benchmarks."""

Case = tuple[str, int]
"""A name, such as ``"algorithm_UPGMA"``, and the number of items."""

Measurement = dict[str, Any]
"""A finite number, or None if it is missing, for each quantity of `TRACKS`; or ``reason``, why the
case is inapplicable; or ``failed``, how it failed."""


def sizes_of(kind: str) -> tuple[int, ...]:
    """Numbers of items at which a kind is measured: metrics only at the largest."""
    if kind == "metric":
        return SIZES[-1:]
    return SIZES


def summarise_repetitions(quantity: str, values: Sequence[float]) -> float:
    """The mean of what is reproducible, the smallest memory, the median time of repetitions.

    Examples
    --------
    >>> summarise_repetitions("seconds", [0.5, 0.25, 4.0])
    0.5
    >>> summarise_repetitions("queries", [10.0, 20.0, 60.0])
    30.0
    >>> summarise_repetitions("peak_memory", [300.0, 100.0, 200.0])
    100.0
    """
    if quantity in ("queries", "loss"):
        return statistics.fmean(values)
    if quantity == "peak_memory":
        # Memory that a first call loads counts for that call alone.
        return min(values)
    return statistics.median(values)
