"""The commands ``hcbench new plugin``, which writes the files of a new plugin, and ``plugins``.

`command` parses the options of the first. `writing` copies the files of the folder ``example``,
working code in which names are replaced. `listing` is the second.
"""

from __future__ import annotations

from collections.abc import Iterable

from hcbench import CommandSpec, hookimpl


@hookimpl
def hcbench_commands() -> Iterable[CommandSpec]:
    """Return the commands ``new`` and ``plugins``."""
    docs = "Write the files of a new plugin.", "List loaded and broken plugins."
    return [
        CommandSpec(name="new", function="hcbench_scaffold.command:new", doc=docs[0]),
        CommandSpec(name="plugins", function="hcbench_scaffold.listing:plugins", doc=docs[1]),
    ]
