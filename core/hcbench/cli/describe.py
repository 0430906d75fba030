"""Registered specs as plain values, for ``list``, ``info`` and their JSON."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from hcbench.errors import ParameterError
from hcbench.registry import Entry
from hcbench.registry.names import format_name, format_value
from hcbench.registry.specs import (
    AlgorithmSpec,
    DatasetSpec,
    MetricSpec,
    OracleSpec,
    Parameter,
    Params,
    Spec,
)
from hcbench.registry.suite import Suite

DEPENDS = "depends on its parameters"


def summarise(entry: Entry[Any]) -> dict[str, Any]:
    """One line of ``list``."""
    spec = entry.spec
    return {
        "name": spec.name,
        "doc": _first_sentence(spec.doc),
        **_essentials(spec),
        "plugin": entry.plugin.name,
    }


def _first_sentence(doc: str) -> str:
    """The first sentence; `hcbench info` shows the rest."""
    return re.split(r"(?<=\.) (?=[A-Z])", doc, maxsplit=1)[0]


def _essentials(spec: Spec | Suite) -> dict[str, Any]:
    match spec:
        case AlgorithmSpec():
            return {"accepts": list(spec.accepts), "needs": _needs(spec)}
        case DatasetSpec():
            return {"provides": _declared(spec, spec.provides)}
        case OracleSpec():
            return {"kind": spec.kind, "needs": _needs(spec)}
        case MetricSpec():
            return {"direction": _better(spec), "needs": _needs(spec)}
        case Suite():
            return {"algorithms": len(spec.algorithms), "datasets": len(spec.datasets)}
    return {}


def _restriction(algorithm: str, dataset: str, oracle: str = "") -> str:
    return f"{algorithm} on {dataset}" + (f" through {oracle}" if oracle else "")


def _better(metric: MetricSpec) -> str:
    return "neither is better" if metric.direction == "none" else f"{metric.direction} is better"


def _randomness(dataset: DatasetSpec) -> str:
    if callable(dataset.random):
        return "whether the data depend on the seed depends on the parameters"
    return "data depend on the seed" if dataset.random else "always the same"


def _needs(spec: AlgorithmSpec | OracleSpec | MetricSpec) -> list[str]:
    return [need.replace("|", " or ") for need in spec.needs]


def _declared(
    spec: Spec, declared: tuple[str, ...] | Callable[[Params], tuple[str, ...]]
) -> list[str]:
    """What a spec declares, for its default parameters if it depends on them."""
    if not callable(declared):
        return list(declared)
    if any(p.required for p in spec.parameters):
        return [DEPENDS]
    return [*declared({p.name: p.default for p in spec.parameters}), f"({DEPENDS})"]


def describe(entry: Entry[Any]) -> dict[str, Any]:
    """Everything about one registered spec."""
    spec = entry.spec
    paper = getattr(spec, "paper", None)
    about = {
        "name": spec.name,
        "kind": spec.noun,
        "doc": spec.doc,
        **(_suite(spec) if isinstance(spec, Suite) else _facts(spec)),
        "paper": f"{paper} (hcbench cite {spec.name})" if paper else None,
        "plugin": f"{entry.plugin.name} {entry.plugin.fingerprint}",
        "example": example(spec),
    }
    if isinstance(spec, Spec):
        about["parameters"] = [_parameter(p) for p in spec.parameters]
    return about


def _facts(spec: Spec) -> dict[str, Any]:
    match spec:
        case AlgorithmSpec():
            return {
                **_essentials(spec),
                "hints": _declared(spec, spec.hints),
                "returns": f"a {spec.returns}",
                "anytime": "records results after numbers of queries" if spec.anytime else None,
                "reference": "shown as a reference, not ranked" if spec.reference else None,
            }
        case DatasetSpec():
            return {
                **_essentials(spec),
                "random": _randomness(spec),
                "files": list(spec.suffixes),
                "licence": spec.licence,
            }
        case MetricSpec():
            return {
                "direction": _better(spec) + (" (a cost, not a quality)" if spec.cost else ""),
                "unit": spec.unit,
                "range": spec.interval,
                "needs": _needs(spec),
                "judges": f"any {'result' if spec.result == 'any' else spec.result}",
            }
    return _essentials(spec)


def _suite(suite: Suite) -> dict[str, Any]:
    return {
        "algorithms": list(suite.algorithms),
        "datasets": list(suite.datasets),
        "oracles": list(suite.oracles),
        "metrics": list(suite.metrics),
        "only": [_restriction(*names) for names in suite.only],
        "repetitions": suite.repetitions,
        "seed": suite.seed,
        "budgets": list(suite.budgets),
        "checkpoints": list(suite.checkpoints),
        "claims": len(suite.claims) or None,
        "figures": [figure.name for figure in suite.figures],
    }


def _parameter(parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "default": "required" if parameter.required else format_value(parameter.default),
        "values": _values(parameter),
        "doc": parameter.doc,
    }


def _values(parameter: Parameter) -> str:
    """The values it can take: choices for text, an interval for numbers."""
    words = {"str": " | ".join(parameter.choices) or "str"}
    if parameter.interval:
        words |= {number: f"{number} in {parameter.interval}" for number in ("int", "float")}
    types = [parameter.type, *filter(None, parameter.alternative.split(" or "))]
    return " or ".join(words.get(name, name) for name in types)


def example(spec: Spec | Suite) -> str:
    """A command that uses it, quoted, since shells expand brackets."""
    if isinstance(spec, Suite):
        return f"hcbench run {spec.name}"
    option = {"algorithm": "algos", "data set": "datasets"}.get(spec.noun, f"{spec.noun}s")
    name = format_name(spec.name, _example_params(spec))
    if isinstance(spec, DatasetSpec) and spec.suffixes:
        name = f"./mydata{spec.suffixes[0]}"
    quoted = f"'{name}'" if "[" in name else name
    return f"hcbench compare --{option} {quoted}"


def _example_params(spec: Spec) -> dict[str, Any]:
    """Required parameters; or else a choice that is not the default, or a telling default."""
    required = {p.name: "..." for p in spec.parameters if p.required}
    if required:
        return required
    for parameter in spec.parameters:
        for choice in parameter.choices:
            if choice != parameter.default and _is_enough(spec, {parameter.name: choice}):
                return {parameter.name: choice}
    shown = [p for p in spec.parameters if p.default not in (None, ())]
    return {shown[0].name: shown[0].default} if shown else {}


def _is_enough(spec: Spec, params: Params) -> bool:
    """Whether these parameters are valid without others."""
    try:
        resolved = spec.resolve(params)
        if isinstance(spec, DatasetSpec):
            spec.provides_with(resolved)
    except ParameterError:
        return False
    return True
