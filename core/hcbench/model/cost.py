"""What one call of an algorithm costs, and the notes of plugins about its result."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hcbench.errors import ModelWarning


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one call of an algorithm took.

    Attributes
    ----------
    seconds : float or None
        Wall time of the algorithm alone, in s; None at a checkpoint and where nothing was run.
    oracle_seconds : float or None
        Wall time of the answers computed during the call, in s; None where the answers are
        compiled into the algorithm's own loop and cannot be told apart, and as for seconds.
    peak_bytes : int or None
        The most memory held during the call above what was held before it; None where the
        system cannot tell.
    queries, distinct_queries, rounds : int or None
        As the oracle's ledger has them; None for kinds of oracle that answer nothing countable.
    draws : int or None
        Pairs that were drawn, which costs nothing; None where there are none to draw.
    """

    seconds: float | None = None
    oracle_seconds: float | None = None
    peak_bytes: int | None = None
    queries: int | None = None
    distinct_queries: int | None = None
    rounds: int | None = None
    draws: int | None = None


MOST = 20  # of one call: a text with a number in it may come in any number of forms


@contextmanager
def collect_notes() -> Iterator[dict[str, None]]:
    """Collect the texts of each `ModelWarning`, in order; other warnings are shown as usual."""
    notes: dict[str, None] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("always", ModelWarning)
        show = warnings.showwarning

        def note(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if not issubclass(category, ModelWarning):
                show(message, category, *where, **more)
            elif len(notes) < MOST:
                notes[" ".join(str(message).split())] = None

        warnings.showwarning = note
        yield notes
