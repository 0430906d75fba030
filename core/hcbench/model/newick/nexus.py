"""Trees of a Nexus text (Maddison, Swofford & Maddison 1997).

Commands are read from the blocks TAXA (or any that has TAXLABELS) and TREES; others are skipped.
Underscores are kept, as in Newick; the names of items are matched with blanks in their place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hcbench.errors import NewickError
from hcbench.model.newick.statements import NEXUS_COMMAND, NEXUS_TREE, Source, Statement, Token

_BEGINNING = "#nexus"
_ENDS = ("end", "endblock")
_SEQUENCES = ("characters", "data", "unaligned")


def is_nexus(text: str) -> bool:
    """Whether a text is Nexus."""
    return text.lstrip()[: len(_BEGINNING)].lower() == _BEGINNING


def nexus_statements(text: str) -> list[Statement]:
    """The trees of a Nexus text, with what their labels stand for.

    Raises
    ------
    NewickError
        If a command is not written as the format demands, with its line; if there is no tree.
    """
    reader = _Reader(Source(text, NEXUS_TREE))
    reader.read(text.lower().index(_BEGINNING) + len(_BEGINNING))
    if not reader.trees:
        raise NewickError(_without_trees(reader.blocks))
    return reader.trees


def _without_trees(blocks: Sequence[str]) -> str:
    """What a Nexus text has in place of trees, and how to get one."""
    if not set(blocks) - {"taxa", "trees"}:
        return "there is no tree in the Nexus text: 'tree NAME = (...);' is missing"
    listed = ", ".join(dict.fromkeys(blocks)).upper()
    if "distances" in blocks:
        return (
            f"the Nexus text has no tree, but {listed}; distances are data: save them as .phy or "
            ".csv and write FILE[distance=true] behind --datasets"
        )
    if set(blocks) & set(_SEQUENCES):
        return (
            f"the Nexus text has no tree, but {listed}; sequences are not clustered here: write "
            "the tree that another program makes of them, or their distances (ape's dist.dna) as "
            ".csv"
        )
    return f"the Nexus text has no tree, but {listed}: 'tree NAME = (...);' is missing"


@dataclass(slots=True)
class _Reader:
    """Reads the commands in turn, and keeps what later ones need."""

    source: Source
    block: str = ""
    taxa: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    trees: list[Statement] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)

    def read(self, start: int) -> None:
        """Read all commands from a position on."""
        text = self.source.text
        at = self.source.next_token(start)
        while at < len(text):
            end = self.source.end_of_statement(at)
            self._read_command(at, end)
            at = self.source.next_token(end + 1)

    def _read_command(self, start: int, end: int) -> None:
        words = self.source.tokens(start, end, NEXUS_COMMAND)
        first = next(words, None)
        if first is None:  # nothing but a ';'
            return
        keyword = first.text.lower()
        # The text may end behind "end" without a ';', but not in the middle of a tree.
        if end == len(self.source.text) and keyword not in _ENDS:
            raise self.source.error(start, f"the ';' of the command {first.text!r} is missing")
        if keyword == "begin":
            self._begin(list(words))
        elif keyword in _ENDS:
            self.block = ""
        elif keyword == "taxlabels":
            self.taxa = _numbered([word.text for word in words])
        elif self.block == "trees" and keyword == "translate":
            # Keys count more than taxa: a key may be the number or the name of another taxon.
            self.labels = self.taxa | self._read_translation(list(words))
        elif self.block == "trees" and keyword in ("tree", "utree"):
            begins, name = self._begin_of_tree(first, end)
            self.trees.append(Statement(self.source, begins, end, self.labels, name))

    def _begin(self, words: Sequence[Token]) -> None:
        if not words:
            return
        if len(words) > 1:
            raise self.source.error(words[1].at, f"a ';' is missing behind {words[0].text!r}")
        self.block = words[0].text.lower()
        self.blocks.append(self.block)
        if self.block == "trees":
            self.labels = self.taxa  # translations of another block do not apply

    def _read_translation(self, words: Sequence[Token]) -> dict[str, str]:
        """Labels by their keys, of ``KEY LABEL, KEY LABEL, ...``."""
        translation: dict[str, str] = {}
        pair: list[Token] = []
        # None is the end of the command, which completes the last pair as a comma does.
        ends: list[Token | None] = [None]
        for word in list(words) + ends:
            if word is not None and not word.is_mark:
                pair.append(word)
                continue
            if word is not None and word.text != ",":
                raise self.source.error(word.at, "a ';' is missing behind the translations")
            if not pair and word is None:  # behind the last comma
                break
            if len(pair) > 2 and self._is_name_with_blanks(pair):
                last = pair[-1]
                end = last.at + len(last.text)
                pair = [pair[0], Token(self.source.text[pair[1].at : end], pair[1].at)]
            if len(pair) != 2:
                place = word
                if pair:
                    place = pair[0]
                assert place is not None
                raise self.source.error(
                    place.at,
                    "a translation is a key and a label: put a ',' behind it, and quotes around a "
                    "label with blanks",
                )
            key, label = pair
            if key.text in translation:
                raise self.source.error(key.at, f"{key.text!r} is translated twice; drop one")
            translation[key.text] = self.taxa.get(label.text, label.text)
            pair = []
        return translation

    def _is_name_with_blanks(self, words: Sequence[Token]) -> bool:
        """Whether the words of a translation are a key and a name without quotes, as ape writes it.

        On several lines, or with another number, a comma is missing.
        """
        start = words[0].at
        has_numbers = any(word.text.isdigit() for word in words[1:])
        is_quoted = any(word.is_quoted for word in words)
        is_one_line = "\n" not in self.source.text[start : words[-1].at]
        return is_one_line and not has_numbers and not is_quoted

    def _begin_of_tree(self, command: Token, end: int) -> tuple[int, str]:
        """The position behind the ``=`` of a command ``tree NAME = (...)``, and the name."""
        name: list[str] = []
        for token in self.source.tokens(command.at + len(command.text), end):
            if token.is_mark and token.text == "=":
                return token.at + 1, " ".join(name)
            # A '*' marks the default tree.
            if not token.is_mark and token.text != "*":
                name.append(token.text.removeprefix("*"))
            if token.is_mark:
                break
        raise self.source.error(command.at, "write 'tree NAME = (...);': the '=' is missing")


def _numbered(taxa: Sequence[str]) -> dict[str, str]:
    """What labels stand for: a taxon for its name, and for its number, from 1."""
    by_number = {str(number): taxon for number, taxon in enumerate(taxa, start=1)}
    # The name of a taxon may be a number, and then stands for no other one.
    by_name = {taxon: taxon for taxon in taxa}
    return by_number | by_name
