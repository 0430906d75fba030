"""The command line: parse, call, display.

Each command is a module that is imported when needed, so that ``hcbench --help`` is quick. Data go
to stdout, everything else to stderr.
"""

from __future__ import annotations

import errno
import importlib
import logging
import os
import re
import shlex
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from gc import set_threshold
from threading import current_thread, main_thread
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from hcbench.cli.loading import IS_PROGRAM, store_kernels, warn_of_broken
from hcbench.cli.terminal import stdout_for_data, tell, tell_warnings
from hcbench.errors import ExitCode, HcbenchError, PluginError, UnknownNameError, hide_passwords

if TYPE_CHECKING:
    from hcbench.registry.catalogue import Catalogue
    from hcbench.registry.command_specs import CommandSpec
    from hcbench.registry.plugins import Plugins

#: Threshold of the garbage collector: a plan has very many objects that live long.
GARBAGE = 200_000

#: Commands that compile nothing, so that they need not find out where kernels are stored.
WITHOUT_KERNELS = frozenset({"list", "info", "cite", "completion", "plugins", "example", "new"})

#: hcbench's own, in the order of ``--help``: what newcomers need first.
COMMANDS = {
    "compare": "hcbench.cli.compare:compare",
    "run": "hcbench.cli.compare:run",
    "list": "hcbench.cli.listing:list_",
    "info": "hcbench.cli.info:info",
    "results": "hcbench.cli.results:results",
    "report": "hcbench.cli.report:report",
    "site": "hcbench.cli.site:site",
    "plot": "hcbench.cli.plot:plot",
    "tree": "hcbench.cli.tree:tree",
    "clusters": "hcbench.cli.clusters:clusters",
    "score": "hcbench.cli.score:score",
    "consensus": "hcbench.cli.consensus:consensus",
    "rerun": "hcbench.cli.rerun:rerun",
    "verify": "hcbench.cli.verify:verify",
    "cite": "hcbench.cli.cite:cite",
    "check": "hcbench.cli.check:check",
    "new": "hcbench.cli.new:new",
    "plugins": "hcbench.cli.plugins:plugins",
    "completion": "hcbench.cli.completion:completion",
}


