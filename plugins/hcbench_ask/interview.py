"""The keys that answer a query; queries on a terminal, one page each, or in lines."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
from rich.console import Console, Group, RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

from hcbench import UNSURE
from hcbench_ask.outline import visible
from hcbench_ask.pictures import address
from hcbench_ask.session import Defer, Leave, Query, Undo
from hcbench_ask.terminal import END, Size, Terminal, read_line

# Keys; the second and third are what terminals send for backspace.
_UNDO = ("z", "\x7f", "\x08")
_LEAVE = ("q", END)
_FRAME = 11  # lines of a page that are not items


class Interview:
    """Asks queries, and returns the answers.

    Parameters
    ----------
    read : callable
        Shows a `Query` and a message, which is "" at first, and returns a key.
    """

    def __init__(self, read: Callable[[Query, str], str]) -> None:
        self._read = read

    def __call__(self, query: Query) -> int:
        """Ask one query, and return the answer.

        Raises
        ------
        Undo, Defer, Leave
            If the person chooses to.
        """
        choices = query.kind.offered(neither=query.takes_neither)
        answers = {choice.key: choice.code for choice in choices}
        if query.may_be_unsure:
            answers["u"] = UNSURE
        message = ""  # about the key before
        while True:
            key = self._read(query, message)
            if key.lower() in answers:
                return answers[key.lower()]
            if key.lower() in _LEAVE:
                raise Leave
            if key.lower() == "d":
                raise Defer
            if key.lower() in _UNDO:
                if query.may_undo:
                    raise Undo
                message = "There is no answer to take back."
            elif key == "?":
                message = "\n".join(help_lines(query))
            else:
                keys = list(answers) + ["d", "z", "q", "?"]
                message = _invalid_key_text(key, keys)


class Pages:
    """Shows queries on a terminal, and reads keys.

    Parameters
    ----------
    folder : Path
        Folder to which the paths of pictures are relative.
    title : str
        Shown above each query.
    terminal : Terminal, optional
        None: queries go to stderr, answers come from stdin, one per line.
    open_pictures : bool
        Whether to show the pictures in the system's viewer.
    """

    def __init__(
        self, folder: Path, title: str, terminal: Terminal | None, *, open_pictures: bool = False
    ) -> None:
        self._folder = folder
        self._title = visible(title)
        self._terminal = terminal
        self._opens = open_pictures

    def read(self, query: Query, message: str) -> str:
        """Show a query and a message, and return the key that is pressed."""
        # Once: a message means that the query is shown again.
        if not message and self._opens:
            for text in query.items:
                if picture := address(text, self._folder):
                    _open(picture)
        if self._terminal is not None:
            # Keys that were pressed before a query was shown are no answers to it.
            if not message:
                self._terminal.forget()
            return self._terminal.read(lambda size: self._page(query, message, size))
        click.echo(_format_plain(query, message), err=True)
        return read_line()

    def _page(self, query: Query, message: str, size: Size) -> str:
        columns, lines = size  # of the terminal
        console = Console(stderr=True, width=columns, highlight=False, markup=False, emoji=False)
        # The lines that an item may take.
        room = max((lines - _FRAME - message.count("\n")) // len(query.items), 1)
        # On a small terminal there are no blank lines.
        has_blanks = lines > _FRAME + len(query.items)
        parts = []
        for part in self._render(query, message, console, room):
            if part or has_blanks:
                parts.append(part)
        page: RenderableType = Group(*parts)
        if "\n" in message and len(console.render_lines(page, pad=False)) > lines:
            page = Text(message, end="")  # only the help, if it does not fit below the query
        with console.capture() as capture:
            console.print(page, end="")
        return capture.get()

    def _render(
        self, query: Query, message: str, console: Console, room: int
    ) -> Iterator[RenderableType]:
        yield Text(self._title, style="dim", no_wrap=True, overflow="ellipsis")
        yield Text(progress(query), style="dim")
        yield Text()
        yield Text(query.kind.text, style="bold")
        if earlier := earlier_text(query):
            yield Text(earlier)
        yield Text()
        for key, text in items_with_keys(query):
            yield _row(key, self._format_item(text, console, room))
        yield Text()
        for key, words in _keys_without_item(query):
            yield _row(key, Text(words))
        if message:
            yield Text()
            yield Text(message, style="yellow", end="")

    def _format_item(self, text: str, console: Console, room: int) -> Text:
        """An item in the available lines; a picture as a link."""
        style: str | Style = "bold"
        picture = address(text, self._folder)
        if picture:
            style = Style(link=visible(picture))
        # The key and its margin take 6 columns.
        width = max(console.width - 6, 10)
        lines = list(Text(visible(text), style=style).wrap(console, width, overflow="fold"))
        if len(lines) > room:
            lines = lines[:room]
            lines[-1] = lines[-1] + Text(" …")
        return Text("\n").join(lines)


def _format_plain(query: Query, message: str) -> str:
    lines = []
    if message:
        lines.append(message)
    lines.append(progress(query))
    lines.append(f"{query.kind.text} {earlier_text(query)}".rstrip())
    for key, text in items_with_keys(query):
        lines.append(f"  {key:1}  {visible(text)}")
    for key, words in _keys_without_item(query):
        lines.append(f"  {key:1}  {words}")
    return "\n".join(lines)


def progress(query: Query) -> str:
    """The number of the query, and of the remaining ones."""
    number = f"Question {query.answered + 1}"
    if query.remaining is None:
        return number
    remaining, is_bound = query.remaining
    how = "about"
    if is_bound:
        how = "at most"
    return f"{number} · {how} {remaining} question{'s' * (remaining != 1)} left, with this one"


def help_lines(query: Query) -> Iterator[str]:
    """The help text."""
    yield "One key is one answer. It is stored at once, so that nothing is lost."
    if query.kind.name == "ordinal-queries":
        yield "The odd one out is the one that is not in the closest pair of the three."
    if query.may_be_unsure:
        yield "u: the question is asked again, in another order, until it is answered."
    yield "d: defers the question; it comes back after a few others, if there are any."
    yield "z, or backspace: takes back the last answer and asks again, as often as you like."
    yield "q: quits; the same command resumes the session."


def earlier_text(query: Query) -> str:
    """What the person did with this query before; "" if it is new."""
    if not query.unsure and query.deferred:
        return "You deferred this question."
    if not query.unsure:
        return ""
    if query.may_be_unsure:
        return "You were unsure."
    return f"You were unsure {query.unsure} times: the session needs an answer."


def items_with_keys(query: Query) -> Iterator[tuple[str, str]]:
    """The items, each with its key; "" if it has none of its own."""
    keys = [choice.key for choice in query.kind.choices if not choice.text]
    if not keys:
        keys = [""] * len(query.items)
    elif query.kind.symmetry == "quadruplet":
        # The first item of each pair has the key of the pair.
        keys = [keys[0], "", keys[1], ""]
    for at, text in enumerate(query.items):
        yield keys[at], text


def _keys_without_item(query: Query) -> Iterator[tuple[str, str]]:
    for choice in query.kind.offered(neither=query.takes_neither):
        if choice.text:
            yield choice.key, choice.text
    actions = "d defer · z undo · q quit · ? help"
    if query.may_be_unsure:
        yield "u", f"unsure · {actions}"
    else:
        yield "", actions


def _open(picture: str) -> None:
    """Show a picture in the system's viewer, if there is one, without what that prints."""
    viewer = "xdg-open"
    if sys.platform == "darwin":
        viewer = "open"
    command = shutil.which(viewer)
    if command is not None:  # the shell does not wait for the viewer
        script = '"$0" "$1" </dev/null >/dev/null 2>&1 &'
        subprocess.run(["/bin/sh", "-c", script, command, picture], check=False)


def _row(key: str, words: Text) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(width=3, justify="right", style="bold cyan", no_wrap=True)
    table.add_column()
    table.add_row(key, words)
    return table


def _invalid_key_text(key: str, keys: list[str]) -> str:
    pressed = "This key"
    if key.isprintable() and key.strip():
        pressed = repr(key)
    return f"{pressed} is not an answer here: press {', '.join(keys[:-1])} or {keys[-1]}."
