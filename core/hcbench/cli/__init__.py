"""The command line: parse, call, display.

Each command is a module that is imported when needed, so that ``hcbench --help`` is quick. Data go
to stdout, everything else to stderr.
"""

from __future__ import annotations

import errno
import importlib
import os
import shlex
import signal
import sys
import threading
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from gc import set_threshold
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from hcbench.cli.options import warn_of_broken
from hcbench.cli.terminal import printable, stdout_for_data
from hcbench.errors import ExitCode, HcbenchError, PluginError, UnknownNameError, hide_passwords

if TYPE_CHECKING:
    from hcbench.registry import Catalogue, Entry
    from hcbench.registry.plugins import Plugins
    from hcbench.registry.specs import CommandSpec

#: Threshold of the garbage collector: a plan has very many objects that live long.
GARBAGE = 200_000

#: hcbench's own, in the order of ``--help``: what newcomers need first.
COMMANDS = {
    "compare": "hcbench.cli.compare:compare",
    "run": "hcbench.cli.compare:run",
    "score": "hcbench.cli.score:score",
    "list": "hcbench.cli.show:list_",
    "info": "hcbench.cli.show:info",
    "cite": "hcbench.cli.show:cite",
    "results": "hcbench.cli.results:results",
    "plot": "hcbench.cli.plot:plot",
    "report": "hcbench.cli.report:report",
    "site": "hcbench.cli.report:site",
    "rerun": "hcbench.cli.rerun:rerun",
    "regress": "hcbench.cli.regress:regress",
    "plugins": "hcbench.cli.show:plugins",
    "check": "hcbench.cli.check:check",
    "new": "hcbench.cli.new:new",
    "completion": "hcbench.cli.completion:completion",
}


class PluginCommand(click.Command):
    """A command that a plugin adds. Its module is imported when it is called, not to list it."""

    def __init__(self, name: str, entry: Entry[CommandSpec], plugins: Plugins) -> None:
        super().__init__(name, short_help=entry.spec.doc)
        self.entry = entry
        self.plugins = plugins

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Import the command, and parse its arguments: click then goes on with it alone."""
        if not extra.get("resilient_parsing"):  # which completion does
            warn_of_broken(self.plugins)
        with stdout_for_data():
            command = self.entry.spec.load()
        if not isinstance(command, click.Command):
            raise PluginError(
                f"{self.entry.plugin.name}: {self.entry.spec.function} is no click command"
            )
        return command.make_context(info_name, args, parent, **extra)


class CommandLine(click.Group):
    """All commands, each imported when needed, and how errors are shown."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of `COMMANDS`, then those of plugins.

        Where hcbench or another package has the same name, a plugin's has its full name.
        """
        entries = _plugin_commands(ctx)[1].entries
        used = Counter([*COMMANDS, *(entry.spec.name for entry in entries)])
        return [
            *COMMANDS,
            *(e.spec.name if used[e.spec.name] == 1 else e.full_name for e in entries),
        ]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command of `COMMANDS`, or find one of a plugin.

        Raises
        ------
        AmbiguousNameError
            If two packages add a command of this name.
        """
        if cmd_name in COMMANDS:
            module, _, name = COMMANDS[cmd_name].partition(":")
            command: click.Command = getattr(importlib.import_module(module), name)
            return command
        plugins, commands = _plugin_commands(ctx)
        with suppress(UnknownNameError):
            return PluginCommand(cmd_name, commands.find(cmd_name), plugins)
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of an argument, or suggest a similar one."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            names = self.list_commands(ctx)
            close = get_close_matches(args[0], names, 1)
            hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(names)}"
            raise click.UsageError(f"no command is called {args[0]!r}; {hint}", ctx) from error

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; a closed pipe is no failure, unlike in click."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise click.exceptions.Exit(ExitCode.OK) from None

    def main(self, args: Sequence[str] | None = None, *_: Any, **settings: Any) -> Any:
        """Run a command and exit with its code; errors are shown in one line."""
        arguments = sys.argv[1:] if args is None else list(args)
        set_threshold(GARBAGE)
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")
        command = shlex.join(["hcbench", *map(hide_passwords, arguments)])
        wanted = {"standalone_mode": False, "obj": command, "prog_name": "hcbench"}
        with interrupted_by_signals() as received:
            try:
                code = super().main(arguments, **{**settings, **wanted})
                sys.stdout.flush()
            except BaseException as error:
                code = tell_error(error)
                if received.number:
                    code = 128 + received.number
        sys.exit(code if isinstance(code, int) else 0)