class CommandLine(click.Group):
    """All commands, each imported when needed, and how errors are shown."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of `COMMANDS`, then those of plugins.

        Where hcbench or another package has the same name, a plugin's has its full name.
        """
        _, plugin_commands = _plugin_commands(ctx)
        counts = Counter(list(COMMANDS))
        for entry in plugin_commands.entries:
            counts[entry.spec.name] += 1
        names = list(COMMANDS)
        for entry in plugin_commands.entries:
            if counts[entry.spec.name] == 1:
                names.append(entry.spec.name)
            else:
                names.append(entry.full_name)
        return names

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command of `COMMANDS`, or describe one of a plugin without importing it.

        Raises
        ------
        AmbiguousNameError
            If two packages add a command of this name.
        """
        if cmd_name in COMMANDS:
            module, _, name = COMMANDS[cmd_name].partition(":")
            command: click.Command = getattr(importlib.import_module(module), name)
            return command
        _, plugin_commands = _plugin_commands(ctx)
        try:
            entry = plugin_commands.find(cmd_name)
        except UnknownNameError:
            # click tells the user that there is no such command.
            return None
        # Enough for ``--help``, which must not import all plugins; `resolve_command` imports it.
        return click.Command(cmd_name, short_help=entry.spec.doc)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find and import the command of an argument."""
        name, command, rest = super().resolve_command(ctx, args)
        # Before the command is imported, as it may import numba.
        if name not in WITHOUT_KERNELS and not ctx.resilient_parsing:
            store_kernels(ctx)
        if name is not None and name not in COMMANDS:
            plugins, commands = _plugin_commands(ctx)
            if not ctx.resilient_parsing:  # which completion does
                warn_of_broken(plugins)
            entry = commands.find(name)
            with stdout_for_data():
                loaded = entry.spec.load()
            if not isinstance(loaded, click.Command):
                raise PluginError(f"{entry.plugin.name}: {entry.spec.function} is no click command")
            command = loaded
        return name, command, rest

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        *,
        is_program: bool = False,
        **extra: Any,
    ) -> click.Context:
        """Note whether this process is the program's, or that of a caller."""
        context = super().make_context(info_name, args, parent, **extra)
        context.meta[IS_PROGRAM] = is_program
        return context

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; a closed pipe is no failure, unlike in click."""
        try:
            return super().invoke(ctx)
        # Such as ``hcbench list | head``: click would exit with code 1.
        except BrokenPipeError:
            raise click.exceptions.Exit(ExitCode.OK) from None

    def main(self, args: Sequence[str] | None = None, *_: Any, **settings: Any) -> Any:
        """Run a command and exit with its code; errors are shown in one line."""
        # Without arguments it was started as a program, whose process may be prepared for it.
        # With them it is called by a test or another program, whose process stays as it is.
        is_program = args is None
        if args is None:
            _prepare_program()
            arguments = sys.argv[1:]
        else:
            arguments = list(args)
        # The command as the store notes it, and as others may read it.
        words = ["hcbench"]
        for argument in arguments:
            words.append(hide_passwords(argument))
        settings["obj"] = shlex.join(words)
        settings["prog_name"] = "hcbench"
        settings["is_program"] = is_program
        # click raises errors instead of showing them.
        settings["standalone_mode"] = False

        received_signals: list[int] = []
        with _interrupted_by_signals(received_signals):
            try:
                with tell_warnings():
                    code = super().main(arguments, **settings)
                sys.stdout.flush()
            except BaseException as error:
                code = _tell_error(error)
                if received_signals:
                    # The exit code of a shell for a process that a signal has ended.
                    code = 128 + received_signals[0]
        # `ExitCode` is an integer as well.
        if not isinstance(code, int):
            # Most commands return nothing.
            code = ExitCode.OK
        sys.exit(code)


def _prepare_program() -> None:
    # All of this acts on the whole process, so that it is done for the program only.
    set_threshold(GARBAGE)
    # SQLAlchemy logs the traceback of an interruption that arrives while it undoes something.
    logging.getLogger("sqlalchemy").addHandler(logging.NullHandler())
    _replace_closed_streams()
    # A terminal may not have all characters of a table; escapes are better than a traceback.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _replace_closed_streams() -> None:
    """Have standard streams that the caller has closed, as by ``>&-``, lead nowhere.

    Otherwise the next files that are opened, such as the store, would have their numbers, and what
    another process prints would be written there.
    """
    for descriptor, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(descriptor)
        except OSError:
            # The lowest number that is free is this one.
            os.open(os.devnull, os.O_RDWR)
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(descriptor, mode, closefd=False))


def _plugin_commands(ctx: click.Context) -> tuple[Plugins, Catalogue[CommandSpec]]:
    """The plugins, and the commands that they add; loaded once for a command line."""
    if "hcbench.commands" not in ctx.meta:
        from hcbench.registry import find_commands
        from hcbench.registry.plugins import Plugins

        with stdout_for_data():
            plugins = Plugins()
            ctx.meta["hcbench.commands"] = plugins, find_commands(plugins)
    plugins_and_commands: tuple[Plugins, Catalogue[CommandSpec]] = ctx.meta["hcbench.commands"]
    return plugins_and_commands


@contextmanager
def _interrupted_by_signals(received: list[int]) -> Iterator[None]:
    """Raise KeyboardInterrupt at SIGTERM or SIGHUP, as Ctrl-C does, and ignore further ones.

    Closing terminals and batch systems may send several, and cleaning up must finish. A signal that
    is ignored, as with ``nohup``, stays ignored. The number of the signal is added to ``received``.
    """
    handled_signals = []
    # Only the main thread may handle signals.
    if current_thread() is main_thread():
        for number in signal.Signals:
            # By name, as Windows has no SIGHUP.
            is_ending = number.name in ("SIGTERM", "SIGHUP")
            if is_ending and signal.getsignal(number) == signal.SIG_DFL:
                handled_signals.append(number)

    def interrupt(number: int, _frame: FrameType | None) -> None:
        # Further signals would interrupt the cleaning up.
        for handled_signal in handled_signals:
            signal.signal(handled_signal, signal.SIG_IGN)
        received.append(number)
        raise KeyboardInterrupt

    for number in handled_signals:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number in handled_signals:
            signal.signal(number, signal.SIG_DFL)


def _tell_error(error: BaseException) -> int:
    """Write an error in one line to stderr, and return its exit code."""
    if isinstance(error, SystemExit):
        if isinstance(error.code, int):
            return error.code
        # As Python does: a text, or anything else but None, is a failure.
        return int(error.code is not None)
    if isinstance(error, OSError) and error.errno == errno.EPIPE:
        # The reader has closed the pipe: discard what is still buffered.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.OK
    # A group without a command: its message is the help, and no line about a mistake.
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message())
        return ExitCode.USAGE
    if os.environ.get("HCBENCH_DEBUG"):
        click.echo("".join(traceback.format_exception(error)), err=True, nl=False)
    message, code = _explain(error)
    with suppress(OSError):  # the terminal may have been closed
        tell(message)
    return code


def _explain(error: BaseException) -> tuple[str, int]:
    """The line about an error, and its exit code."""
    # From the expected ends to mistakes of the user, of the machine, and our own.
    if isinstance(error, click.Abort | KeyboardInterrupt):
        return str(error) or "interrupted", ExitCode.INTERRUPTED
    if isinstance(error, HcbenchError):
        return f"error: {error}", error.exit_code
    if isinstance(error, click.UsageError):
        context = error.ctx or click.Context(main, info_name="hcbench")
        if isinstance(error, click.NoSuchOption) and error.option_name == "--run":
            # Other options are spelt alike, and none of them is meant.
            error = click.NoSuchOption(error.option_name, ctx=error.ctx)
        text = error.format_message().strip().rstrip(".") + _hint(error, context)
        return f"error: {text} (see {context.command_path} --help)", ExitCode.USAGE
    if isinstance(error, click.ClickException):
        return f"error: {error.format_message()}", ExitCode.USAGE
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"error: the output cannot be written: {error.strerror}", ExitCode.USAGE
    text = f"{type(error).__name__}: {error}".strip()
    message = f"error: {text}; this is a defect; run with HCBENCH_DEBUG=1 for the traceback"
    return message, ExitCode.CELLS_FAILED


def _hint(error: click.UsageError, context: click.Context) -> str:
    """What to do about a mistake, where click does not say it."""
    command = context.command
    if isinstance(error, click.NoSuchOption):
        return _hint_on_option(error, context)
    text = error.format_message()
    unknown_command = re.fullmatch(r"No such command '(.*)'\.?", text)
    if unknown_command and isinstance(command, click.Group):
        return _hint_on_command(unknown_command[1], command.list_commands(context))
    spellings: set[str] = set()
    for param in command.params:
        spellings.update(param.opts)
    # Names after a blank, as in --algos A, B, are arguments that the command does not have.
    if "unexpected extra" in text and "--algos" in spellings:
        return "; write names after --algos and --datasets, with commas but no spaces between"
    # Such as '10,000'.
    if re.search(r"'\d+(,\d{3})+' is not", text):
        return "; write numbers without commas"
    return ""


def _hint_on_option(error: click.NoSuchOption, context: click.Context) -> str:
    if context.parent is None:
        return "; options are written after the command"
    if error.option_name == "--run":
        parameters = {param.name for param in context.command.params}
        if "run" in parameters:
            return f"; the run is named without an option: {context.command_path} RUN"
    if error.option_name in ("-o", "--output"):
        return "; tables go to stdout: --format csv > FILE"
    return ""


def _hint_on_command(name: str, command_names: Sequence[str]) -> str:
    from hcbench.model.text import suggestion

    # A number behind "results" is that of a run.
    if "show" in command_names and name.isdigit():
        return f"; hcbench results show {name} shows that run"
    hint = suggestion(name, command_names) or f"there are {', '.join(command_names)}"
    return f"; {hint}"


@click.command(
    cls=CommandLine,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
        "show_default": True,
    },
    epilog="See hcbench COMMAND --help. Start with: hcbench compare",
)
@click.version_option(package_name="hcbench", message="%(prog)s %(version)s")
def main() -> None:
    """Compare algorithms for hierarchical clustering.

    Which algorithm builds the better hierarchy, from how many queries, in what time and memory.
    """
