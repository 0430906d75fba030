"""Text that may come from anywhere, made safe to display."""

from __future__ import annotations

#: Control characters except newline and tab, and those that change the writing direction.
_UNPRINTABLE = {
    code: f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
    for code in (*range(32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
    if chr(code) not in "\n\t"
}


def printable(text: str) -> str:
    r"""Text in which control characters are written out, such as ``\x1b`` for an escape.

    A terminal would obey them, and in SVG they are not allowed. Names, labels and messages may
    contain them, since files, stores and plugins come from anywhere. Newlines and tabs stay.
    """
    return text.translate(_UNPRINTABLE)
