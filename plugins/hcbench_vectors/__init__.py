"""Algorithms that read vectors, or all similarities, and the model of Gray et al. 2023."""

from __future__ import annotations

from collections.abc import Iterable

from hcbench import AlgorithmSpec, DatasetSpec, MetricSpec, Suite, hookimpl
from hcbench_vectors.algorithm_specs import ALGORITHMS
from hcbench_vectors.data_specs import GRAY_SIMULATED
from hcbench_vectors.metric_specs import METRICS


@hookimpl
def hcbench_algorithms() -> Iterable[AlgorithmSpec]:
    """Return dot product clustering, the classical linkages and HDBSCAN."""
    return ALGORITHMS


@hookimpl
def hcbench_metrics() -> Iterable[MetricSpec]:
    """Return metrics of the quantities in the theorems of Gray et al. 2023."""
    return METRICS


@hookimpl
def hcbench_datasets() -> Iterable[DatasetSpec]:
    """Return the generative model of Gray et al. 2023."""
    return (GRAY_SIMULATED,)


@hookimpl
def hcbench_suites() -> Iterable[Suite]:
    """Return the tables, figures and theorems of Gray et al. 2023."""
    from hcbench_vectors.suites import SUITES

    return SUITES
