"""The command ``hcbench new plugin``, which writes the files of a new plugin.

`command` parses its options. `writing` copies the files of the folder ``example``, working code in
which names are replaced.
"""

from __future__ import annotations

from collections.abc import Iterable

from hcbench import CommandSpec, hookimpl


@hookimpl
def hcbench_commands() -> Iterable[CommandSpec]:
    """Return the command ``new``."""
    doc = "Write the files of a new plugin."
    return [CommandSpec(name="new", function="hcbench_scaffold.command:new", doc=doc)]
