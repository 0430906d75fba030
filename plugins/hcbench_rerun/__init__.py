"""The command ``hcbench rerun``: one stored cell again, to examine a failure."""

from __future__ import annotations

from collections.abc import Iterable

from hcbench import CommandSpec, hookimpl


@hookimpl
def hcbench_commands() -> Iterable[CommandSpec]:
    """Return the command ``rerun``."""
    doc = "Run one stored cell again, and compare it with what is stored."
    return [CommandSpec(name="rerun", function="hcbench_rerun.command:rerun", doc=doc)]
