"""What the columns of a table may be used for: what its form says, and what has to be asked.

`guess` decides what a person would decide who sees the table and knows nothing else. Which column
is the truth is decided only if its name says so; else there are several answers, and the user
chooses. Every column that is not used has a reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench_datasets.cell_texts import looks_numeric
from hcbench_datasets.columns import Suspicion, suspicions_of
from hcbench_datasets.content import Column, Roles, Table, names_of, with_texts
from hcbench_datasets.doubtful_rows import check_rows_have_numbers
from hcbench_datasets.file_names import written_value
from hcbench_datasets.guesses import Guess, Order
from hcbench_datasets.missing import missing_code, numbers_without
from hcbench_datasets.reasons import (
    about_classes,
    about_infinite,
    about_missing,
    about_stray_texts,
    about_texts,
    listed,
    with_missing,
)
from hcbench_datasets.scales import Questions, find_questions
from hcbench_datasets.truths import find_truth, has_classes

_MOST_MISSING = 0.5  # the largest share of missing numbers for which replacing them is suggested
_MOST_STRAY = 0.2  # the largest share of texts in a column of numbers that are read as missing
_MOST_STRAY_TEXTS = 5  # different ones
_LEAST_ORDERED = 3  # classes whose order is offered


@dataclass(slots=True)
class _Uses:
    """What columns without a role are used for.

    Attributes
    ----------
    numbers : list of Column
        Those that are numbers, also after texts among them are read as missing.
    classes : list of Column
        Those that may be the truth.
    """

    numbers: list[Column] = field(default_factory=list)
    classes: list[Column] = field(default_factory=list)


def guess(table: Table, roles: Roles, params: Mapping[str, Any]) -> Guess:
    """What the columns of a table may be used for.

    Parameters
    ----------
    table : Table
    roles : Roles
        Those of the user.
    params : mapping of str to value
        All parameters of the user.

    Notes
    -----
    The first column of texts that all differ names the items. Columns with the same answers
    (`find_questions`) are numbers where their order is known, else 0/1 columns. Columns of classes
    are the truth if they are nested (`nested_levels`), nothing else may be it, and the name of one
    says so; else they are candidates. Dates, identifiers, numbers with units and texts are dropped.
    """
    # Nothing of what the user has decided is changed below.
    result = _start(roles, params)
    free = table.columns_without_role(roles)
    questions = find_questions(free)
    answered: set[str] = set()
    for group in questions:
        answered.update(group.columns)
    unanswered = [column for column in free if column.name not in answered]
    check_rows_have_numbers(table, unanswered)
    suspicions = _suspicions(table, roles)
    uses = _Uses()
    for column in unanswered:
        if column.numbers is not None:
            _guess_numbers(result, table, column, suspicions.get(column.name), uses)
        else:
            _guess_texts(result, table, column, uses)
    _use_questions(result, table, questions, free, uses, has_orders=bool(params.get("ordinal")))
    has_numbers = bool(uses.numbers)
    find_truth(result, table, roles, uses.classes, has_numbers=has_numbers)
    _use_classes(result, uses.classes, has_numbers=has_numbers)
    _check_something_is_left(result, free)
    _replace_missing(result, table, uses.numbers)
    _offer_orders(result, table, questions, free)
    result.numeric = set(names_of(uses.numbers))
    used = {result.names}
    used.update(result.labels, roles.drop)
    result.texts = result.names is not None and used.issuperset(table.names)
    return result


def _start(roles: Roles, params: Mapping[str, Any]) -> Guess:
    """A guess with what the user has decided."""
    result = Guess(roles.names, list(roles.labels), list(roles.drop))
    result.categorical = params.get("categorical")
    result.missing = params.get("missing")
    missing_texts = params.get("missing_texts", ())
    if isinstance(missing_texts, str):
        missing_texts = [missing_texts]
    result.missing_texts = list(missing_texts)
    # The user's orders stay, also in the commands for each answer.
    result.ordinal = params.get("ordinal") or ""
    return result


def _suspicions(table: Table, roles: Roles) -> dict[str, Suspicion]:
    """The suspicions about columns that the user has not said to be numbers."""
    if len(table.columns) == 1:
        # Without it, nothing would be left.
        return {}
    suspicions = suspicions_of(table)
    for name in roles.numbers:
        suspicions.pop(name, None)
    return suspicions


def _guess_numbers(
    result: Guess, table: Table, column: Column, suspicion: Suspicion | None, uses: _Uses
) -> None:
    """Decide about a column of numbers: it is used, may be the truth, or is dropped."""
    assert column.numbers is not None
    n_missing = int(column.missing.sum())
    n_infinite = int(np.isinf(column.numbers).sum())
    form = None
    if suspicion is not None:
        form = suspicion.form
    _find_code(result, column)
    # By its name or its form it is no measurement, whatever it lacks.
    if suspicion is not None and form in ("identifier", "date"):
        result.reasons[column.name] = suspicion.reason
    # The median of a column would be one of the finite numbers, and hide them.
    elif n_infinite:
        result.reasons[column.name] = about_infinite(column, n_infinite)
    elif n_missing > _MOST_MISSING * len(table.lines):
        result.reasons[column.name] = about_missing(table, column)
    elif suspicion is not None and form == "class" and suspicion.is_sure:
        uses.classes.append(column)
        result.reasons[column.name] = f"{suspicion.reason}{with_missing(column)}"
    else:
        uses.numbers.append(column)


def _find_code(result: Guess, column: Column) -> None:
    """Read a number such as -999 as missing, and say so."""
    code = missing_code(column)
    if code and code not in result.missing_texts:
        result.missing_texts.append(code)
        result.remarks.append(
            f"{code} in column {column.name!r} is far below all other numbers and is read as "
            "missing (missing_texts)"
        )


def _guess_texts(result: Guess, table: Table, column: Column, uses: _Uses) -> None:
    """Decide about a column of texts: numbers with a few texts, names, classes, or dropped."""
    n_missing = int(column.missing.sum())
    stray_texts = _stray_texts(table, column)
    all_differ = len(column.classes) == len(table.lines)
    if n_missing > _MOST_MISSING * len(table.lines):
        result.reasons[column.name] = about_missing(table, column)
    elif stray_texts:
        uses.numbers.append(column)
        _add_missing_texts(result, stray_texts)
        result.remarks.append(about_stray_texts(table, column, stray_texts))
        _find_code(result, Column(column.name, numbers_without(column, stray_texts)))
    elif has_classes(column):
        uses.classes.append(column)
        result.reasons[column.name] = about_classes(column)
    elif column.kind == "texts" and all_differ and not result.names:
        result.names = column.name
    else:
        result.reasons[column.name] = about_texts(table, column)


def _add_missing_texts(result: Guess, texts: Iterable[str]) -> None:
    """Read texts as missing numbers."""
    new_texts = [text for text in texts if text not in result.missing_texts]
    result.missing_texts += new_texts


def _stray_texts(table: Table, column: Column) -> list[str]:
    """The few texts in a column of numbers, such as ND or <0.3; none if they are not few."""
    # Other columns have hardly any numbers.
    if column.kind != "numbers and texts":
        return []
    n_without_number = int(column.missing.sum())
    # A dict has each text once, in their order.
    different: dict[str, None] = {}
    for text in column.cells:
        if not looks_numeric(text):
            n_without_number += 1
            different[text] = None
    texts = list(different)
    if len(texts) > _MOST_STRAY_TEXTS or n_without_number > _MOST_STRAY * len(table.lines):
        return []
    return texts


def _use_questions(
    result: Guess,
    table: Table,
    questions: Sequence[Questions],
    free: Sequence[Column],
    uses: _Uses,
    *,
    has_orders: bool,
) -> None:
    """Use columns with the same answers: as numbers if the order is known, else as 0/1.

    The user's orders are not extended.
    """
    orders = []
    for group in questions:
        columns = listed(group.columns)
        answers = ", ".join(group.answers)
        _add_missing_texts(result, group.no_answers)
        if group.no_answers:
            no_answers = ", ".join(map(repr, group.no_answers))
            result.remarks.append(
                f"{no_answers} in {columns} is no answer and is read as missing (missing_texts)"
            )
        start = f"the {len(group.columns)} columns {columns} have the same answers"
        if group.is_ordered and not has_orders:
            orders.append(group.ordinal(free))
            uses.numbers += table.columns_named(group.columns)
            result.remarks.append(f"{start} and become 0, 1, 2, ... in the order {answers}")
            continue
        # Without an order, answers are equal or different.
        result.categorical = result.categorical or "onehot"
        result.remarks.append(
            f"{start} ({answers}) and become 0/1 columns; if these have an order, write it: "
            f"ordinal={{{group.ordinal(free)}}}"
        )
    if orders:
        result.ordinal = f"{{{','.join(orders)}}}"


def _offer_orders(
    result: Guess, table: Table, questions: Sequence[Questions], free: Sequence[Column]
) -> None:
    """List the columns whose classes the file orders; a user knows if the order means anything."""
    of_questions: set[str] = set()
    for group in questions:
        of_questions.update(group.columns)
        if not group.is_ordered and table.column(group.columns[0]).order:
            result.orders.append(Order(group.columns, group.answers, group.ordinal(free)))
    for column in free:
        classes = tuple(text for text in column.order if text in column.classes)
        is_used = column.name in of_questions or column.name in result.labels
        # Two classes are the same numbers as a 0/1 column.
        if is_used or len(classes) < _LEAST_ORDERED or not has_classes(column):
            continue
        written = f"{written_value(column.name)}={written_value(classes)}"
        result.orders.append(Order((column.name,), classes, written))


def _check_something_is_left(result: Guess, free: Sequence[Column]) -> None:
    """Remove the candidates for the truth without which the items would have nothing."""
    # Items with names can be texts and nothing else.
    if result.names is not None:
        return
    remaining = set(names_of(free)).difference(result.reasons)
    result.candidates = [labels for labels in result.candidates if remaining.difference(labels)]


def _use_classes(result: Guess, classes: Sequence[Column], *, has_numbers: bool) -> None:
    """Use classes that are no truth as 0/1 columns: if that is given, or nothing else is there."""
    if result.categorical == "drop" or (has_numbers and result.categorical is None):
        return
    for column in with_texts(classes):
        # Those of the truth have no reason any more.
        if column.name in result.reasons and len(column.classes) > 1:
            result.categorical = result.categorical or "onehot"
            result.reasons.pop(column.name)


def _replace_missing(result: Guess, table: Table, numbers: Iterable[Column]) -> None:
    """Replace missing numbers by the median of their column, and say how many there are."""
    if result.missing is not None:
        return
    # The row and the column of each missing cell.
    cells: list[tuple[int, str]] = []
    rows: set[int] = set()
    for column in numbers:
        for row in np.flatnonzero(_are_missing(result, column)).tolist():
            cells.append((row, column.name))
            rows.add(row)
    if not cells:
        return
    result.missing = "median"
    first_row, first_column = min(cells)
    first = f"{table.place(first_row)}, column {first_column!r}"
    if len(cells) == 1:
        start = f"a number is missing (first: {first}) and becomes"
    else:
        start = f"{len(cells)} numbers are missing (first: {first}) and become"
    omitted = "its row"
    if len(rows) > 1:
        omitted = f"{len(rows)} rows"
    result.remarks.append(f"{start} the median of the column; missing=drop omits {omitted} instead")


def _are_missing(result: Guess, column: Column) -> NDArray[np.bool_]:
    """Which cells (n,) of a column of numbers are missing, with the texts that are read so."""
    is_missing = column.missing.copy()
    if column.numbers is not None:
        code = missing_code(column)
        if code in result.missing_texts:
            is_missing |= column.numbers == float(code)
    if column.texts is not None:
        is_missing |= np.array([text in result.missing_texts for text in column.cells])
    return is_missing
