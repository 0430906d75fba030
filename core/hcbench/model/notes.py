"""Notes of plugins about a result: the `ModelWarning` texts of a call."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from hcbench.errors import ModelWarning

MOST = 20  # of one call: a text with a number in it may come in any number of forms


@contextmanager
def collect_notes() -> Iterator[dict[str, None]]:
    """Collect the texts of each `ModelWarning`, in order; other warnings are shown as usual."""
    notes: dict[str, None] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("always", ModelWarning)
        show = warnings.showwarning

        def note(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if not issubclass(category, ModelWarning):
                show(message, category, filename, lineno, file, line)
            elif len(notes) < MOST:
                notes[" ".join(str(message).split())] = None

        warnings.showwarning = note
        yield notes
