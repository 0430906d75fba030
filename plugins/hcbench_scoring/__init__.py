"""The command ``hcbench score``: trees made elsewhere, by all metrics that apply.

`command` parses its options. `scores` reads the files, matches their items, and makes the table of
values.
"""

from __future__ import annotations

from collections.abc import Iterable

from hcbench import CommandSpec, hookimpl


@hookimpl
def hcbench_commands() -> Iterable[CommandSpec]:
    """Return the command ``score``."""
    doc = "Score trees that were made elsewhere."
    return [CommandSpec(name="score", function="hcbench_scoring.command:score", doc=doc)]
