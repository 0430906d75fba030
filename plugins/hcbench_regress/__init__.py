"""The command ``hcbench regress``: what became worse from one commit to another.

`command` parses its options. `commits` finds and installs the commits, `measuring` measures them in
turns, `records` reads and writes the results of asv, `verdicts` judges them, and `tables` shows the
verdicts.
"""

from __future__ import annotations

from collections.abc import Iterable

from hcbench import CommandSpec, hookimpl


@hookimpl
def hcbench_commands() -> Iterable[CommandSpec]:
    """Return the command ``regress``."""
    doc = "Show what became worse between two commits."
    return [CommandSpec(name="regress", function="hcbench_regress.command:regress", doc=doc)]
