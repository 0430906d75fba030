"""All results as one tidy table: a row for each cell, checkpoint and metric."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hcbench.analysis.groups import COSTS, KINDS

if TYPE_CHECKING:
    import pandas

    from hcbench.analysis.groups import Group
    from hcbench.plan.presentation import MetricInfo
    from hcbench.registry.specs import Params


def make_table(
    groups: Iterable[Group],
    metrics: Sequence[MetricInfo],
    parameters: Mapping[str, Mapping[str, Params]],
    references: Iterable[str] = (),
) -> pandas.DataFrame:
    """The tidy table of groups of repetitions.

    Parameters
    ----------
    groups : iterable of Group
    metrics : sequence of MetricInfo
        The costs of every call are added.
    parameters : mapping of kind to mapping of label to parameters
        As of `hcbench.plan.presentation.Presentation`.
    references : iterable of str
        Algorithms that are reference lines.

    Returns
    -------
    pandas.DataFrame
        Columns ``group`` (the place in ``groups``), ``algorithm``, ``dataset``, ``oracle``,
        ``budget``, ``checkpoint``, ``repetition``, ``seed``, ``key``, ``data`` (the digest of the
        data), ``status``, ``reference``, ``metric``, ``value`` (NaN if missing), ``has_value``,
        ``failed`` (whether it is missing because of a failure), ``reason`` (why it is missing);
        and one for each parameter, such as ``dataset.delta``.
    """
    import pandas

    measured = {metric.label: metric for metric in metrics}
    columns = {**COSTS, **measured}
    rows = [
        (
            *(place, group.algorithm, group.dataset, group.oracle, group.budget, group.checkpoint),
            *(outcome.repetition, outcome.seed, outcome.key, outcome.data_digest, outcome.status),
            *(group.algorithm in references, metric.label, value.value, value.value is not None),
            *(value.value is None and (outcome.failed or value.status == "error"), value.reason),
        )
        for place, group in enumerate(groups)
        for metric in columns.values()
        for outcome, value in zip(group.outcomes, group.values(metric), strict=True)
    ]
    table = pandas.DataFrame(rows, columns=list(_COLUMNS)).astype(_COLUMNS)
    for kind, plural in KINDS.items():
        of_kind = parameters.get(plural, {})
        for name in dict.fromkeys(name for params in of_kind.values() for name in params):
            values: dict[str, Any] = {
                label: params[name] for label, params in of_kind.items() if name in params
            }
            table[f"{kind}.{name}"] = table[kind].map(values.get)
    return table


_COLUMNS = {
    "group": "int64",
    "algorithm": "str",
    "dataset": "str",
    "oracle": "str",
    "budget": "Int64",
    "checkpoint": "Int64",
    "repetition": "int64",
    "seed": "object",
    "key": "str",
    "data": "str",
    "status": "str",
    "reference": "bool",
    "metric": "str",
    "value": "float64",
    "has_value": "bool",
    "failed": "bool",
    "reason": "str",
}
