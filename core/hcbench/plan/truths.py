"""Data sets with several true hierarchies: metrics that can compare results with each of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from hcbench.registry import make_use

if TYPE_CHECKING:
    from hcbench.registry import Use
    from hcbench.registry.specs import DatasetSpec, MetricSpec

#: The parameter of a metric that names a truth other than the first.
PARAMETER = "truth"


def with_all_truths(
    metrics: Iterable[Use[MetricSpec]], datasets: Iterable[Use[DatasetSpec]]
) -> list[Use[MetricSpec]]:
    """The metrics, and after each that names no truth, the same metric for each further truth.

    A metric that names no truth uses the first one of a data set.
    """
    others = {name: None for dataset in datasets for name in _others(dataset)}
    all_metrics: list[Use[MetricSpec]] = []
    for use in metrics:
        all_metrics.append(use)
        if use.params.get(PARAMETER, "") is None:
            all_metrics += [
                make_use(use.spec, use.plugin, {**use.params, PARAMETER: name}) for name in others
            ]
    return all_metrics


def truth_named(use: Use[MetricSpec]) -> str | None:
    """The truth that a metric names; None if it takes the first, or compares with none."""
    named = use.params.get(PARAMETER)
    return named if isinstance(named, str) else None


def label_without_truth(use: Use[MetricSpec]) -> str:
    """The label of a metric without the truth that it names: the same for all truths."""
    if truth_named(use) is None:
        return use.label
    return make_use(use.spec, use.plugin, {**use.params, PARAMETER: None}).label


def judged_by(
    use: Use[MetricSpec], beside: Collection[str], datasets: Iterable[Use[DatasetSpec]]
) -> tuple[str, ...] | None:
    """The only data sets for which a metric is shown; None for all.

    If it names a truth, and the same metric without it is among the others, these are the data sets
    that have this truth, but not as the first.

    Parameters
    ----------
    use : Use
    beside : collection of str
        The labels of all metrics.
    datasets : iterable of Use
    """
    if truth_named(use) is None or label_without_truth(use) not in beside:
        return None
    return tuple(dataset.label for dataset in datasets if truth_named(use) in _others(dataset))


def _others(dataset: Use[DatasetSpec]) -> tuple[str, ...]:
    """The truths of a data set after the first."""
    return dataset.spec.truths_with(dataset.params)[1:]
