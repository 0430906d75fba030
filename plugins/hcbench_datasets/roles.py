"""What the columns of a table are used for: the roles given, the guess, and what is in the way."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError, ModelWarning
from hcbench.model import are_codes, class_texts, read_number
from hcbench_datasets.columns import Suspicion, decisive, suspicions_of
from hcbench_datasets.content import (
    MISSING,
    Column,
    Content,
    Roles,
    Table,
    check_names,
    check_rows,
    is_missing_label,
    looks_numeric,
    pasted_name,
    symmetric_matrix,
    table_of_labels,
)
from hcbench_datasets.doubtful_rows import check_no_footer, check_no_total
from hcbench_datasets.guessing import guess
from hcbench_datasets.matrices import Kind, Matrix, with_diagonal
from hcbench_datasets.missing import missing_code
from hcbench_datasets.preparation import is_scaled_by_column

_SHOWN = 8  # problems of columns listed in a message
_LEAST_LABELS = 10  # rows from which the number of classes tells something


def take_row_names(table: Table, roles: Roles) -> tuple[Table, Roles]:
    """Let the first column name the items if it has no name: pandas and R write row names there.

    The numbers 0, 1, 2, ... or 1, 2, 3, ... in this order are no names.
    """
    if table.row_names is None or table.row_names in roles.named:
        return table, roles
    first = table.columns[0]
    others = table.columns[1:]
    if others[0].name == "Unnamed: 0" and _numbers_rows(others[0]):
        others = others[1:]  # saved and read twice
    without = replace(table, columns=others)
    heads_columns = False
    if table.has_header and len(others) == len(table.lines):
        heads_columns = set(first.cells) == {column.name for column in others}
    if roles.names is not None or (_numbers_rows(first) and not heads_columns):
        return without, roles
    cells = list(first.cells)
    if first.numbers is not None and (len(set(cells)) < len(cells) or first.missing.any()):
        place = next(row for row, cell in enumerate(cells) if cells.index(cell) < row)
        warnings.warn(
            f"the first column has no name and is not used, as {cells[place]} is there twice "
            f"({table.place(cells.index(cells[place]))} and {table.place(place)})",
            ModelWarning,
            stacklevel=2,
        )
        return without, roles
    named = Column(first.name, None, cells)
    return replace(table, columns=(named, *others)), replace(roles, names=first.name)


def _numbers_rows(column: Column) -> bool:
    """Whether a column has the numbers of the rows, from 0 or 1."""
    if column.numbers is None:
        return False
    count = np.arange(len(column.numbers))
    return np.array_equal(column.numbers, count) or np.array_equal(column.numbers, count + 1)


def content_of(
    table: Table,
    roles: Roles,
    given: Mapping[str, Any],
    *,
    matrix: Matrix | None,
    kind: Kind | None,
    missing: str | None,
    categorical: str | None,
) -> Content:
    """The content of a table.

    Parameters
    ----------
    table : Table
    roles : Roles
    given : mapping
        All parameters given, for the corrected name in an error.
    matrix : Matrix, optional
        The one in the table, if it is to be used.
    kind : {None, "distance", "similarity"}
        What the numbers are, if they are no vectors.
    missing : {None, "drop", "mean", "median"}
        What becomes of items without a number or label, or of missing numbers.
    categorical : {None, "onehot", "drop", "gower"}
        What becomes of columns of texts without a role.

    Raises
    ------
    DataError
        With all problems of all columns, and a name with which the file can be read.
    """
    check_rows(len(table.lines), table.where)
    free = []
    if not given.get("texts") and matrix is None:
        free = _columns_of_data(table, roles, categorical)
    problems = list(_problems(table, roles, free, missing, categorical))
    if problems:
        raise DataError(_message(table, roles, given, problems))
    labels = [table.column(name) for name in roles.labels]
    _note_na(table, labels, missing)
    _note_case(labels)
    if matrix is not None:
        return _content_of_matrix(table, roles, matrix, kind or "similarity", missing)
    if not free and not given.get("texts"):
        raise DataError(_message_without_numbers(table, roles, given))
    _check_measurements(table, roles, labels, given)
    if kind is None:
        _check_suspicions(table, roles, free, given)
        check_no_total(table, free)
        check_no_footer(table)
        _note_codes(free)
    if missing == "drop":
        table = _without_missing(table, free, labels)
        free = [table.column(column.name) for column in free]
    elif missing is not None:
        free = [_imputed(column, missing) for column in free]
    content = _content_of_roles(table, roles)
    if not free:
        return content
    if categorical == "gower":
        return replace(content, similarity=1 - gower(free))
    return _with_numbers(content, table, free, kind)


def _columns_of_data(table: Table, roles: Roles, categorical: str | None) -> list[Column]:
    """The columns without a role, without those of texts if these are dropped."""
    free = [column for column in table.columns if column.name not in roles.named]
    if categorical == "drop":
        free = [column for column in free if column.texts is None]
    return free


def _without_missing(table: Table, free: list[Column], labels: list[Column]) -> Table:
    """The rows in which neither a number nor a label is missing.

    Raises
    ------
    DataError
        If fewer than two are left.
    """
    absent = np.zeros(len(table.lines), dtype=bool)
    for column in free:
        absent |= column.missing
    for column in labels:
        absent |= missing_labels(column) | _are_na(column)
    complete = _without(table, np.flatnonzero(~absent))
    check_rows(len(complete.lines), f"{table.where}, without the rows of missing values")
    return complete


def _content_of_roles(table: Table, roles: Roles) -> Content:
    """The names and the labels of the items."""
    names = None
    if roles.names is not None:
        places = [table.place(row) for row in range(len(table.lines))]
        names = check_names(list(table.column(roles.names).texts or ()), places, table.where)
    levels = table_of_labels([_classes(table, table.column(name)) for name in roles.labels])
    return Content(levels=levels, names=names)


def _with_numbers(content: Content, table: Table, free: list[Column], kind: Kind | None) -> Content:
    """The content with the columns as vectors, or as the matrix that the user says they are."""
    parts = []
    for column in free:
        parts += _numbers(column)
    numbers = np.column_stack(parts)
    header = None
    # With 0/1 columns there are more columns than names.
    if table.has_header and numbers.shape[1] == len(free):
        header = tuple(column.name for column in free)
    if kind is None:
        return replace(content, vectors=numbers, features=header)
    numbers = symmetric_matrix(numbers, table.where)
    return replace(content, similarity=numbers, names=content.names or header)


def _check_suspicions(
    table: Table, roles: Roles, free: list[Column], given: Mapping[str, Any]
) -> None:
    """Refuse identifiers, dates and classes that decide the distances as numbers; note others.

    Raises
    ------
    DataError
        With names for what each of them may be.
    """
    numeric = [column for column in free if column.numbers is not None]
    if len(numeric) < 2:
        return
    suspicions = []
    suspicions_by_name = suspicions_of(table)
    for column in numeric:
        suspicion = suspicions_by_name.get(column.name)
        if suspicion is None or suspicion.form == "constant":
            continue
        if column.name not in roles.numbers:
            suspicions.append(suspicion)
    if not suspicions:
        return
    sure = [suspicion for suspicion in suspicions if suspicion.is_sure]
    deciding: set[str] = set()
    if not is_scaled_by_column(given):
        deciding = decisive(numeric, [suspicion.column for suspicion in sure])
    if deciding:
        listed = "; ".join(one.reason for one in sure if one.column in deciding)
        raise DataError(
            f"{table.where}: {listed}, and would decide the distances; "
            f"{_ways_out(table, roles, sure, given)}"
        )
    listed = "; ".join(suspicion.reason for suspicion in suspicions)
    used = "it is used as a number" if len(suspicions) == 1 else "they are used as numbers"
    warnings.warn(
        f"{listed}; {used}: {_ways_out(table, roles, suspicions, given)}",
        ModelWarning,
        stacklevel=3,
    )


def _ways_out(
    table: Table, roles: Roles, suspicions: list[Suspicion], given: Mapping[str, Any]
) -> str:
    """Names of a file in which columns that look like no measurements have roles, or have none."""
    path = str(given["path"])
    kept = {**given, "path": None}
    columns = [suspicion.column for suspicion in suspicions]
    changes: dict[str, Any] = {}
    drop = list(roles.drop)
    for suspicion in suspicions:
        column = table.column(suspicion.column)
        are_different = len(set(column.cells)) == len(column.cells)
        names_items = suspicion.form == "identifier" and are_different
        if suspicion.form == "class" and not roles.labels and "labels" not in changes:
            changes["labels"] = [suspicion.column]
            if column.missing.any():
                changes["missing"] = "drop"
        elif names_items and roles.names is None and "names" not in changes:
            changes["names"] = suspicion.column
        else:
            drop.append(suspicion.column)
    ways = []
    if changes:
        ways.append(pasted_name(path, {**kept, **changes, "drop": drop}))
    ways.append(pasted_name(path, {**kept, "drop": [*roles.drop, *columns]}))
    measured = pasted_name(path, {**kept, "numbers": [*roles.numbers, *columns]})
    return f"write {' or '.join(ways)}, or {measured} for measurements"


def _check_measurements(
    table: Table, roles: Roles, labels: list[Column], given: Mapping[str, Any]
) -> None:
    """Refuse numbers of which most differ as labels, and note texts that all differ.

    Raises
    ------
    DataError
    """
    for column in labels:
        texts = list(column.texts or ())
        different = len(set(texts))
        if len(texts) < _LEAST_LABELS or different <= len(texts) / 2:
            continue
        if all(read_number(text) is not None for text in texts) and not are_codes(texts):
            rest = [name for name in roles.labels if name != column.name]
            kept = {**given, "path": None, "labels": rest}
            path = str(given["path"])
            raise DataError(
                f"{table.where}: column {column.name!r} has {different} different numbers in "
                f"{len(texts)} rows, which are a measurement and no classes; write "
                f"{pasted_name(path, kept)} to use them as numbers, or "
                f"{pasted_name(path, {**kept, 'drop': [*roles.drop, column.name]})}"
            )
        if len(labels) == 1 and different == len(texts):
            warnings.warn(
                f"column {column.name!r} has another label in each row, so that no two items are "
                f"in one class; names={column.name} makes them names",
                ModelWarning,
                stacklevel=3,
            )


def _content_of_matrix(
    table: Table, roles: Roles, matrix: Matrix, kind: Kind, missing: str | None
) -> Content:
    """The content of a table with a matrix, and perhaps with columns of labels."""
    values = symmetric_matrix(with_diagonal(matrix, kind), table.where)
    names = matrix.names
    if names is not None:
        n = len(names)
        places = [table.place(row) if n == len(table.lines) else f"item {row}" for row in range(n)]
        names = check_names(names, places, table.where)
        if names == tuple(map(str, range(n))):
            names = None  # the numbers that items without names have
    if not roles.labels:
        return Content(similarity=values, names=names)
    labels = [table.column(name) for name in roles.labels]
    if missing == "drop":
        present = np.ones(len(table.lines), dtype=bool)
        for column in labels:
            present &= ~(missing_labels(column) | _are_na(column))
        rows = np.flatnonzero(present)
        values = values[np.ix_(rows, rows)]
        labels = [_rows_of(column, rows) for column in labels]
        names = None if names is None else tuple(names[row] for row in rows)
    levels = [_classes(table, column) for column in labels]
    return Content(similarity=values, levels=table_of_labels(levels), names=names)


def missing_labels(column: Column) -> NDArray[np.bool_]:
    """Which labels (n,) are missing.

    Words such as NA and none are classes among texts, and missing among numbers.
    """
    texts = column.texts or ()
    are_missing = np.array([is_missing_label(text) for text in texts], dtype=bool)
    are_words = np.array([text.lower() in MISSING for text in texts], dtype=bool)
    others = [text for text, is_word in zip(texts, are_words, strict=True) if not is_word]
    if others and all(read_number(text) is not None for text in others):
        return are_words
    return are_missing


def _note_codes(free: list[Column]) -> None:
    """Add a note about numbers such as -999 that stand for missing ones."""
    for column in free:
        code = missing_code(column)
        if code:
            warnings.warn(
                f"column {column.name!r} has {code}, far below all other numbers; if it stands for "
                f"a missing one write missing_texts=[{code}],missing=median",
                ModelWarning,
                stacklevel=3,
            )


def _note_case(labels: list[Column]) -> None:
    """Add a note about labels that differ in nothing but small and capital letters."""
    for column in labels:
        spellings: dict[str, str] = {}
        for text in column.classes:
            other = spellings.setdefault(text.casefold(), text)
            if other != text:
                warnings.warn(
                    f"column {column.name!r} has the classes {other!r} and {text!r}; if they are "
                    "one class write them alike",
                    ModelWarning,
                    stacklevel=3,
                )
                break


def _are_na(column: Column) -> NDArray[np.bool_]:
    """Which labels (n,) are NA, as R writes a missing one, which may be a class as well."""
    return np.array([text == "NA" for text in column.texts or ()], dtype=bool)


def _note_na(table: Table, labels: list[Column], missing: str | None) -> None:
    """Add a note about labels NA among texts, which are classes or omitted."""
    for column in labels:
        rows = np.flatnonzero(_are_na(column) & ~missing_labels(column))
        if not rows.size:
            continue
        place = f"{table.place(rows[0])}, column {column.name!r}"
        if missing == "drop":
            text = f"{place}: the label NA is missing, and its row is omitted (missing=drop)"
        else:
            text = f"{place}: the label NA is used as a class; missing=drop omits its rows"
        warnings.warn(text, ModelWarning, stacklevel=3)


def _classes(table: Table, column: Column) -> list[str]:
    places = [table.place(row) for row in range(len(table.lines))]
    return class_texts(column.texts or (), places, f"{table.where}: column {column.name!r}")


def _problems(
    table: Table,
    roles: Roles,
    free: list[Column],
    missing: str | None,
    categorical: str | None,
) -> Iterator[str]:
    for name in roles.labels:
        column = table.column(name)
        absent = np.flatnonzero(missing_labels(column)).tolist()
        if absent and missing != "drop":
            label = "a label is" if len(absent) == 1 else f"{len(absent)} labels are"
            yield f"{table.place(absent[0])}, column {name!r}: {label} missing"
    for column in free:
        if column.numbers is None:
            if categorical is None:
                yield _text_problem(table, column)
            continue
        absent_rows = np.flatnonzero(np.isnan(column.numbers))
        if absent_rows.size and missing is None and categorical != "gower":
            number = "a number is" if absent_rows.size == 1 else f"{absent_rows.size} numbers are"
            yield f"{table.place(absent_rows[0])}, column {column.name!r}: {number} missing"
        infinite = np.flatnonzero(np.isinf(column.numbers))
        if infinite.size:
            yield (
                f"{table.place(infinite[0])}, column {column.name!r}: "
                f"{column.numbers[infinite[0]]} is not finite"
            )


def _text_problem(table: Table, column: Column) -> str:
    """What is wrong with a column of texts, by its first cell that is no number."""
    texts = column.texts or ()
    if all(map(looks_numeric, texts)):
        return f"{table.place(0)}, column {column.name!r}: {texts[0]!r} is written like a code"
    row = next(i for i, text in enumerate(texts) if not looks_numeric(text))
    cell = texts[row] if len(texts[row]) <= 40 else texts[row][:40] + "..."
    found = {text for text in texts if not looks_numeric(text)}
    more = {"dates": "is a date", "texts": f"is not a number ({len(found)} different texts)"}
    reason = more.get(column.kind, "is not a number") if len(found) > 1 else "is not a number"
    if column.kind == "numbers with units":
        reason += " (it would be without its unit)"
    return f"{table.place(row)}, column {column.name!r}: {cell!r} {reason}"


def _message(table: Table, roles: Roles, given: Mapping[str, Any], problems: list[str]) -> str:
    listed = "; ".join(problems[:_SHOWN])
    if len(problems) > _SHOWN:
        listed += f"; and {len(problems) - _SHOWN} more"
    guessed = guess(table, roles, given)
    params = {name: value for name, value in guessed.params().items() if value}
    if any(missing_labels(table.column(name)).any() for name in roles.labels):
        params["missing"] = "drop"
    used = {params.get("names"), *params.get("labels", ()), *params.get("drop", ())}
    if used.issuperset(table.names) and not params.get("texts"):
        return f"{table.where}: {listed}; correct the file, as no column of numbers is left"
    path = str(given["path"])
    asked = ""
    if guessed.candidates:
        truth = guessed.candidates[0]
        with_truth = {**params, **guessed.params_with_truth(table, truth)}
        name = pasted_name(path, {**given, **with_truth, "path": None})
        asked = f" if {' with '.join(map(repr, truth))} is the truth write {name};"
    name = pasted_name(path, {**given, **params, "path": None})
    return f"{table.where}: {listed};{asked} correct the file, or write {name}"


def _message_without_numbers(table: Table, roles: Roles, given: Mapping[str, Any]) -> str:
    """What to write for a table of which no column has numbers."""
    start = f"{table.where}: no numeric column is left; {_listed(table)}"
    if roles.names is None:
        return (
            f"{start}; is it the right file? Items with nothing but names need "
            "names=COLUMN,texts=true"
        )
    name = pasted_name(str(given["path"]), {**given, "path": None, "texts": True})
    return f"{start}; for items with nothing but names and labels write {name}"


def _listed(table: Table) -> str:
    return f"there are {', '.join(table.names[:12])}" + (" ..." if len(table.names) > 12 else "")


def _without(table: Table, rows: NDArray[np.int64]) -> Table:
    """Some rows of a table."""
    columns = tuple(_rows_of(column, rows) for column in table.columns)
    return replace(table, columns=columns, lines=table.lines[rows])


def _rows_of(column: Column, rows: NDArray[np.int64]) -> Column:
    numbers = None if column.numbers is None else column.numbers[rows]
    texts = None if column.texts is None else [column.texts[row] for row in rows]
    return replace(column, numbers=numbers, texts=texts)


def _imputed(column: Column, how: str) -> Column:
    """A column of numbers whose missing ones are its mean or median."""
    if column.numbers is None or not np.isnan(column.numbers).any():
        return column
    present = column.numbers[~np.isnan(column.numbers)]
    value = present.mean() if how == "mean" else np.median(present)
    return replace(column, numbers=np.where(np.isnan(column.numbers), value, column.numbers))


def _numbers(column: Column) -> list[NDArray[np.float64]]:
    """The numbers of a column, of texts one indicator per class."""
    if column.numbers is not None:
        return [column.numbers]
    texts = np.array(column.texts)
    return [(texts == of).astype(np.float64) for of in column.classes]


def gower(columns: list[Column]) -> NDArray[np.float64]:
    """Gower's distances (n, n) of columns of numbers and texts.

    The mean over columns of ``|x_i - x_j| / range`` for numbers, and of 0 or 1 for equal or
    different texts. A column counts for the pairs of items for which neither cell is missing
    (Gower 1971, "A general coefficient of similarity and some of its properties").

    Raises
    ------
    DataError
        If two items have no column in which both are present.
    """
    n = len(columns[0].missing)
    total, count = np.zeros((n, n)), np.zeros((n, n))
    for column in columns:
        present = ~column.missing
        both = np.logical_and.outer(present, present)
        if column.numbers is not None:
            values = np.where(present, column.numbers, 0.0)
            extent = float(np.ptp(column.numbers[present])) if present.any() else 0.0
            distance = np.abs(np.subtract.outer(values, values)) / (extent or 1.0)
        else:
            codes = np.unique(np.array(column.texts), return_inverse=True)[1].ravel()
            distance = np.not_equal.outer(codes, codes).astype(np.float64)
        total += np.where(both, distance, 0.0)
        count += both
    if not count.all():
        i, j = np.argwhere(count == 0)[0]
        raise DataError(f"items {i} and {j} share no column with a value; drop one of them")
    return total / count
