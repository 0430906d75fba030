"""``hcbench info``: everything about one name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from hcbench.cli import options
from hcbench.cli.describing import describe, value_text
from hcbench.cli.loading import load_plugins
from hcbench.cli.option_types import KINDS, OneName
from hcbench.cli.terminal import write_json, write_table
from hcbench.model.text import printable

#: Lists of values that are longer have one value a line.
_LONGEST_LINE = 100

#: What is written above or below the list of facts.
_APART = ("name", "kind", "doc", "parameters")


@click.command(epilog=options.examples("hcbench info UPGMA", "hcbench info planted --format json"))
@click.argument("name", type=OneName(*KINDS))
@options.PLUGIN
@options.JSON_OR_TABLE
def info(name: str, plugin: Sequence[Path], form: str) -> None:
    """Show everything about one name: parameters, needs, paper."""
    # An algorithm and a metric may have the same name.
    registry = load_plugins(plugin)
    descriptions = [describe(entry) for entry in registry.find(name)]
    if form == "json":
        if len(descriptions) == 1:
            write_json(descriptions[0])
        else:
            write_json({"found": descriptions})
        return
    for position, description in enumerate(descriptions):
        if position > 0:
            click.echo()
        _write_description(description)


def _write_description(description: Mapping[str, Any]) -> None:
    click.echo(f"{description['name']}: {description['kind']}")
    if description["doc"]:
        click.echo(printable(description["doc"]))
    click.echo()
    # A fact that does not hold is None or empty, and has no line.
    facts = {}
    for key, value in description.items():
        if key not in _APART and value not in (None, "", [], ()):
            facts[key] = value
    width = max(map(len, facts))
    for key, value in facts.items():
        text = value_text(value)
        if isinstance(value, list | tuple) and len(text) > _LONGEST_LINE:
            # Lines after the first are below its value.
            line_break = "\n" + " " * (width + 2)
            text = line_break.join(map(str, value))
        click.echo(printable(f"{key:<{width}}  {text}"))
    parameters = description.get("parameters")
    if parameters:
        click.echo()
        rows = [tuple(parameter.values()) for parameter in parameters]
        header = ("parameter", "default", "values", "meaning")
        write_table(header, rows, unwrapped=("parameter",))