def _plugin_commands(ctx: click.Context) -> tuple[Plugins, Catalogue[CommandSpec]]:
    """The plugins, and the commands that they add; loaded once for a command line."""
    if "hcbench.commands" not in ctx.meta:
        from hcbench.registry import find_commands
        from hcbench.registry.plugins import Plugins

        with stdout_for_data():
            plugins = Plugins(())
            ctx.meta["hcbench.commands"] = plugins, find_commands(plugins)
    found: tuple[Plugins, Catalogue[CommandSpec]] = ctx.meta["hcbench.commands"]
    return found


def tell_error(error: BaseException) -> int:
    """Write an error in one line to stderr, and return its exit code."""
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    if isinstance(error, OSError) and error.errno == errno.EPIPE:
        # The reader has closed the pipe: discard what is still buffered.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.OK
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message())
        return ExitCode.USAGE
    if os.environ.get("HCBENCH_DEBUG"):
        click.echo("".join(traceback.format_exception(error)), err=True, nl=False)
    message, code = _explain(error)
    with suppress(OSError):  # the terminal may have been closed
        click.echo(f"hcbench: {printable(message)}", err=True)
    return code


def _explain(error: BaseException) -> tuple[str, int]:
    if isinstance(error, click.Abort | KeyboardInterrupt):
        return str(error) or "interrupted", ExitCode.INTERRUPTED
    if isinstance(error, HcbenchError):
        return f"error: {_one_line(str(error))}", error.exit_code
    if isinstance(error, click.UsageError):
        command = error.ctx.command_path if error.ctx else "hcbench"
        text = _one_line(error.format_message()).rstrip(".")
        return f"error: {text} (see {command} --help)", ExitCode.USAGE
    if isinstance(error, click.ClickException):
        return f"error: {_one_line(error.format_message())}", ExitCode.USAGE
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"error: the output cannot be written: {error.strerror}", ExitCode.USAGE
    what = _one_line(f"{type(error).__name__}: {error}")
    return f"error: {what}; this is a defect; run with HCBENCH_DEBUG=1 for the traceback", 1


def _one_line(text: str) -> str:
    return " ".join(text.split())


@click.command(
    cls=CommandLine,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="See hcbench COMMAND --help. Start with: hcbench compare",
)
@click.version_option(package_name="hcbench", message="%(prog)s %(version)s")
def main() -> None:
    """Compare algorithms for hierarchical clustering.

    Which algorithm builds the better hierarchy, from how many queries, in what time and memory.
    """


#: Windows has no SIGHUP.
_ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@dataclass(slots=True)
class Received:
    """The signal that ended the command; 0 if none did."""

    number: int = 0


@contextmanager
def interrupted_by_signals() -> Iterator[Received]:
    """Raise KeyboardInterrupt at the first of the signals, and ignore the following ones.

    Closing terminals and batch systems may send several, and cleaning up must finish. A signal that
    is ignored, as with ``nohup``, stays ignored.
    """
    received = Received()

    def interrupt(number: int, _frame: FrameType | None) -> None:
        for each in before:
            signal.signal(each, signal.SIG_IGN)
        received.number = number
        raise KeyboardInterrupt

    before = {}
    if threading.current_thread() is threading.main_thread():
        before = {n: signal.getsignal(n) for n in _ENDING if signal.getsignal(n) == signal.SIG_DFL}
    for number in before:
        signal.signal(number, interrupt)
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
