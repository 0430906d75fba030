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

from hcbench_datasets.columns import CLASSES, Suspicion, suspicions_of
from hcbench_datasets.content import Column, Roles, Table, looks_numeric, written_value
from hcbench_datasets.doubtful_rows import check_rows_have_numbers
from hcbench_datasets.missing import missing_code, numbers_without
from hcbench_datasets.scales import Questions, find_questions

_MOST_MISSING = 0.5  # the largest share of missing numbers for which replacing them is suggested
_MOST_STRAY = 0.2  # the largest share of texts in a column of numbers that are read as missing
_MOST_STRAY_TEXTS = 5  # different ones
_LEAST_ORDERED = 3  # classes whose order is offered
_SHOWN = 3  # examples in a reason


@dataclass(frozen=True, slots=True)
class Order:
    """Columns of classes for which the file has an order, as of codes in SPSS.

    Attributes
    ----------
    columns : tuple of str
    classes : tuple of str
        The lowest first.
    written : str
        The inside of the braces of ``ordinal={...}``.
    """

    columns: tuple[str, ...]
    classes: tuple[str, ...]
    written: str


@dataclass(slots=True)
class Guess:
    """Parameters with which a table can be read, and what was decided or is to be asked.

    Attributes
    ----------
    names : str, optional
        The column that names the items.
    labels : list of str
        The columns of the truth, the coarsest first; those given, and those whose names say so.
    drop : list of str
        The columns that are given as dropped.
    reasons : dict of str to str
        Why a column is not used, by its name, in the order in which they are dropped.
    candidates : list of list of str
        Columns that may be the truth, where their names do not say so.
    missing : {None, "drop", "median"}
        What becomes of missing numbers.
    categorical : {None, "onehot", ...}
        What becomes of texts.
    ordinal : str or sequence of str
        The orders of answers, as the parameter is written; "" if there are none.
    missing_texts : list of str
        Texts among numbers that are read as missing.
    texts : bool
        Whether the items are texts and nothing else.
    numeric : set of str
        The columns that are used as numbers.
    orders : list of Order
        Columns that could be numbers, which is offered.
    remarks : list of str
        What is done with columns that are used, but not as they are.
    """

    names: str | None
    labels: list[str]
    drop: list[str]
    reasons: dict[str, str] = field(default_factory=dict)
    candidates: list[list[str]] = field(default_factory=list)
    missing: str | None = None
    categorical: str | None = None
    ordinal: str | Sequence[str] = ""
    missing_texts: list[str] = field(default_factory=list)
    texts: bool = False
    numeric: set[str] = field(default_factory=set)
    orders: list[Order] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def params(self) -> dict[str, Any]:
        """The parameters if none of the candidates is the truth."""
        return {
            "names": self.names,
            "labels": list(self.labels),
            "drop": [*self.drop, *self.reasons],
            "missing": self.missing,
            "missing_texts": list(self.missing_texts),
            "categorical": self.categorical,
            "ordinal": self.ordinal,
            "texts": self.texts,
        }

    def is_made_number(self, column: Column) -> bool:
        """Whether a column of texts becomes numbers: answers with an order, or missing texts."""
        return column.name in self.numeric

    def params_with_truth(self, table: Table, labels: Sequence[str]) -> dict[str, Any]:
        """The parameters if a candidate is the truth."""
        params = self.params()
        params["labels"] = [*self.labels, *labels]
        params["drop"] = [name for name in params["drop"] if name not in labels]
        if self.rows_without(table, labels):
            # Rows without a label cannot be kept.
            params["missing"] = "drop"
        return params

    def rows_without(self, table: Table, labels: Sequence[str]) -> int:
        """The number of rows in which one of the labels is missing."""
        is_missing = np.zeros(len(table.lines), dtype=bool)
        for name in labels:
            is_missing |= table.column(name).missing
        return int(is_missing.sum())


