"""``hcbench plugins``: what is loaded, and what is broken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from hcbench.cli import options
from hcbench.cli.terminal import write_json, write_table


@click.command()
@options.PLUGIN
@options.JSON_OR_TABLE
def plugins(plugin: Sequence[Path], form: str) -> None:
    """List loaded and broken plugins."""
    registry = options.load_plugins(plugin, quiet=True)
    kinds = (*options.KINDS, "commands", "executors")
    loaded: list[dict[str, Any]] = [
        {
            "plugin": p.name,
            "version": p.fingerprint,
            "requires": f"hcbench{p.requires}" if p.requires else None,
            **{
                kind: sorted(
                    (e.spec.name for e in getattr(registry, kind).entries if e.plugin is p),
                    key=str.casefold,
                )
                for kind in kinds
            },
        }
        for p in registry.plugins.loaded
    ]
    broken = [
        {
            "plugin": b.plugin.name,
            "version": b.plugin.version,
            "requires": f"hcbench{b.plugin.requires}" if b.plugin.requires else None,
            "reason": b.reason,
        }
        for b in registry.plugins.broken
    ]
    if form == "json":
        write_json({"loaded": loaded, "broken": broken})
        return
    rows = [
        (
            str(p["plugin"]),
            _version(p),
            "; ".join(f"{kind}: {', '.join(p[kind])}" for kind in kinds if p[kind]) or "nothing",
        )
        for p in loaded
    ]
    write_table(("plugin", "version", "registers"), rows, whole=("plugin",))
    if broken:
        click.echo()
        rows = [(str(b["plugin"]), _version(b), str(b["reason"])) for b in broken]
        write_table(("broken", "version", "why"), rows, whole=("broken",))


def _version(plugin: Mapping[str, Any]) -> str:
    needs = f"\nfor {plugin['requires']}" if plugin["requires"] else ""
    return f"{plugin['version']}{needs}"
