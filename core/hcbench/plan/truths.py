"""Data sets with several truths, and the metrics that compare with one of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from hcbench.registry.making import make_use
from hcbench.registry.metric_specs import MetricSpec
from hcbench.registry.specs import DatasetSpec
from hcbench.registry.uses import Use

#: The parameter of a metric that names a truth other than the first.
PARAMETER = "truth"


def with_all_truths(
    metrics: Iterable[Use[MetricSpec]], datasets: Iterable[Use[DatasetSpec]]
) -> list[Use[MetricSpec]]:
    """The metrics, and after each that names no truth, the same metric for each further truth.

    A metric that names no truth uses the first one of a data set.
    """
    further_truths: dict[str, None] = {}
    for dataset in datasets:
        further_truths.update(dict.fromkeys(_further_truths(dataset)))
    all_metrics: list[Use[MetricSpec]] = []
    for use in metrics:
        all_metrics.append(use)
        # Metrics that compare with no truth have no such parameter.
        if use.params.get(PARAMETER, "") is None:
            for name in further_truths:
                params = {**use.params, PARAMETER: name}
                all_metrics.append(make_use(use.spec, use.plugin, params))
    return all_metrics


def truth_named(use: Use[MetricSpec]) -> str | None:
    """The truth that a metric names; None if it takes the first, or compares with none."""
    truth = use.params.get(PARAMETER)
    if isinstance(truth, str):
        return truth
    return None


def label_without_truth(use: Use[MetricSpec]) -> str:
    """The label of a metric without the truth that it names: the same for all truths."""
    if truth_named(use) is None:
        return use.label
    return make_use(use.spec, use.plugin, {**use.params, PARAMETER: None}).label


def judged_by(
    use: Use[MetricSpec], labels: Collection[str], datasets: Iterable[Use[DatasetSpec]]
) -> tuple[str, ...] | None:
    """The only data sets for which a metric is shown; None for all.

    If it names a truth, and the metrics have the same one without it, these are the data sets that
    have this truth, but not as the first.

    Parameters
    ----------
    use : Use
    labels : collection of str
        The labels of all metrics.
    datasets : iterable of Use
    """
    truth = truth_named(use)
    if truth is None or label_without_truth(use) not in labels:
        return None
    labels_with_truth = []
    for dataset in datasets:
        if truth in _further_truths(dataset):
            labels_with_truth.append(dataset.label)
    return tuple(labels_with_truth)


def _further_truths(dataset: Use[DatasetSpec]) -> tuple[str, ...]:
    """The truths of a data set after the first."""
    return dataset.truths[1:]