def guess(table: Table, roles: Roles, params: Mapping[str, Any]) -> Guess:
    """What the columns of a table may be used for.

    Parameters
    ----------
    table : Table
    roles : Roles
        Those given.
    params : mapping of str to value
        All parameters given.

    Notes
    -----
    The first column of texts that all differ names the items. Columns with the same answers
    (`find_questions`) are numbers where their order is known, else 0/1 columns. Columns of classes
    are the truth if they are nested (`nested_levels`), nothing else may be it, and the name of one
    says so; else they are candidates. Dates, identifiers, numbers with units and texts are dropped.
    """
    result = Guess(roles.names, list(roles.labels), list(roles.drop))
    result.categorical = params.get("categorical")
    result.missing = params.get("missing")
    missing_texts = params.get("missing_texts", ())
    if isinstance(missing_texts, str):
        missing_texts = [missing_texts]
    result.missing_texts = list(missing_texts)
    # Orders that are given stay, also in the commands for each answer.
    result.ordinal = params.get("ordinal") or ""
    free = [column for column in table.columns if column.name not in roles.named]
    suspicions = suspicions_of(table) if len(table.columns) > 1 else {}
    for name in roles.numbers:
        suspicions.pop(name, None)
    questions = find_questions(free)
    answered: set[str] = set()
    for group in questions:
        answered.update(group.columns)
    check_rows_have_numbers(table, [column for column in free if column.name not in answered])
    classes: list[Column] = []
    numbers: list[Column] = []
    for column in free:
        suspicion = suspicions.get(column.name)
        if column.name in answered:
            continue
        if column.numbers is not None:
            _guess_numbers(result, table, column, suspicion, numbers, classes)
        else:
            _guess_texts(result, table, column, numbers, classes)
    _use_questions(result, questions, free, numbers, has_orders=bool(params.get("ordinal")))
    _find_truth(result, table, roles, classes, has_numbers=bool(numbers))
    _use_classes(result, classes, has_numbers=bool(numbers))
    _check_something_is_left(result, free)
    _replace_missing(result, table, numbers)
    _offer_orders(result, table, questions, free)
    result.numeric = {column.name for column in numbers}
    used = {result.names, *result.labels, *roles.drop}
    result.texts = result.names is not None and used.issuperset(table.names)
    return result


def _guess_numbers(
    result: Guess,
    table: Table,
    column: Column,
    suspicion: Suspicion | None,
    numbers: list[Column],
    classes: list[Column],
) -> None:
    """Decide about a column of numbers: it is used, may be the truth, or is dropped."""
    assert column.numbers is not None
    n_missing = int(column.missing.sum())
    n_infinite = int(np.isinf(column.numbers).sum())
    _find_code(result, column)
    if suspicion is not None and suspicion.form in ("identifier", "date"):
        result.reasons[column.name] = suspicion.reason
    elif n_infinite:
        cells = "a cell" if n_infinite == 1 else f"{n_infinite} cells"
        result.reasons[column.name] = f"column {column.name!r} has {cells} without a finite number"
    elif n_missing > _MOST_MISSING * len(table.lines):
        result.reasons[column.name] = _mostly_missing(table, column)
    elif suspicion is not None and suspicion.form == "class" and suspicion.is_sure:
        classes.append(column)
        missing = f" with {n_missing} missing" if n_missing else ""
        result.reasons[column.name] = f"{suspicion.reason}{missing}"
    else:
        numbers.append(column)


def _find_code(result: Guess, column: Column) -> None:
    """Read a number such as -999 as missing, and say so."""
    code = missing_code(column)
    if code and code not in result.missing_texts:
        result.missing_texts.append(code)
        result.remarks.append(
            f"{code} in column {column.name!r} is far below all other numbers and is read as "
            "missing (missing_texts)"
        )


def _guess_texts(
    result: Guess,
    table: Table,
    column: Column,
    numbers: list[Column],
    classes: list[Column],
) -> None:
    """Decide about a column of texts: numbers with a few texts, names, classes, or dropped."""
    n_missing = int(column.missing.sum())
    stray = _stray_texts(table, column)
    if n_missing > _MOST_MISSING * len(table.lines):
        result.reasons[column.name] = _mostly_missing(table, column)
    elif stray:
        numbers.append(column)
        new_texts = [text for text in stray if text not in result.missing_texts]
        result.missing_texts += new_texts
        result.remarks.append(_about_stray(table, column, stray))
        _find_code(result, Column(column.name, numbers_without(column, stray)))
    elif has_classes(column):
        classes.append(column)
        result.reasons[column.name] = _about_classes(column)
    elif column.kind == "texts" and len(column.classes) == len(table.lines) and not result.names:
        result.names = column.name
    else:
        result.reasons[column.name] = _about_texts(table, column)


def _mostly_missing(table: Table, column: Column) -> str:
    n_missing = int(column.missing.sum())
    return f"column {column.name!r} has {n_missing} missing of {len(table.lines)} cells"


def _stray_texts(table: Table, column: Column) -> list[str]:
    """The few texts in a column of numbers, such as ND or <0.3; none if they are not few."""
    if column.kind != "numbers and texts":
        return []
    cells = [text for text in column.cells if not looks_numeric(text)]
    texts = list(dict.fromkeys(cells))
    n_without_number = len(cells) + int(column.missing.sum())
    if len(texts) > _MOST_STRAY_TEXTS or n_without_number > _MOST_STRAY * len(table.lines):
        return []
    return texts


