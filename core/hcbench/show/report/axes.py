"""The parameters that vary in a comparison, for the lines and filters of the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hcbench.analysis.groups import KINDS
from hcbench.analysis.views import axes
from hcbench.registry.labels import split_parameter
from hcbench.registry.names import format_value

if TYPE_CHECKING:
    from hcbench.analysis.results import Results


def labels_of(results: Results) -> dict[str, list[str]]:
    """The labels of each kind, in the order of the plan; oracles only if cells have them."""
    oracles = dict.fromkeys(outcome.oracle for outcome in results.outcomes)
    return {"algorithm": results.algorithms, "dataset": results.datasets, "oracle": list(oracles)}


def describe_axes(results: Results) -> list[dict[str, Any]]:
    """The numeric parameters that distinguish labels, along which the page can draw lines.

    Returns
    -------
    list of dict
        ``id`` (``"dataset.delta"``), ``kind``, ``label``, ``rests``: the labels without the
        parameter; ``places``: for each label None, or its value and its place in ``rests``.
    """
    axes = []
    for kind, labels in labels_of(results).items():
        known = results.parameters.get(KINDS[kind], {})
        for name in _parameters(results, kind, labels):
            split = [split_parameter(label, name, known) for label in labels]
            rests = list(dict.fromkeys(rest for rest, value in split if value is not None))
            if _varies(split):
                places = [None if v is None else [v, rests.index(rest)] for rest, v in split]
                axes.append(
                    {
                        "id": f"{kind}.{name}",
                        "kind": kind,
                        "label": name,
                        "rests": rests,
                        "places": places,
                    }
                )
    return axes


def _varies(split: Sequence[tuple[str, float | None]]) -> bool:
    places = {(rest, value) for rest, value in split if value is not None}
    return len(places) > len({rest for rest, _ in places})


def describe_filters(results: Results) -> list[dict[str, Any]]:
    """The parameters of any type with at least two values.

    Returns
    -------
    list of dict
        ``id``, ``kind``, ``label``, and ``values``: the text of the value of each label, None if it
        does not have the parameter.
    """
    filters = []
    for kind, labels in labels_of(results).items():
        names = axes.labels_of(results, kind, labels)
        for name in _parameters(results, kind, labels):
            values = [names[label].params for label in labels]
            texts = [format_value(p[name]) if name in p else None for p in values]
            if len({text for text in texts if text is not None}) > 1:
                filters.append(
                    {"id": f"{kind}.{name}", "kind": kind, "label": name, "values": texts}
                )
    return filters


def _parameters(results: Results, kind: str, labels: Sequence[str]) -> list[str]:
    """Names of all parameters, in order of first appearance."""
    names = axes.labels_of(results, kind, labels)
    return list(dict.fromkeys(name for label in labels for name in names[label].params))
