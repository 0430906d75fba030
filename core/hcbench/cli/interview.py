"""Questions on a terminal, one page each, or in lines; and the keys that answer them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from hcbench.asking.session import Leave, Put, Undo
from hcbench.cli.keys import END, Terminal, read_line
from hcbench.cli.outline import visible
from hcbench.oracle import UNSURE

if TYPE_CHECKING:
    from hcbench.asking.items import Items

_UNDO = ("z", "\x7f", "\x08")
_LEAVE = ("q", END)
_FRAME = 11  # lines of a page that are not items
_CLEAR = "\x1b[H\x1b[2J"


class Interview:
    """Puts questions, and returns what is answered.

    Parameters
    ----------
    items : Items
    title : str
        Above each question.
    terminal : Terminal, optional
        None: questions go to stderr, answers come from stdin, a line each.
    open_pictures : bool
        Whether the system's viewer shows the pictures.
    """

    def __init__(
        self, items: Items, title: str, terminal: Terminal | None, *, open_pictures: bool = False
    ) -> None:
        self._items = items
        self._title = title
        self._terminal = terminal
        self._opens = open_pictures

    def __call__(self, put: Put) -> int:
        """The answer to one question.

        Raises
        ------
        Undo, Leave
            If that is what was wanted.
        """
        if self._opens:
            self._open(put)
        if self._terminal is not None:
            self._terminal.forget()
        answers = {c.key: c.code for c in put.kind.offered(neither=put.takes_neither)}
        if put.may_be_unsure:
            answers["u"] = UNSURE
        message = ""
        while True:
            key = self._key(put, message)
            message = ""
            if key.lower() in answers:
                return answers[key.lower()]
            if key.lower() in _LEAVE:
                raise Leave
            if key.lower() in _UNDO:
                if put.may_undo:
                    raise Undo
                message = "There is no answer to take back."
            elif key == "?":
                message = "\n".join(help_lines(put))
            else:
                message = _no_answer(key, [*answers, "z", "q", "?"])

    def _key(self, put: Put, message: str) -> str:
        if self._terminal is None:
            click.echo(self._in_lines(put, message), err=True)
            return read_line()
        terminal = self._terminal

        def draw() -> None:
            columns, lines = terminal.size
            console = Console(
                stderr=True, width=columns, highlight=False, markup=False, emoji=False
            )
            terminal.write(_CLEAR)
            room = max((lines - _FRAME - message.count("\n")) // len(put.items), 1)
            page = self._page(put, message, console, room)
            blanks = lines > _FRAME + len(put.items)
            shown: RenderableType = Group(*(part for part in page if part or blanks))
            if "\n" in message and len(console.render_lines(shown, pad=False)) > lines:
                shown = Text(message, end="")  # help that does not fit below the question
            console.print(shown, end="")

        return terminal.read(draw)

    def _open(self, put: Put) -> None:
        for text in put.items:
            address = self._items.address(text)
            if address:
                click.launch(address)

    def _page(
        self, put: Put, message: str, console: Console, room: int
    ) -> Iterator[RenderableType]:
        yield Text(self._title, style="dim", no_wrap=True, overflow="ellipsis")
        yield Text(progress(put), style="dim")
        yield Text()
        yield Text(put.kind.text, style="bold")
        if put.unsure:
            yield Text(_again(put))
        yield Text()
        for key, text in _numbered(put):
            yield _row(key, self._shown(text, console, room))
        yield Text()
        for key, words in _other_keys(put):
            yield _row(key, Text(words))
        if message:
            yield Text()
            yield Text(message, style="yellow", end="")

    def _shown(self, text: str, console: Console, room: int) -> Text:
        """An item in as many lines as there is room for; a picture as a link."""
        address = self._items.address(text)
        shown = Text(visible(text), style=f"link {address}" if address else "bold")
        lines = shown.wrap(console, max(console.width - 6, 10), overflow="fold")
        if len(lines) > room:
            return Text("\n").join([*lines[: room - 1], lines[room - 1] + Text(" …")])
        return Text("\n").join(lines)

    def _in_lines(self, put: Put, message: str) -> str:
        said = [message] if message else []
        said += [progress(put), put.kind.text + (f" {_again(put)}" if put.unsure else "")]
        said += [f"  {key:1}  {visible(text)}" for key, text in _numbered(put)]
        said += [f"  {key:1}  {words}" for key, words in _other_keys(put)]
        return "\n".join(said)


def progress(put: Put) -> str:
    """How far it has come."""
    said = f"Question {put.answered + 1}"
    if put.estimate is None:
        return said
    how = "at most" if put.estimate.is_bound else "about"
    left = f"{put.estimate.number} question{'s' * (put.estimate.number != 1)}"
    return f"{said} · {how} {left} left, with this one"


def help_lines(put: Put) -> Iterator[str]:
    """What ``?`` tells."""
    yield "One key is one answer. It is kept at once: whatever happens, nothing is lost."
    if put.kind.kind == "ordinal-queries":
        yield "The odd one out is that which is not of the closest pair of the three."
    if put.may_be_unsure:
        yield "u: the question comes again, in another order; it has to be answered some time."
    yield "z, or backspace: takes the last answer back, and asks it again; as often as you like."
    yield "q: leaves; the same command goes on where you left."


def _again(put: Put) -> str:
    if put.may_be_unsure:
        return "You were unsure."
    return f"You were unsure {put.unsure} times: without an answer it does not go on."


def _numbered(put: Put) -> Iterator[tuple[str, str]]:
    """The items, each beside its key; "" where it has none of its own."""
    keys = [choice.key for choice in put.kind.choices if not choice.words]
    if put.kind.pairs:
        keys = [keys[0], "", keys[1], ""]
    for at, text in enumerate(put.items):
        yield keys[at] if keys else "", text


def _other_keys(put: Put) -> Iterator[tuple[str, str]]:
    for choice in put.kind.offered(neither=put.takes_neither):
        if choice.words:
            yield choice.key, choice.words
    rest = "z undo · q quit · ? help"
    yield ("u", f"unsure · {rest}") if put.may_be_unsure else ("", rest)


def _row(key: str, words: Text) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(width=3, justify="right", style="bold cyan", no_wrap=True)
    table.add_column()
    table.add_row(key, words)
    return table


def _no_answer(key: str, keys: list[str]) -> str:
    pressed = repr(key) if key.isprintable() and key.strip() else "This key"
    return f"{pressed} is no answer here: press {', '.join(keys[:-1])} or {keys[-1]}."
