"""What a user may want to change about the columns of a table, which ``hcbench inspect`` prints."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hcbench_datasets.columns import suspicions_of
from hcbench_datasets.content import Column, Roles, Table, with_texts
from hcbench_datasets.file_names import changed_name
from hcbench_datasets.guesses import Guess, Order
from hcbench_datasets.overview import use_of
from hcbench_datasets.reading import as_tuple
from hcbench_datasets.truths import has_classes

_SHOWN = 20  # constant columns
_MOST_OFFERS = 5  # of orders, each with its name of the file
_UNEQUAL = 10  # the ratio of standard deviations from which standardising is suggested
_MOSTLY_DIFFERENT = 0.8  # the share of different cells of a column that nearly names the items


def notes_on_columns(
    table: Table, roles: Roles, guess: Guess, params: Mapping[str, Any]
) -> Iterator[str]:
    """What a user may want to change about the columns that are used or dropped by a guess.

    Parameters
    ----------
    table : Table
    roles : Roles
        Those of the user.
    guess : Guess
    params : mapping of str to value
        The parameters of the file, with those that are guessed.
    """
    # What the user drops needs no note.
    guessed_drop = set(guess.params()["drop"]).difference(roles.drop)
    dropped = [column for column in table.columns if column.name in guessed_drop]
    yield from _notes_on_units(dropped)
    yield from _notes_on_names(table, dropped)
    yield from _notes_on_classes(dropped, guess, params)
    yield from _notes_on_order(guess, params)
    yield from _notes_on_spread(table, guess, params)


def _notes_on_units(dropped: Sequence[Column]) -> Iterator[str]:
    for column in dropped:
        if column.numbers is None and column.kind == "numbers with units":
            yield (
                f"column {column.name!r} has numbers written like {column.classes[0]!r}; without "
                "units and separators they would be used"
            )


def _notes_on_names(table: Table, dropped: Sequence[Column]) -> Iterator[str]:
    """Why the first column of texts does not name the items, if it nearly does."""
    texts = with_texts(table.columns)
    if not texts:
        return
    names = texts[0]
    if names not in dropped or names.kind != "texts":
        return
    cells = list(names.cells)
    if len(names.classes) > _MOSTLY_DIFFERENT * len(cells):
        repeated = next((text for text in names.classes if cells.count(text) > 1), "")
        yield f"column {names.name!r} would name the items, but {repeated!r} is there twice"


def _notes_on_classes(
    dropped: Sequence[Column], guess: Guess, params: Mapping[str, Any]
) -> Iterator[str]:
    """How columns of classes become columns of 0 and 1."""
    classes = [column.name for column in dropped if column.texts and has_classes(column)]
    if classes:
        drop = _drop_without(guess, classes)
        name = changed_name(params, drop=drop, categorical="onehot")
        yield f"to use {', '.join(classes)} as 0/1 columns: {name}"


def _drop_without(guess: Guess, names: Collection[str]) -> list[str]:
    """The columns that are dropped but for some that are to be used."""
    return [name for name in guess.params()["drop"] if name not in names]


def _notes_on_order(guess: Guess, params: Mapping[str, Any]) -> Iterator[str]:
    """How columns of classes become numbers where the file has an order, as of codes in SPSS."""
    orders = params.get("ordinal") or "{}"
    for offer in guess.orders[:_MOST_OFFERS]:
        drop = _drop_without(guess, offer.columns)
        ordinal = _extended(orders, offer)
        name = changed_name(params, drop=drop, ordinal=ordinal)
        columns = ", ".join(offer.columns)
        yield f"to use {columns} as 0, 1, 2, ... in the order {', '.join(offer.classes)}: {name}"


def _extended(orders: str | Sequence[str], offer: Order) -> str | tuple[str, ...]:
    """The parameter ordinal with another order, in the form in which it is written."""
    if isinstance(orders, str) and orders.startswith("{"):
        written = orders.strip("{}")
        if written:
            written += ","
        return f"{{{written}{offer.written}}}"
    # Columns in the order of the file, which is that of the offer as well.
    return as_tuple(orders) + offer.columns


def _notes_on_spread(table: Table, guess: Guess, params: Mapping[str, Any]) -> Iterator[str]:
    """Which columns have no effect on distances, and which has all of it."""
    # A constant has a deviation of 0, or nearly so by rounding.
    constants = _constants(table, guess)
    if constants:
        listed = ", ".join(constants[:_SHOWN])
        if len(constants) > _SHOWN:
            listed += ", ..."
        noun = "columns"
        if len(constants) == 1:
            noun = "column"
        yield f"the same in all rows, and without effect on distances: {noun} {listed}"
    deviations = _deviations(table, guess, constants)
    if not deviations or params.get("standardise"):
        return
    smallest, narrow = min(deviations)
    largest, wide = max(deviations)
    if largest > _UNEQUAL * smallest:
        yield (
            f"column {wide!r} varies {largest / smallest:,.0f} times as much as {narrow!r}; "
            "standardise=true gives all columns the same weight"
        )


def _deviations(table: Table, guess: Guess, constants: Sequence[str]) -> list[tuple[float, str]]:
    """The standard deviations of the columns of vectors that are not constant, and their names."""
    deviations = []
    for column in table.columns:
        if column.numbers is None or use_of(column, guess) != "vectors":
            continue
        # numpy warns of the deviation of nothing.
        if column.missing.all():
            continue
        deviation = float(np.nanstd(column.numbers))
        if deviation > 0 and column.name not in constants:
            deviations.append((deviation, column.name))
    return deviations


def _constants(table: Table, guess: Guess) -> list[str]:
    """The columns of vectors that have one number only."""
    constants = []
    suspicions = suspicions_of(table)
    for column in table.columns:
        suspicion = suspicions.get(column.name)
        is_constant = suspicion is not None and suspicion.form == "constant"
        if is_constant and use_of(column, guess) == "vectors":
            constants.append(column.name)
    return constants
