"""The statements of a Newick or Nexus text: where each begins and ends, and its words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from hcbench.errors import NewickError

BLANKS = "".join(map(chr, range(33)))
UNCLOSED = {
    "(": "the text ends inside a parenthesis: add ')'",
    "[": "a comment is not closed: add ']'",
    "'": "a quoted label is not closed: add a quote (inside, double it)",
    '"': "a quoted label is not closed: add a quote (inside, double it)",
}

_CONTEXT = 20  # characters shown on either side of an error
_LINE_END = re.compile(r"\r\n|\r|\n")
_BLANK = re.compile(r"[\x00-\x20]+")
_BRACKET = re.compile(r"[\[\]]")
_STOP = re.compile(r"[;'\"\[]")
_QUOTED = {
    "'": re.compile(r"'(?:[^']++|'')*+'"),
    '"': re.compile(r'"(?:[^"]++|"")*+"'),
}
_IGNORED = frozenset(BLANKS + "[")  # begin blanks and comments
#: A quote begins a quoted label only behind one of these; inside a word it is an apostrophe.
_BEFORE_LABEL = frozenset(BLANKS + "(),:;=[]*")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the words of a format are written.

    Attributes
    ----------
    name : {"Newick", "Nexus"}
    marks : str
        Characters that are tokens of their own.
    word : pattern
        A word without quotes.
    """

    name: Literal["Newick", "Nexus"]
    marks: str
    word: re.Pattern[str]


#: Words of Newick may have blanks inside.
NEWICK = Dialect("Newick", "(),:;", re.compile(r"[^()\[,:;]+"))
#: The description of a tree in Nexus.
NEXUS_TREE = Dialect("Nexus", "(),:;=", re.compile(r"[^\x00-\x20()\[,:;=]+"))
#: Other commands of Nexus, in whose words a colon has no meaning.
NEXUS_COMMAND = Dialect("Nexus", "(),;=", re.compile(r"[^\x00-\x20()\[,;=]+"))


class Token(NamedTuple):
    """A mark, or a word; ``text`` is the word without its quotes."""

    text: str
    at: int
    is_mark: bool = False
    is_quoted: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """A text, whose errors are reported with their place."""

    text: str
    dialect: Dialect = NEWICK

    def error(self, at: int, meaning: str) -> NewickError:
        """Return an error at this character."""
        near = self.text[max(0, at - _CONTEXT) : at + _CONTEXT]
        place = f"character {at}"
        if self.dialect is not NEWICK:
            place = f"line {self.line(at)}"
        return NewickError(f"{self.dialect.name}, {place}, near {near!r}: {meaning}")

    def line(self, at: int) -> int:
        """Return the number, from 1, of the line of this character."""
        return len(_LINE_END.findall(self.text, 0, at)) + 1

    def end_of_comment(self, start: int) -> int:
        """Return the position behind the comment that begins here; comments may be nested."""
        depth = 0
        for bracket in _BRACKET.finditer(self.text, start):
            if bracket[0] == "[":
                depth += 1
            else:
                depth -= 1
            if depth == 0:
                return bracket.end()
        raise self.error(start, UNCLOSED["["])

    def end_of_quoted(self, start: int) -> int:
        """Return the position behind the quoted label that begins here."""
        quote = self.text[start]
        label = _QUOTED[quote].match(self.text, start)
        if label is None:
            raise self.error(start, UNCLOSED[quote])
        return label.end()

    def next_token(self, start: int) -> int:
        """Return the position of the next character that is no blank and in no comment."""
        at = start
        while at < len(self.text):
            if self.text[at] == "[":
                at = self.end_of_comment(at)
                continue
            blank = _BLANK.match(self.text, at)
            if blank is None:
                break
            at = blank.end()
        return at

    def end_of_statement(self, start: int) -> int:
        """Return the position of the ``;`` that ends a statement, or the end of the text."""
        at = start
        while True:
            stop = _STOP.search(self.text, at)
            if stop is None:
                return len(self.text)
            at = stop.start()
            if stop[0] == ";":
                return at
            if stop[0] == "[":
                at = self.end_of_comment(at)
            elif at == 0 or self.text[at - 1] in _BEFORE_LABEL:
                at = self.end_of_quoted(at)
            else:
                at += 1

    def tokens(self, start: int, end: int, dialect: Dialect | None = None) -> Iterator[Token]:
        """Yield the marks and words from ``start`` to ``end``."""
        text = self.text
        written = dialect or self.dialect
        at = start
        while at < end:
            first = text[at]
            if first in _IGNORED:
                at = self.next_token(at)
            elif first in written.marks:
                yield Token(first, at, is_mark=True)
                at += 1
            elif first in _QUOTED:
                behind = self.end_of_quoted(at)
                yield Token(text[at + 1 : behind - 1].replace(2 * first, first), at, is_quoted=True)
                at = behind
            else:
                word = written.word.match(text, at, end)
                assert word is not None  # any character but marks, blanks and '[' begins a word
                yield Token(word[0].rstrip(BLANKS), at)
                at = word.end()


@dataclass(frozen=True, slots=True)
class Statement:
    """The description of one tree.

    Attributes
    ----------
    source : Source
    start, end : int
        Its first character, and its ``;`` or the end of the text.
    translation : dict of str to str
        Labels of leaves by what the tree has in their place.
    name : str
        That of the tree; a tree of Newick has none.
    """

    source: Source
    start: int
    end: int
    translation: dict[str, str]
    name: str = ""


def newick_statements(text: str) -> list[Statement]:
    """The trees of a Newick text; the last ``;`` may be missing."""
    source = Source(text)
    statements = []
    at = source.next_token(0)
    while at < len(text):
        end = source.end_of_statement(at)
        if end > at:
            statements.append(Statement(source, at, end, {}))
        at = source.next_token(end + 1)
    return statements
