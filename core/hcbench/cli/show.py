"""``list``, ``info``, ``cite`` and ``plugins``: what is registered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hcbench.cli.loading import KINDS, load_plugins
from hcbench.cli.options import JSON_OR_TABLE, PLUGIN, examples
from hcbench.cli.param_types import OneName
from hcbench.cli.terminal import tell, write_json, write_table

if TYPE_CHECKING:
    from hcbench.registry import Registry


@click.command("list")
@click.argument("kind", type=click.Choice(KINDS), required=False)
@PLUGIN
@JSON_OR_TABLE
def list_(kind: str | None, plugin: Sequence[Path], format: str) -> None:  # noqa: A002
    """List algorithms, data sets, oracles, metrics and suites."""
    from hcbench.cli.describe import summarise

    registry = load_plugins(plugin)
    listed = {
        name: [summarise(entry) for entry in _sorted(registry, name)]
        for name in ([kind] if kind else KINDS)
    }
    if format == "json":
        write_json(listed)
        return
    for position, (name, rows) in enumerate(listed.items()):
        if position:
            click.echo()
        _write_list(name, rows)


def _sorted(registry: Registry, kind: str) -> list[Any]:
    return sorted(getattr(registry, kind).entries, key=lambda e: e.spec.name.casefold())


def _write_list(kind: str, rows: Sequence[Mapping[str, Any]]) -> None:
    if not rows:
        click.echo(f"There are no {kind}.")
        return
    write_table(
        (kind, ""),
        [(row["name"], f"{row['doc']}\n{_details(row)}".strip()) for row in rows],
        whole=(kind,),
    )


def _details(row: Mapping[str, Any]) -> str:
    parts = [
        f"{key} {_words(value)}"
        for key, value in row.items()
        if key not in ("name", "doc") and value not in (None, "", [], 0)
    ]
    return "; ".join(parts)


def _words(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value in (None, "") else str(value)


@click.command(epilog=examples("hcbench info UPGMA", "hcbench info planted --format json"))
@click.argument("name", type=OneName(*KINDS))
@PLUGIN
@JSON_OR_TABLE
def info(name: str, plugin: Sequence[Path], format: str) -> None:  # noqa: A002
    """Show everything about one name: parameters, needs, paper."""
    from hcbench.cli.describe import describe

    found = [describe(entry) for entry in load_plugins(plugin).find(name)]
    if format == "json":
        write_json(found[0] if len(found) == 1 else {"found": found})
        return
    for position, about in enumerate(found):
        if position:
            click.echo()
        _write_info(about)


def _write_info(about: Mapping[str, Any]) -> None:
    click.echo(f"{about['name']}: {about['kind']}")
    if about["doc"]:
        click.echo(about["doc"])
    facts = [
        (key, _lines(value))
        for key, value in about.items()
        if key not in ("name", "kind", "doc", "parameters") and value not in (None, "", [], ())
    ]
    click.echo()
    _write_facts(facts)
    if about.get("parameters"):
        click.echo()
        write_table(
            ("parameter", "default", "values", "meaning"),
            [(p["name"], p["default"], p["values"], p["doc"]) for p in about["parameters"]],
            whole=("parameter",),
        )


def _lines(value: Any) -> str:
    """As `_words`, but a long list has one item per line."""
    words = _words(value)
    return "\n".join(map(str, value)) if isinstance(value, list) and len(words) > 100 else words


def _write_facts(facts: Sequence[tuple[str, str]]) -> None:
    width = max(len(key) for key, _ in facts)
    for key, value in facts:
        click.echo(f"{key:<{width}}  " + value.replace("\n", "\n" + " " * (width + 2)))


@click.command(epilog=examples("hcbench cite 4-AL HDBSCAN AARI > hcbench.bib"))
@click.argument("names", nargs=-1, required=True, type=OneName(*KINDS), metavar="NAME...")
@PLUGIN
def cite(names: Sequence[str], plugin: Sequence[Path]) -> None:
    """Print the BibTeX entries of what you used."""
    registry = load_plugins(plugin)
    found = [entry.spec for name in names for entry in registry.find(name)]
    papers = {spec.paper.key: spec.paper for spec in found if spec.paper is not None}
    if papers:
        click.echo("\n\n".join(paper.bibtex for paper in papers.values()))
    without = dict.fromkeys(spec.name for spec in found if spec.paper is None)
    for name in without:
        tell(f"{name} has no paper")


@click.command()
@PLUGIN
@JSON_OR_TABLE
def plugins(plugin: Sequence[Path], format: str) -> None:  # noqa: A002
    """List loaded and broken plugins."""
    registry = load_plugins(plugin, quiet=True)
    loaded = [
        {
            "plugin": p.name,
            "version": p.fingerprint,
            "requires": _required(p.requires),
            **{
                kind: [e.spec.name for e in _sorted(registry, kind) if e.plugin is p]
                for kind in (*KINDS, "commands")
            },
        }
        for p in registry.plugins.loaded
    ]
    broken = [
        {
            "plugin": b.plugin.name,
            "version": b.plugin.version,
            "requires": _required(b.plugin.requires),
            "reason": b.reason,
        }
        for b in registry.plugins.broken
    ]
    if format == "json":
        write_json({"loaded": loaded, "broken": broken})
        return
    write_table(
        ("plugin", "version", "registers"),
        [(str(p["plugin"]), _version(p), _registers(p)) for p in loaded],
        whole=("plugin",),
    )
    if broken:
        click.echo()
        write_table(
            ("broken", "version", "why"),
            [(str(b["plugin"]), _version(b), str(b["reason"])) for b in broken],
            whole=("broken",),
        )


def _required(versions: str) -> str | None:
    """The requirement of a plugin, as pip writes it."""
    return f"hcbench{versions}" if versions else None


def _version(plugin: Mapping[str, Any]) -> str:
    needs = f"\nfor {plugin['requires']}" if plugin["requires"] else ""
    return f"{plugin['version']}{needs}"


def _registers(plugin: Mapping[str, Any]) -> str:
    kinds = [kind for kind in (*KINDS, "commands") if plugin[kind]]
    return "; ".join(f"{kind}: {', '.join(plugin[kind])}" for kind in kinds) or "nothing"
