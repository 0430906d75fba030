"""What one call of an algorithm costs, and the notes of plugins about its result."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

from hcbench.errors import ModelWarning, ParameterError
from hcbench.model.arguments import whole_number
from hcbench.model.numbers import read_number, read_whole_number

#: A number of queries, or an amount of money or tokens such as ``"5USD"`` or ``"20000tokens"``.
Budget: TypeAlias = int | str
TOKENS = "tokens"


def read_budget(written: Budget) -> Budget:
    """A budget as it is written, in its normal form.

    Raises
    ------
    ParameterError
        If it is neither a number nor an amount with its unit.
    """
    if not isinstance(written, str):
        return read_count(written, "budget")
    count = read_written_count(written)
    if count is not None:
        return count
    amount, unit = split_budget(written)
    # 5, 5.0 and 5.00 are one budget, and so one key of a cell.
    plain = f"{Decimal(amount):f}"
    if "." in plain:
        plain = plain.rstrip("0").rstrip(".")
    return f"{plain}{unit}"


def read_count(written: Any, noun: str) -> int:
    """A number of queries, which may be a whole number of another type, such as 500.0.

    Raises
    ------
    ParameterError
        If it is no whole number, or negative.
    """
    try:
        count = whole_number(written, noun)
    except ParameterError:
        raise ParameterError(
            f"a {noun} is a number of queries, such as 500; got {written!r}"
        ) from None
    if count < 0:
        raise ParameterError(f"a {noun} cannot be negative, got {count}")
    return count


def read_written_count(text: str) -> int | None:
    """The number of queries that a text is, such as 500, 500.0 or 1e6; None if it is none."""
    number = read_whole_number(text)
    if number is not None and number >= 0:
        return number
    if number is not None:
        # Negative.
        return None
    value = read_number(text)
    if value is None or not 0 <= value < math.inf or value % 1:
        return None
    return int(value)


def split_budget(budget: str) -> tuple[str, str]:
    """The amount and the unit of a budget of money or tokens."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]{3}|tokens?)\s*", budget, re.ASCII)
    if match is None:
        raise ParameterError(
            f"{budget.strip()!r} is not a number of queries; write for example 1000,5000, or 5USD "
            "or 20000tokens for oracles that are paid"
        )
    amount, unit = match.groups()
    if unit.lower() in ("token", TOKENS):
        return amount, TOKENS
    # A currency, as ISO 4217 writes it.
    return amount, unit.upper()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one call of an algorithm took.

    Attributes
    ----------
    seconds : float or None
        Wall time of the algorithm alone, in s; None at a checkpoint and where nothing was run.
    oracle_seconds : float or None
        Wall time of the answers computed during the call, and of the index of a set of comparisons
        (`Comparisons.bits`) that it uses, though an oracle may have drawn it before, in s; None
        where the answers are compiled into the algorithm's own loop and cannot be told apart, and
        as for seconds.
    peak_bytes : int or None
        The most memory that the process held during the call, above what it held before, and the
        index that it uses, if an oracle has drawn it before. The processes that it starts do not
        count, though the limit counts them, too. None where the system cannot tell.
    queries, distinct_queries, rounds : int or None
        As the oracle's ledger has them; None for kinds of oracle that answer nothing countable.
    draws : int or None
        Pairs that were drawn, which costs nothing; None where there are none to draw.
    price, tokens, latency : float or None
        Of the answers of a paid oracle, in its currency, in tokens and in s: of each different
        answer once, whoever has paid for it; None for other oracles.
    saved : float or None
        What of the price was not paid, as answers were stored already.
    processor_seconds : float or None
        Processor time of the whole call, of all its threads and processes and with the answers, in
        s. Stored as a value of the metric `processor-seconds` only: None where the call is over.

    Examples
    --------
    >>> points = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> results = hcbench.compare(["UPGMA"], points, repetitions=1, progress=False)
    >>> cost = results.outcomes[0].cost
    >>> cost.seconds > 0
    True
    >>> cost.price is None
    True
    """

    seconds: float | None = None
    oracle_seconds: float | None = None
    peak_bytes: int | None = None
    queries: int | None = None
    distinct_queries: int | None = None
    rounds: int | None = None
    draws: int | None = None
    price: float | None = None
    tokens: float | None = None
    latency: float | None = None
    saved: float | None = None
    processor_seconds: float | None = None


#: Notes of one call: a text with a number in it may come in any number of forms.
MOST = 20


@contextmanager
def collect_notes() -> Iterator[dict[str, None]]:
    """Collect the texts of each `ModelWarning` of a block, in order.

    They are complete when the block has ended; other warnings are shown then, too.

    Examples
    --------
    >>> import warnings
    >>> with collect_notes() as notes:
    ...     warnings.warn("the data are not metric", hcbench.ModelWarning)
    >>> list(notes)
    ['the data are not metric']
    """
    notes: dict[str, None] = {}
    recorded: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as recorded:
            # Once for each place and text: an algorithm may warn in each of its steps.
            warnings.simplefilter("default", ModelWarning)
            yield notes
    finally:
        for warning in recorded:
            if not issubclass(warning.category, ModelWarning):
                _show(warning)
            elif len(notes) < MOST:
                notes[" ".join(str(warning.message).split())] = None


def _show(warning: warnings.WarningMessage) -> None:
    """Show a warning that has passed the filters already."""
    warnings.showwarning(
        warning.message,
        warning.category,
        warning.filename,
        warning.lineno,
        warning.file,
        warning.line,
    )
