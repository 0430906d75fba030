"""What ``hcbench list`` and ``hcbench info`` say about something that is registered."""

from __future__ import annotations

import re
from functools import cache
from importlib.metadata import PackageNotFoundError, metadata
from typing import TYPE_CHECKING, Any

from hcbench.errors import ParameterError
from hcbench.model.text import shell_command
from hcbench.registry.catalogue import tags_of
from hcbench.registry.fingerprint import installation
from hcbench.registry.metric_specs import MetricSpec
from hcbench.registry.names import format_name, format_value
from hcbench.registry.parameters import Parameter, Params
from hcbench.registry.specs import PROVIDED, AlgorithmSpec, DatasetSpec, OracleSpec, Spec
from hcbench.registry.suite import Suite

if TYPE_CHECKING:
    from hcbench.registry.catalogue import Entry

#: What is said of a declaration that is a function of the parameters.
DEPENDS = "depends on its parameters"

#: The options of ``hcbench compare`` that take the name of a spec, by what the spec describes.
_OPTIONS = {"algorithm": "algos", "data set": "datasets", "oracle": "oracles", "metric": "metrics"}


def summarise(entry: Entry[Any]) -> dict[str, Any]:
    """What ``hcbench list`` says about an entry of a registry; its keys are those of the JSON."""
    spec = entry.spec
    # A dot ends a sentence only before a capital: "Langfelder et al. 2008" has another one.
    first_sentence = re.split(r"(?<=\.) (?=[A-Z])", spec.doc, maxsplit=1)[0]
    summary = {"name": spec.name, "doc": first_sentence}
    summary["aliases"] = getattr(spec, "aliases", ())
    summary.update(_essentials(entry))
    summary["tags"] = tags_of(spec)
    summary["licence"] = licence_of(entry)
    summary["plugin"] = entry.plugin.name
    return summary


def describe(entry: Entry[Any]) -> dict[str, Any]:
    """What ``hcbench info`` says about an entry of a registry; its keys are those of the JSON."""
    spec = entry.spec
    description = {"name": spec.name, "kind": spec.noun, "doc": spec.doc}
    description.update(_facts(entry))
    description["paper"] = None
    if spec.paper:
        description["paper"] = f"{spec.paper} ({shell_command('hcbench', 'cite', spec.name)})"
    description["tags"] = tags_of(spec)
    description["licence"] = licence_of(entry)
    description["aliases"] = getattr(spec, "aliases", ())
    description["plugin"] = f"{entry.plugin.name} {entry.plugin.fingerprint}"
    description["example"] = example(entry)
    if isinstance(spec, Spec):
        description["parameters"] = list(map(_parameter, spec.parameters))
    return description


def value_text(value: Any) -> str:
    """A value of a summary or a description as text; lists with commas."""
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(value)


def licence_of(entry: Entry[Any]) -> str:
    """The licence of what an entry wraps or of its data, or else that of its package."""
    licence = getattr(entry.spec, "licence", "")
    # Data sets and suites without a licence have none: that of the package is about code.
    if licence or isinstance(entry.spec, DatasetSpec | Suite):
        return str(licence)
    try:
        package = _package_metadata(entry.plugin.distribution)
    except PackageNotFoundError:  # a plugin file
        return ""
    return str(package.get("license_expression") or package.get("license") or "")


@cache  # parsing takes milliseconds
def _package_metadata(distribution: str) -> dict[str, Any]:
    return metadata(distribution).json


def _essentials(entry: Entry[Any]) -> dict[str, Any]:
    """The facts that a user needs in order to choose; `list` shows no others."""
    spec: Spec | Suite = entry.spec
    if isinstance(spec, Suite):
        return {"algorithms": len(spec.algorithms), "datasets": len(spec.datasets)}
    essentials: dict[str, Any] = {}
    match spec:
        case AlgorithmSpec():
            essentials["accepts"] = spec.accepts
            essentials["needs"] = _needs(spec)
            # Always a key of the JSON of algorithms; of the others only where something is missing.
            essentials["unavailable"] = None
        case DatasetSpec():
            essentials["provides"] = _provided(entry)
        case OracleSpec():
            essentials["kind"] = spec.kind
            essentials["needs"] = _needs(spec)
            if spec.currency:
                essentials["costs"] = spec.currency
            elif spec.person:
                essentials["costs"] = "a person's time"
        case MetricSpec():
            essentials["direction"] = _better(spec)
            essentials["needs"] = _needs(spec)
        case _:
            return {}
    unavailable = _unavailable(spec)
    if unavailable:
        essentials["unavailable"] = unavailable
    return essentials


def _unavailable(spec: Spec) -> str | None:
    """Until when it cannot be used; None if it can."""
    command = installation(spec.requires)
    if not command:
        return None
    return f"until {command}"


def _facts(entry: Entry[Any]) -> dict[str, Any]:
    """The facts of `info`; those that are None or empty are not shown."""
    spec: Spec | Suite = entry.spec
    match spec:
        case AlgorithmSpec():
            return _essentials(entry) | _facts_of_algorithm(spec)
        case DatasetSpec():
            facts = _essentials(entry)
            facts["random"] = _randomness(spec)
            facts["files"] = spec.suffixes
            return facts
        case MetricSpec():
            return _facts_of_metric(spec)
        case Suite():
            return _facts_of_suite(spec)
    return _essentials(entry)


