"""Declares the command."""

from collections.abc import Iterable

from hcbench import CommandSpec, hookimpl


@hookimpl
def hcbench_commands() -> Iterable[CommandSpec]:
    """Commands of hcbench, each imported when it is called."""
    return [
        CommandSpec(
            name="EXAMPLE-COMMAND",
            function="example_plugin.command:command",
            doc="Print the size and the depth of a tree.",
        )
    ]
