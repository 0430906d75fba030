"""Text that may come from anywhere, made safe to display and for names of files."""

from __future__ import annotations

import difflib
import hashlib
import re
import shlex
import unicodedata
from collections.abc import Iterable

#: Ranges of control characters, and of those that change the writing direction.
_UNPRINTABLE_RANGES = (
    range(32),
    range(127, 160),
    range(0x202A, 0x202F),
    range(0x2066, 0x206A),
)


def _written_out() -> dict[int, str]:
    """What `printable` writes for each unprintable character, by its code."""
    texts = {}
    for codes in _UNPRINTABLE_RANGES:
        for code in codes:
            if chr(code) in "\n\t":
                # These stay.
                continue
            if code < 256:
                texts[code] = f"\\x{code:02x}"
            else:
                texts[code] = f"\\u{code:04x}"
    return texts


_WRITTEN_OUT = _written_out()

#: The least similarity of a name that is suggested, from 0 to 1, and what makes no difference.
_LEAST_SIMILARITY = 0.65
_SAME_SIMILARITY = 0.05


def printable(text: str) -> str:
    r"""Text in which control characters are written out, such as ``\x1b`` for an escape.

    A terminal would obey them, and in SVG they are not allowed. Names, labels and messages may
    contain them, since files, stores and plugins come from anywhere. Newlines and tabs stay.

    Examples
    --------
    >>> print(printable("a \x1b[31mred\x1b[0m name"))
    a \x1b[31mred\x1b[0m name
    """
    return text.translate(_WRITTEN_OUT)


def suggestion(name: str, names: Iterable[str]) -> str:
    """``did you mean X?`` with the names that are spelt like a name; "" if none is.

    Case, blanks, hyphens and underscores do not matter.

    Parameters
    ----------
    name : str
        What the user has written.
    names : iterable of str
        What there is.

    Examples
    --------
    >>> suggestion("completelinkage", ["complete-linkage", "single-linkage"])
    'did you mean complete-linkage?'
    >>> suggestion("ward", ["complete-linkage", "single-linkage"])
    ''
    """
    by_spelling: dict[str, str] = {}
    for candidate in names:
        by_spelling.setdefault(_spelling(candidate), candidate)
    spelling = _spelling(name)
    close = difflib.get_close_matches(spelling, by_spelling, n=2, cutoff=_LEAST_SIMILARITY)
    if not close:
        return ""
    # The second is worth a thought only if it is about as similar as the first.
    similarities = [difflib.SequenceMatcher(None, near, spelling).ratio() for near in close]
    if similarities[-1] < similarities[0] - _SAME_SIMILARITY:
        close = close[:1]
    names_meant = [by_spelling[candidate] for candidate in close]
    return f"did you mean {' or '.join(names_meant)}?"


def _spelling(name: str) -> str:
    return re.sub(r"[\s_-]", "", name.casefold())


def shell_command(*words: str) -> str:
    """A command, or a part of one, that is printed so that a shell reads exactly these words.

    The words may contain anything, such as the name of a file or a column. The text is one line,
    which stays the same if control characters are written out and runs of blanks are joined:
    `printf` makes these characters when the command runs.

    Parameters
    ----------
    *words : str
        The words as a program would get them, without quotes.

    Examples
    --------
    >>> print(shell_command("hcbench", "info", "it's $5"))
    hcbench info 'it'"'"'s $5'
    """
    return " ".join(map(_quote, words))


def _quote(word: str) -> str:
    """A word for the shell; from printf, if a line of text would not keep all of it."""
    body = word.rstrip("\n")  # the shell removes newlines at the end of an output
    pieces = []
    before = ""
    for character in body:
        is_second_blank = character == " " and before == " "
        if is_second_blank or not _stays_in_a_line(character):
            pieces.append(_octal(character))
        else:
            pieces.append(character)
        before = character
    if "".join(pieces) == word:
        return shlex.quote(word)
    # In the format of printf, these have a meaning of their own.
    special = {"%": "%%", "\\": _octal("\\"), "'": _octal("'")}
    for position, piece in enumerate(pieces):
        pieces[position] = special.get(piece, piece)
    if pieces and pieces[0] == "-":
        pieces[0] = _octal("-")  # no option of printf
    text = f"\"$(printf '{''.join(pieces)}')\""
    newlines = word[len(body) :]
    if newlines:
        text += shlex.quote(newlines)
    return text


def _stays_in_a_line(character: str) -> bool:
    """Whether messages keep a character: they replace other blanks, and what is unprintable."""
    if character == " ":
        return True
    is_undecoded_byte = "\udc80" <= character <= "\udcff"
    return printable(character) == character and not character.isspace() and not is_undecoded_byte


def _octal(character: str) -> str:
    """The bytes of a character, as printf reads them."""
    return "".join(f"\\{byte:03o}" for byte in character.encode(errors="surrogateescape"))


_FORMULA = re.compile(r"[=+\-@\t\r]")


def spreadsheet_cell(value: object) -> object:
    """A value of a table that a spreadsheet shows and does not execute.

    A text that it would take for a formula, such as ``=HYPERLINK(...)``, begins with an apostrophe.
    Numbers stay, also those that are texts.

    Examples
    --------
    >>> spreadsheet_cell("=1+1")
    "'=1+1"
    >>> spreadsheet_cell("-1.5")
    '-1.5'
    """
    if not isinstance(value, str) or _FORMULA.match(value) is None:
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value


def mistake_of_names(item: object, field_names: Iterable[str]) -> str:
    """Which of some fields is one text in the place of a tuple of names; "" if none is.

    Unnoticed, a text is a tuple of its letters.

    Parameters
    ----------
    item : object
    field_names : iterable of str
        Fields that `item` may have.
    """
    for field_name in field_names:
        names = getattr(item, field_name, ())
        if isinstance(names, str):
            return f"{field_name} is a tuple of names, got {names!r}"
    return ""


_MOST_LETTERS = 60  # characters of the name
_RESERVED = re.compile("con|prn|aux|nul|com[1-9]|lpt[1-9]")  # device names of Windows


def slug(name: str) -> str:
    """A name as part of a URL and a file name on any system.

    Letters, digits, ``-``, ``_`` and ``.`` stay, in lower case. If anything else was removed, a
    hash is appended, so that two names never share a file.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9_.-]+", "-", plain).strip("-.")[:_MOST_LETTERS].strip("-.")
    if words == name and _RESERVED.fullmatch(words.split(".")[0]) is None:
        return words
    digest = hashlib.blake2b(name.encode(errors="surrogatepass"), digest_size=5).hexdigest()
    if not words:
        return digest
    return f"{words}-{digest}"
