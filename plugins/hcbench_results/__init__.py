"""The command ``hcbench results``: past runs, what changed between them, and stores as files.

`command` has its subcommands, `differences` compares two runs, `stability` the repetitions of one,
and `exports` writes runs as JSON and Parquet and reads these.
"""

from __future__ import annotations

from collections.abc import Iterable

import lazy_loader

from hcbench import CommandSpec, hookimpl

# Without its __dir__, which would hide the hook.
__getattr__, _, __all__ = lazy_loader.attach_stub(__name__, __file__)


@hookimpl
def hcbench_commands() -> Iterable[CommandSpec]:
    """Return the command ``results``."""
    doc = "Show past runs; without a command, list them."
    return [CommandSpec(name="results", function="hcbench_results.command:results", doc=doc)]