def _about_stray(table: Table, column: Column, texts: Sequence[str]) -> str:
    """What becomes of texts among numbers, and what else could be done."""
    rows = [row for row, text in enumerate(column.cells) if text in texts]
    place = f"{table.place(rows[0])}, column {column.name!r}"
    if len(rows) == 1:
        start = f"{place}: {texts[0]!r} is not a number and is read as missing"
    else:
        listed = ", ".join(repr(text) for text in texts)
        start = f"{place} and {len(rows) - 1} more cells: {listed} are no numbers, read as missing"
    return f"{start} (missing_texts); drop={written_value([column.name])} omits it"


def _about_classes(column: Column) -> str:
    """Why a column of classes is not used as numbers."""
    classes = column.classes
    listed = ", ".join(classes[:_SHOWN])
    if len(classes) > _SHOWN:
        listed += ", ..."
    if len(classes) == 1:
        return f"column {column.name!r} is {classes[0]!r} in all rows"
    n_missing = int(column.missing.sum())
    missing = f" with {n_missing} missing" if n_missing else ""
    return f"column {column.name!r} has {len(classes)} classes ({listed}){missing}"


def _about_texts(table: Table, column: Column) -> str:
    """What a column has that is neither numbers nor classes, with a cell of it."""
    for row, text in enumerate(column.cells):
        if not looks_numeric(text) and text:
            shown = text if len(text) <= 30 else f"{text[:30]}..."
            return f"column {column.name!r} has {column.kind} ({table.place(row)}: {shown!r})"
    return f"column {column.name!r} has {column.kind}"


def _use_questions(
    result: Guess,
    questions: Sequence[Questions],
    free: Sequence[Column],
    numbers: list[Column],
    *,
    has_orders: bool,
) -> None:
    """Use columns with the same answers: as numbers if the order is known, else as 0/1.

    Orders that are given are not extended.
    """
    orders = []
    for group in questions:
        listed = ", ".join(group.columns[:_SHOWN])
        if len(group.columns) > _SHOWN:
            listed += ", ..."
        answers = ", ".join(group.answers)
        new_texts = [text for text in group.no_answers if text not in result.missing_texts]
        result.missing_texts += new_texts
        if group.no_answers:
            no_answers = ", ".join(map(repr, group.no_answers))
            result.remarks.append(
                f"{no_answers} in {listed} is no answer and is read as missing (missing_texts)"
            )
        start = f"the {len(group.columns)} columns {listed} have the same answers"
        if group.is_ordered and not has_orders:
            orders.append(group.ordinal(free))
            numbers += [column for column in free if column.name in group.columns]
            result.remarks.append(f"{start} and become 0, 1, 2, ... in the order {answers}")
            continue
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
    asked: set[str] = set()
    for group in questions:
        asked.update(group.columns)
        if not group.is_ordered and table.column(group.columns[0]).order:
            result.orders.append(Order(group.columns, group.answers, group.ordinal(free)))
    for column in free:
        classes = tuple(text for text in column.order if text in column.classes)
        is_used = column.name in asked or column.name in result.labels
        # Two classes are the same numbers as a 0/1 column.
        if is_used or len(classes) < _LEAST_ORDERED or not has_classes(column):
            continue
        listed = ",".join(written_value(text) for text in classes)
        result.orders.append(
            Order((column.name,), classes, f"{written_value(column.name)}=[{listed}]")
        )


def _find_truth(
    result: Guess, table: Table, roles: Roles, classes: Sequence[Column], *, has_numbers: bool
) -> None:
    """Decide which columns are the truth if a name says so, or list the candidates."""
    candidates = [column for column in classes if len(column.classes) > 1]
    if roles.labels:
        # Finer labels of the truth that is given belong to it.
        coarser = [table.column(name) for name in roles.labels]
        finer = []
        for column in candidates:
            if not column.missing.any() and all(is_nested(column, one) for one in coarser):
                finer.append(column)
        for column in nested_levels(finer):
            result.labels.append(column.name)
            result.reasons.pop(column.name)
        return
    complete = [column for column in candidates if not column.missing.any()]
    levels = nested_levels(complete)
    named = {column.name for column in candidates if is_named_class(column)}
    # Numbers below such a name may be a measurement, or codes: this is asked.
    are_texts = all(column.numbers is None for column in levels)
    says_so = bool(named) and named.issubset(column.name for column in levels)
    if result.names is not None and not has_numbers and not result.categorical:
        # Of items with names and nested classes, and nothing else, the classes are the truth.
        says_so |= len(levels) == len(candidates)
    if levels and are_texts and says_so:
        for column in levels:
            result.labels.append(column.name)
            result.reasons.pop(column.name)
        are = "is" if len(levels) == 1 else "are"
        it = "it" if len(levels) == 1 else "them"
        result.remarks.append(
            f"{', '.join(result.labels)} {are} taken as the truth; "
            f"drop={written_value(result.labels)} omits {it}"
        )
        return
    result.candidates += _answers(candidates, levels)


