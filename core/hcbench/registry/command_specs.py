"""What a plugin declares for a command, and for an executor."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hcbench.errors import InvalidSpecError
from hcbench.registry.specs import load_function


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandSpec:
    """A command that a plugin adds to ``hcbench``.

    Attributes
    ----------
    name : str
        The word behind ``hcbench``: lower-case letters, digits and hyphens. Where hcbench or
        another package has a command of that name, it is typed ``DISTRIBUTION:NAME``.
    function : str
        ``"package.module:function"`` of a `click.Command`, imported when the command is called.
    doc : str
        One short sentence, for ``hcbench --help``.

    Examples
    --------
    >>> @hcbench.hookimpl
    ... def hcbench_commands():
    ...     return [CommandSpec(name="greet", function="my_plugin:greet", doc="Greet the user.")]
    >>> [command.name for command in hcbench_commands()]
    ['greet']
    """

    noun = "command"
    name: str
    function: str
    doc: str

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z][a-z0-9-]*", self.name):
            raise InvalidSpecError(
                f"no {self.noun} can be called {self.name!r}: lower-case letters, digits and - only"
            )

    def load(self) -> Callable[..., Any]:
        """The function itself, such as the click command."""
        return load_function(self.function)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutorSpec(CommandSpec):
    """An executor that a plugin offers to ``--executor``: where cells run.

    Attributes
    ----------
    name : str
        As for ``--executor``: lower-case letters, digits and hyphens; not ``local``.
    function : str
        ``"package.module:function"``, imported when a run begins. It is called with the keywords
        ``jobs`` (the most cells at a time, or None), ``scheduler`` (the address of
        ``--scheduler``, or None), ``fingerprints`` (for `check_machine` on each machine) and
        ``files`` (the contents of plugin files and of the caller's data, by their paths), and
        returns a context manager whose value is an executor; see ``core/docs/plugins.md``.
    doc : str
        One short sentence, for ``hcbench compare --help``.

    Examples
    --------
    >>> @hcbench.hookimpl
    ... def hcbench_executors():
    ...     return [ExecutorSpec(name="queue", function="my_plugin:queue", doc="Batch jobs.")]
    >>> [executor.name for executor in hcbench_executors()]
    ['queue']
    """

    noun = "executor"
