"""``list``, ``info`` and ``cite``: what is registered."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click

from hcbench.cli import options
from hcbench.cli.terminal import console, tell, write_json, write_table
from hcbench.errors import ParameterError
from hcbench.model.text import printable
from hcbench.registry import tags_of
from hcbench.registry.fingerprint import installation
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

if TYPE_CHECKING:
    from hcbench.registry import Entry, Registry

DEPENDS = "depends on its parameters"
_TABLE_WITHOUT_NAMES = 26  # columns that the kinds, numbers and blanks of an overview take at most


@click.command(
    "list",
    epilog=options.examples("hcbench list algorithms --tag active", "hcbench list --search ward"),
)
@click.argument("kind", type=options.KindChoice(), required=False)
@click.option("--tag", metavar="TAG", help="Only those with this tag, such as linkage.")
@click.option("--accepts", metavar="KIND", help="Only algorithms that accept this kind of oracle.")
@click.option("--licence", metavar="TEXT", help="Only those whose licence contains this text.")
@click.option("--search", metavar="TEXT", help="Only those with this text in name or description.")
@options.PLUGIN
@options.JSON_OR_TABLE
@click.option("--short", is_flag=True, help="Print names only, one per line.")
def list_(
    *, kind: str | None, plugin: Sequence[Path], form: str, short: bool, **wanted: str | None
) -> None:
    """List algorithms, data sets, oracles, metrics and suites.

    Without a kind or a filter it is an overview of names; with one, a line on each.
    """
    registry = options.load_plugins(plugin)
    given = {name: text.casefold() for name, text in wanted.items() if text is not None}
    entries = {
        name: [entry for entry in _sorted(registry, name) if _fits(entry, given)]
        for name in ([kind] if kind else options.KINDS)
    }
    if short:
        for found in entries.values():
            click.echo("".join(f"{entry.spec.name}\n" for entry in found), nl=False)
    elif form == "json":
        write_json({name: [_summarise(entry) for entry in e] for name, e in entries.items()})
    elif kind or given:
        for name, found in entries.items():
            if found:
                rows = [(r["name"], f"{r['doc']}\n{_details(r)}") for r in map(_summarise, found)]
                write_table((name, ""), rows, whole=(name,))
        if not any(entries.values()):
            every = (entry.spec for name in entries for entry in _sorted(registry, name))
            tags = sorted({tag for spec in every for tag in getattr(spec, "tags", ())})
            told = f" Tags are {', '.join(tags)}." if "tag" in given else ""
            click.echo(f"There are no such {kind or 'names'}.{told}")
    else:
        write_table(("kind", "", "names"), _overview(entries), right=("",), whole=("kind",))
        click.echo("hcbench list KIND describes all, hcbench info NAME shows everything about one.")
        lacking = [f"{', '.join(n)} ({command})" for command, n in _unavailable(entries).items()]
        if lacking:
            tell(f"unavailable until installed: {', '.join(lacking)}")


def _fits(entry: Entry[Any], wanted: Mapping[str, str]) -> bool:
    """Whether an entry has what the filters of ``hcbench list`` ask for."""
    spec = entry.spec
    texts: dict[str, Iterable[str]] = {
        "tag": tags_of(spec),
        "accepts": getattr(spec, "accepts", ()),
        "licence": [_licence(entry)],
        "search": [spec.name, spec.doc],
    }
    whole = ("tag", "accepts")
    return all(
        any(part == t.casefold() if name in whole else part in t.casefold() for t in texts[name])
        for name, part in wanted.items()
    )


def _licence(entry: Entry[Any]) -> str:
    """Of what it wraps or of its data; of other code that of its package."""
    licence = getattr(entry.spec, "licence", "")
    if not licence and not isinstance(entry.spec, DatasetSpec | Suite):
        with suppress(PackageNotFoundError):  # a plugin file
            about = _about(entry.plugin.distribution)
            licence = about.get("license_expression") or about.get("license") or ""
    return str(licence)


@cache  # parsing takes milliseconds
def _about(distribution: str) -> dict[str, Any]:
    return metadata(distribution).json


_GROUPED = {
    "algorithms": "by the kind of oracle that they accept first",
    "datasets": "by their first tag",
    "metrics": "by their first tag",
}


def _overview(entries: Mapping[str, Sequence[Entry[Any]]]) -> list[tuple[str, str, str]]:
    """Kinds and groups, with numbers and names; suites whose names begin alike are not named.

    Names are in two lines at most, so that the table fits a screen.
    """
    width = console().width - _TABLE_WITHOUT_NAMES
    rows = []
    for kind, found in entries.items():
        groups: dict[str, list[str]] = {}
        for entry in found:
            groups.setdefault(_group(entry.spec), []).append(entry.spec.name)
        names = [n[0] if len(n) == 1 else f"{start}* ({len(n)})" for start, n in groups.items()]
        rows.append((kind, str(len(found)), _GROUPED.get(kind) or _short(names, width)))
        if kind in _GROUPED:
            for group in [group for group, n in groups.items() if len(n) < 3]:
                few = groups.pop(group)
                groups["other"] = sorted([*groups.get("other", ()), *few], key=str.casefold)
            rows += [(f"  {group}", str(len(n)), _short(n, width)) for group, n in groups.items()]
    return rows


def _short(names: Sequence[str], width: int) -> str:
    """Names in two lines of a width."""
    text = ", ".join(names)
    return "\n".join(wrap(text, width, max_lines=2, placeholder=" ...", break_on_hyphens=False))


def _unavailable(entries: Mapping[str, Sequence[Entry[Any]]]) -> dict[str, list[str]]:
    """The names whose libraries are not installed, by the command that installs these."""
    names: dict[str, list[str]] = {}
    for entry in (entry for found in entries.values() for entry in found):
        if command := installation(getattr(entry.spec, "requires", ())):
            names.setdefault(command, []).append(entry.spec.name)
    return names


def _group(spec: Spec | Suite) -> str:
    if isinstance(spec, AlgorithmSpec):
        return spec.accepts[0]
    if isinstance(spec, DatasetSpec | MetricSpec):
        return (*spec.tags, "other")[0]
    return spec.name.partition("-")[0] if isinstance(spec, Suite) else spec.name


def _sorted(registry: Registry, kind: str) -> list[Entry[Any]]:
    return sorted(getattr(registry, kind).entries, key=lambda e: e.spec.name.casefold())


def _summarise(entry: Entry[Any]) -> dict[str, Any]:
    spec = entry.spec
    first_sentence = re.split(r"(?<=\.) (?=[A-Z])", spec.doc, maxsplit=1)[0]
    about = {"name": spec.name, "doc": first_sentence, **_essentials(spec), "tags": tags_of(spec)}
    return {**about, "licence": _licence(entry), "plugin": entry.plugin.name}


def _details(row: Mapping[str, Any]) -> str:
    facts = {key: value for key, value in row.items() if key not in ("name", "doc") and value}
    return "; ".join(f"{key} {_words(value)}" for key, value in facts.items())


def _words(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _essentials(spec: Spec | Suite) -> dict[str, Any]:
    if isinstance(spec, Suite):
        return {"algorithms": len(spec.algorithms), "datasets": len(spec.datasets)}
    command = installation(spec.requires)
    missing = {"unavailable": f"until {command}"} if command else {}
    match spec:
        case AlgorithmSpec():
            return {"accepts": spec.accepts, "needs": _needs(spec), "unavailable": None, **missing}
        case DatasetSpec():
            return {"provides": _declared(spec, spec.provides), **missing}
        case OracleSpec():
            paid = spec.currency or ("a person's time" if spec.person else None)
            costs = {"costs": paid} if paid else {}
            return {"kind": spec.kind, "needs": _needs(spec), **costs, **missing}
        case MetricSpec():
            return {"direction": _better(spec), "needs": _needs(spec), **missing}
    return {}


def _better(metric: MetricSpec) -> str:
    return "neither is better" if metric.direction == "none" else f"{metric.direction} is better"


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


@click.command(epilog=options.examples("hcbench info UPGMA", "hcbench info planted --format json"))
@click.argument("name", type=options.OneName(*options.KINDS))
@options.PLUGIN
@options.JSON_OR_TABLE
def info(name: str, plugin: Sequence[Path], form: str) -> None:
    """Show everything about one name: parameters, needs, paper."""
    found = [_describe(entry) for entry in options.load_plugins(plugin).find(name)]
    if form == "json":
        write_json(found[0] if len(found) == 1 else {"found": found})
        return
    for position, about in enumerate(found):
        if position:
            click.echo()
        _write_info(about)


def _write_info(about: Mapping[str, Any]) -> None:
    click.echo(f"{about['name']}: {about['kind']}")
    if about["doc"]:
        click.echo(printable(about["doc"]))
    click.echo()
    facts = {
        key: value
        for key, value in about.items()
        if key not in ("name", "kind", "doc", "parameters") and value not in (None, "", [], ())
    }
    width = max(map(len, facts))
    for key, value in facts.items():
        text = _words(value)
        if isinstance(value, list | tuple) and len(text) > 100:
            text = f"\n{' ' * (width + 2)}".join(map(str, value))
        click.echo(printable(f"{key:<{width}}  {text}"))
    if about.get("parameters"):
        click.echo()
        rows = [tuple(parameter.values()) for parameter in about["parameters"]]
        header = ("parameter", "default", "values", "meaning")
        write_table(header, rows, whole=("parameter",))


def _describe(entry: Entry[Any]) -> dict[str, Any]:
    """Everything about one registered spec."""
    spec = entry.spec
    about = {
        "name": spec.name,
        "kind": spec.noun,
        "doc": spec.doc,
        **_facts(spec),
        "paper": f"{spec.paper} (hcbench cite {spec.name})" if spec.paper else None,
        "tags": tags_of(spec),
        "licence": _licence(entry),
        "aliases": getattr(spec, "aliases", ()),
        "plugin": f"{entry.plugin.name} {entry.plugin.fingerprint}",
        "example": example(spec),
    }
    if isinstance(spec, Spec):
        about["parameters"] = [_parameter(p) for p in spec.parameters]
    return about


def _facts(spec: Spec | Suite) -> dict[str, Any]:
    match spec:
        case AlgorithmSpec():
            return {
                **_essentials(spec),
                "hints": _declared(spec, spec.hints),
                "returns": f"a {spec.returns}",
                "anytime": "records results after numbers of queries" if spec.anytime else None,
                "reference": "shown as a reference, not ranked" if spec.reference else None,
                "unsure": "takes UNSURE for an answer" if spec.takes_unsure else None,
                "fewest items": spec.min_items if spec.min_items > 1 else None,
                "order": "of the items changes the clusters" if spec.order_dependent else None,
                "trees": "binary whatever the data" if spec.binary_only else None,
                "needs a GPU": spec.gpu or None,
            }
        case DatasetSpec():
            randomness = "data depend on the seed" if spec.random else "always the same"
            if callable(spec.random):
                randomness = "whether the data depend on the seed depends on the parameters"
            return {**_essentials(spec), "random": randomness, "files": spec.suffixes}
        case MetricSpec():
            return {
                "direction": _better(spec) + (" (a cost, not a quality)" if spec.cost else ""),
                "unit": spec.unit,
                "range": spec.interval,
                "needs": _needs(spec),
                "unavailable": _essentials(spec).get("unavailable"),
                "judges": f"any {'result' if spec.result == 'any' else spec.result}",
            }
        case Suite():
            return {
                "algorithms": spec.algorithms,
                "datasets": spec.datasets,
                "oracles": spec.oracles,
                "metrics": spec.metrics,
                "only": [f"{names[0]} on {' through '.join(names[1:])}" for names in spec.only],
                "repetitions": spec.repetitions,
                "seed": spec.seed,
                "budgets": spec.budgets,
                "checkpoints": spec.checkpoints,
                "claims": len(spec.claims) or None,
                "figures": [figure.name for figure in spec.figures],
            }
    return _essentials(spec)


def _parameter(parameter: Parameter) -> dict[str, str]:
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


@click.command(epilog=options.examples("hcbench cite 4-AL HDBSCAN AARI > hcbench.bib"))
@click.argument(
    "names", nargs=-1, required=True, type=options.OneName(*options.KINDS), metavar="NAME..."
)
@options.PLUGIN
def cite(names: Sequence[str], plugin: Sequence[Path]) -> None:
    """Print the BibTeX entries of what you used.

    Of a suite these are its own and those of all that it names.
    """
    registry = options.load_plugins(plugin)
    found = [entry.spec for name in names for entry in registry.find(name)]
    suites = [spec for spec in found if isinstance(spec, Suite)]
    named = [n for s in suites for n in (*s.algorithms, *s.datasets, *s.oracles, *s.metrics)]
    parts = [entry.spec for name in named for entry in registry.find(name)]
    papers = {spec.paper.key: spec.paper for spec in (*found, *parts) if spec.paper is not None}
    if papers:
        click.echo("\n\n".join(paper.bibtex for paper in papers.values()))
    for name in dict.fromkeys(spec.name for spec in found if spec.paper is None):
        tell(f"{name} has no paper")
