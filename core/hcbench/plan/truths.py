"""Data sets with several true hierarchies: each metric that can be is compared with all of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from hcbench.registry import make_use

if TYPE_CHECKING:
    from hcbench.registry import Use
    from hcbench.registry.specs import DatasetSpec, MetricSpec

#: The parameter by which a metric takes another truth than the first.
PARAMETER = "truth"


def with_all_truths(
    metrics: Iterable[Use[MetricSpec]], datasets: Iterable[Use[DatasetSpec]]
) -> list[Use[MetricSpec]]:
    """The metrics, and behind each that names no truth itself the same with the other truths.

    The first truth of a data set is the one that a metric takes if none is named.
    """
    others = {name: None for dataset in datasets for name in _others(dataset)}
    found: list[Use[MetricSpec]] = []
    for use in metrics:
        found.append(use)
        if use.params.get(PARAMETER, "") is None:
            found += [
                make_use(use.spec, use.plugin, {**use.params, PARAMETER: name}) for name in others
            ]
    return found


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
    """The data sets of which a metric tells what no other does, if these are not all.

    Where a truth is named and the same metric without it stands beside, these are the data sets
    that have this truth and take another as the first.

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
    """The truths of a data set that are meant only where they are named."""
    return dataset.spec.truths_with(dataset.params)[1:]
