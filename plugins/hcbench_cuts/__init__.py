"""Cutting a tree with same-cluster queries: Gentile et al. 2019."""

from __future__ import annotations

from collections.abc import Iterable

from hcbench import AlgorithmSpec, DatasetSpec, MetricSpec, Suite, hookimpl
from hcbench_cuts.data_specs import DATASETS
from hcbench_cuts.defaults import COMPARE
from hcbench_cuts.passive_specs import METRICS, PASSIVE
from hcbench_cuts.searches_specs import SEARCHES


@hookimpl
def hcbench_algorithms() -> Iterable[AlgorithmSpec]:
    """Algorithms that cut a tree."""
    return (*SEARCHES, *PASSIVE)


@hookimpl
def hcbench_datasets() -> Iterable[DatasetSpec]:
    """Trees to be cut, with their true clusters."""
    return DATASETS


@hookimpl
def hcbench_metrics() -> Iterable[MetricSpec]:
    """Measures of a tree to be cut, and of its cuts."""
    return METRICS


@hookimpl
def hcbench_suites() -> Iterable[Suite]:
    """The defaults of ``hcbench compare``; the tables and theorems of Gentile et al. 2019."""
    from hcbench_cuts.suites import SUITES

    return (COMPARE, *SUITES)