def _check_something_is_left(result: Guess, free: Sequence[Column]) -> None:
    """Remove the candidates for the truth without which the items would have nothing."""
    if result.names is not None:
        return
    remaining = {column.name for column in free} - result.reasons.keys()
    result.candidates = [labels for labels in result.candidates if remaining - set(labels)]


def candidates_of(columns: Iterable[Column]) -> list[list[str]]:
    """Columns that may be the truth, alone or nested, of those that have no other use."""
    candidates = [column for column in columns if has_classes(column) and len(column.classes) > 1]
    complete = [column for column in candidates if not column.missing.any()]
    return _answers(candidates, nested_levels(complete))


def _answers(candidates: Sequence[Column], levels: Sequence[Column]) -> list[list[str]]:
    """What may be the truth: nested levels, then single columns, first those named so."""
    answers = []
    if len(levels) > 1:
        answers.append([column.name for column in levels])
    for column in sorted(candidates, key=lambda column: not is_named_class(column)):
        answers.append([column.name])
    return answers


def _use_classes(result: Guess, classes: Sequence[Column], *, has_numbers: bool) -> None:
    """Use classes that are no truth as 0/1 columns: if that is given, or nothing else is there."""
    if result.categorical == "drop" or (has_numbers and result.categorical is None):
        return
    rest = [column for column in classes if column.name in result.reasons]
    usable = [column for column in rest if column.numbers is None and len(column.classes) > 1]
    if not usable:
        return
    result.categorical = result.categorical or "onehot"
    for column in usable:
        result.reasons.pop(column.name)


def _replace_missing(result: Guess, table: Table, numbers: Iterable[Column]) -> None:
    """Replace missing numbers by the median of their column, and say how many there are."""
    # The row and the column of each missing cell.
    cells: list[tuple[int, str]] = []
    for column in numbers:
        is_missing = column.missing.copy()
        if column.numbers is not None and missing_code(column) in result.missing_texts:
            is_missing |= column.numbers == float(missing_code(column))
        if column.texts is not None:
            is_missing |= np.array([text in result.missing_texts for text in column.cells])
        for row in np.flatnonzero(is_missing).tolist():
            cells.append((row, column.name))
    if not cells or result.missing is not None:
        return
    result.missing = "median"
    rows = {row for row, _ in cells}
    first_row, first_column = min(cells)
    first = f"{table.place(first_row)}, column {first_column!r}"
    are = "a number is" if len(cells) == 1 else f"{len(cells)} numbers are"
    become = "becomes" if len(cells) == 1 else "become"
    omitted = "its row" if len(rows) == 1 else f"{len(rows)} rows"
    result.remarks.append(
        f"{are} missing (first: {first}) and {become} the median of the column; missing=drop omits "
        f"{omitted} instead"
    )


def has_classes(column: Column) -> bool:
    """Whether a column of texts has classes, which repeat."""
    if column.kind != "texts":
        return False
    n_present = len(column.cells) - int(column.missing.sum())
    return 0 < len(column.classes) <= n_present / 1.5


def is_named_class(column: Column) -> bool:
    """Whether the name of a column says that it has classes."""
    return column.name.casefold() in CLASSES


def nested_levels(columns: Iterable[Column]) -> list[Column]:
    """The most columns of labels of which each class lies in one class of the column before.

    Of as many columns, those with a name such as class, then those with more classes in all. A
    column with a single class is no level.

    Returns
    -------
    list of Column
        The coarsest first.
    """
    several = [column for column in columns if len(column.classes) > 1]
    several.sort(key=lambda column: len(column.classes))
    chains: list[list[Column]] = []
    for column in several:
        coarser = [chain for chain in chains if is_nested(column, chain[-1])]
        longest = max(coarser, key=_size, default=[])
        chains.append([*longest, column])
    return max(chains, key=_size, default=[])


def is_nested(fine: Column, coarse: Column) -> bool:
    """Whether each class of a column lies in one class of another."""
    pairs = set(zip(fine.cells, coarse.cells, strict=True))
    return len(fine.classes) == len(pairs)


def _size(chain: list[Column]) -> tuple[int, bool, int]:
    n_classes = sum(len(column.classes) for column in chain)
    return len(chain), any(is_named_class(column) for column in chain), n_classes
