"""``hcbench plugins``: what is loaded, and what is broken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hcbench.cli import options
from hcbench.cli.loading import load_plugins
from hcbench.cli.option_types import KINDS
from hcbench.cli.terminal import write_json, write_table

if TYPE_CHECKING:
    from hcbench.registry import Registry
    from hcbench.registry.plugins import Broken, Plugin

#: What plugins register, in the order of the table.
_KINDS = KINDS + ("commands", "executors")


@click.command()
@options.PLUGIN
@options.JSON_OR_TABLE
def plugins(plugin: Sequence[Path], form: str) -> None:
    """List loaded and broken plugins."""
    registry = load_plugins(plugin, quiet=True)
    loaded = [_describe(loaded_plugin, registry) for loaded_plugin in registry.plugins.loaded]
    broken = list(map(_describe_broken, registry.plugins.broken))
    if form == "json":
        write_json({"loaded": loaded, "broken": broken})
        return
    rows = []
    for description in loaded:
        rows.append((description["plugin"], _version(description), _registered(description)))
    write_table(("plugin", "version", "registers"), rows, unwrapped=("plugin",))
    if broken:
        click.echo()
        rows = []
        for description in broken:
            rows.append((description["plugin"], _version(description), description["reason"]))
        write_table(("broken", "version", "why"), rows, unwrapped=("broken",))


def _describe(plugin: Plugin, registry: Registry) -> dict[str, Any]:
    """A loaded plugin, and the names that it registers, by kind; as JSON."""
    description: dict[str, Any] = {
        "plugin": plugin.name,
        "version": plugin.fingerprint,
        "requires": _requirement(plugin),
    }
    for kind in _KINDS:
        names = []
        for entry in getattr(registry, kind).entries:
            # By identity: one package may have several plugins.
            if entry.plugin is plugin:
                names.append(entry.spec.name)
        description[kind] = sorted(names, key=str.casefold)
    return description


def _describe_broken(broken: Broken) -> dict[str, Any]:
    """A plugin that cannot be used, and why; as JSON."""
    return {
        "plugin": broken.plugin.name,
        "version": broken.plugin.version,
        "requires": _requirement(broken.plugin),
        "reason": broken.reason,
    }


def _requirement(plugin: Plugin) -> str | None:
    """The versions of hcbench for which a plugin is, if it says so."""
    if not plugin.requires:
        return None
    return f"hcbench{plugin.requires}"


def _version(description: Mapping[str, Any]) -> str:
    """The version in a table, with that of hcbench below it."""
    version = str(description["version"])
    if description["requires"]:
        version += f"\nfor {description['requires']}"
    return version


def _registered(description: Mapping[str, Any]) -> str:
    """The names that a plugin registers, in one text."""
    parts = []
    for kind in _KINDS:
        names = description[kind]
        if names:
            parts.append(f"{kind}: {', '.join(names)}")
    return "; ".join(parts) or "nothing"