def _facts_of_algorithm(spec: AlgorithmSpec) -> dict[str, Any]:
    # A fact that does not hold is null in the JSON.
    facts: dict[str, Any] = {
        "hints": _hints(spec),
        "returns": f"a {spec.returns}",
        "anytime": None,
        "reference": None,
        "unsure": None,
        "fewest items": None,
        "order": None,
        "trees": None,
    }
    if spec.anytime:
        facts["anytime"] = "records results after numbers of queries"
    if spec.reference:
        facts["reference"] = "shown as a reference, not ranked"
    if spec.takes_unsure:
        facts["unsure"] = "takes UNSURE for an answer"
    if spec.min_items > 1:
        facts["fewest items"] = spec.min_items
    if spec.order_dependent:
        facts["order"] = "of the items changes the clusters"
    if spec.binary_only:
        facts["trees"] = "binary whatever the data"
    return facts


def _randomness(spec: DatasetSpec) -> str:
    if callable(spec.random):
        return "whether the data depend on the seed depends on the parameters"
    if spec.random:
        return "data depend on the seed"
    return "always the same"


def _facts_of_metric(spec: MetricSpec) -> dict[str, Any]:
    # The same facts as in `_essentials`, in another order and with more about them.
    direction = _better(spec)
    if spec.cost:
        direction += " (a cost, not a quality)"
    results = f"any {spec.result}"
    if spec.result == "any":
        results = "any result"
    return {
        "direction": direction,
        "unit": spec.unit,
        "range": spec.interval,
        "needs": _needs(spec),
        "unavailable": _unavailable(spec),
        "judges": results,
    }


def _facts_of_suite(suite: Suite) -> dict[str, Any]:
    restrictions = []
    for algorithm, *partners in suite.only:
        restrictions.append(f"{algorithm} on {' through '.join(partners)}")
    return {
        "algorithms": suite.algorithms,
        "datasets": suite.datasets,
        "oracles": suite.oracles,
        "metrics": suite.metrics,
        "only": restrictions,
        "repetitions": suite.repetitions,
        "seed": suite.seed,
        "budgets": suite.budgets,
        "checkpoints": suite.checkpoints,
        "claims": len(suite.claims) or None,
        "figures": [figure.name for figure in suite.figures],
    }


def _better(metric: MetricSpec) -> str:
    if metric.direction == "none":
        return "neither is better"
    return f"{metric.direction} is better"


def _needs(spec: AlgorithmSpec | OracleSpec | MetricSpec) -> list[str]:
    return [need.replace("|", " or ") for need in spec.needs]


def _hints(spec: AlgorithmSpec) -> list[str]:
    """The hints of an algorithm, for its default parameters if they depend on these."""
    if not callable(spec.hints):
        return list(spec.hints)
    defaults = _defaults(spec)
    if defaults is None:
        return [DEPENDS]
    return list(spec.hints(defaults)) + [f"({DEPENDS})"]


def _provided(entry: Entry[DatasetSpec]) -> list[str]:
    """What a data set provides, for its default parameters if that depends on these."""
    spec = entry.spec
    if not callable(spec.provides):
        return list(spec.provides)
    if _defaults(spec) is None:
        return [DEPENDS]
    use = entry.use({})
    # In the order in which they are declared everywhere.
    provided = [name for name in PROVIDED if name in use.provides]
    return provided + sorted(use.provides.difference(PROVIDED)) + [f"({DEPENDS})"]


def _defaults(spec: Spec) -> dict[str, Any] | None:
    """The default parameters; None if one is required, such as a path."""
    defaults = {}
    for parameter in spec.parameters:
        if parameter.required:
            return None
        defaults[parameter.name] = parameter.default
    return defaults


def _parameter(parameter: Parameter) -> dict[str, str]:
    """A row of the table of parameters."""
    default = "required"
    if not parameter.required:
        default = format_value(parameter.default)
    return {
        "name": parameter.name,
        "default": default,
        "values": _values(parameter),
        "doc": parameter.doc,
    }


def _values(parameter: Parameter) -> str:
    """The values that a parameter can take: choices for texts, an interval for numbers."""
    # A parameter may take a number or a text, such as "auto".
    texts: list[str] = []
    for type_name in parameter.type_names:
        if type_name == "str" and parameter.choices:
            texts.append(" | ".join(parameter.choices))
        elif type_name in ("int", "float") and parameter.interval:
            texts.append(f"{type_name} in {parameter.interval}")
        else:
            texts.append(type_name)
    return " or ".join(texts)


def example(entry: Entry[Any]) -> str:
    """A command that uses what is described."""
    spec: Spec | Suite = entry.spec
    if isinstance(spec, Suite):
        return shell_command("hcbench", "run", spec.name)
    # A data set that reads files is used by naming a file.
    if isinstance(spec, DatasetSpec) and spec.suffixes:
        name = f"./mydata{spec.suffixes[0]}"
    else:
        name = format_name(spec.name, _example_params(entry))
    return shell_command("hcbench", "compare", f"--{_OPTIONS[spec.noun]}", name)


def _example_params(entry: Entry[Any]) -> dict[str, Any]:
    """The required parameters; or else a choice that is not the default, or a telling default."""
    spec: Spec = entry.spec
    required = {}
    for parameter in spec.parameters:
        if parameter.required:
            required[parameter.name] = "..."
    if required:
        return required
    for parameter in spec.parameters:
        for choice in parameter.choices:
            if choice == parameter.default:
                continue
            # Some choices are valid with other parameters only.
            if _are_valid(entry, {parameter.name: choice}):
                return {parameter.name: choice}
    for parameter in spec.parameters:
        if parameter.default not in (None, ()):
            return {parameter.name: parameter.default}
    return {}


def _are_valid(entry: Entry[Any], params: Params) -> bool:
    """Whether these parameters are valid without others."""
    try:
        use = entry.use(params)
        # What a data set provides may depend on its parameters, and be refused for some.
        if isinstance(use.spec, DatasetSpec):
            use.provides  # noqa: B018  # it raises the error
    except ParameterError:
        return False
    return True
