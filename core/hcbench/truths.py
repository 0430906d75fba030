"""Data sets with several true hierarchies: each metric that can be is compared with all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from hcbench.registry import make_use

if TYPE_CHECKING:
    from hcbench.registry import Use
    from hcbench.specs import DatasetSpec, MetricSpec

#: The parameter by which a metric takes another truth than the first.
PARAMETER = "truth"


def with_all_truths(
    metrics: Iterable[Use[MetricSpec]], datasets: Iterable[Use[DatasetSpec]]
) -> list[Use[MetricSpec]]:
    """The metrics, and behind each that names no truth itself the same with the other truths.

    The first truth of a data set is the one that a metric takes if none is named.
    """
    others = {
        name: None for dataset in datasets for name in dataset.spec.truths_with(dataset.params)[1:]
    }
    found: list[Use[MetricSpec]] = []
    for use in metrics:
        found.append(use)
        if use.params.get(PARAMETER, "") is None:
            found += [
                make_use(use.spec, use.plugin, {**use.params, PARAMETER: name}) for name in others
            ]
    return found


def whatever_truth(use: Use[MetricSpec]) -> str:
    """The label of a metric without the truth that it names: the same for all truths."""
    if use.params.get(PARAMETER) is None:
        return use.label
    return make_use(use.spec, use.plugin, {**use.params, PARAMETER: None}).label
