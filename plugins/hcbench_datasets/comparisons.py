"""Comparisons of items in tables: whether the rows of a file are such, and what to note on them."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hcbench import DataError, ModelWarning
from hcbench.files import comparison_columns
from hcbench_datasets.columns import are_items
from hcbench_datasets.content import Column, Roles, Table, names_of, with_texts
from hcbench_datasets.file_names import changed_name

if TYPE_CHECKING:
    from hcbench import Comparisons

_LEAST_NAMED_COMPARISONS = 10  # rows of which chance does not make all cells differ
_LEAST_NAMED_ITEMS = 4
_MANY_COMPARISONS = 5  # in which an item is usually
_SHOWN = 3  # names in a note


# ---- Whether a table has comparisons -------------------------------------------------------------


def looks_like_comparisons(table: Table, roles: Roles, params: Mapping[str, Any]) -> bool:
    """Whether a table has the columns of comparisons, by their names."""
    # Comparisons have no labels and no names of rows.
    is_excluded = params["comparisons"] is False or roles.labels or roles.names is not None
    if is_excluded or not table.has_header:
        return False
    places = comparison_columns(table.names)
    if places is None:
        return False
    for role, place in places.items():
        # i, j, k and l are items; longer roles are the response and who gave it.
        if len(role) == 1 and not are_items(table.columns[place]):
            return False
    return True


def check_no_comparisons(table: Table, roles: Roles, params: Mapping[str, Any]) -> None:
    """Raise `DataError` if the columns of a table are those of comparisons, or may be.

    Columns with names such as anchor, near and far are; rows of whole numbers below other names, or
    without a header, may be, if those of a row differ and all items from 0 or 1 on are in some row.
    """
    if params["comparisons"] is False or roles.labels or params["texts"]:
        return
    path = str(params["path"])
    columns = table.columns_without_role(roles)
    without_comparisons = changed_name(params, comparisons=False)
    if looks_like_comparisons(table, roles, params):
        unused = columns_beside_comparisons(table, roles)
        used = [name for name in names_of(columns) if name not in unused]
        listed = ", ".join(used)
        raise DataError(
            f"{path}: the columns {listed} are comparisons of items; write "
            f"{changed_name(params, comparisons=True, drop=unused)}, or {without_comparisons} for "
            "vectors"
        )
    items = columns_of_named_items(columns)
    if items:
        listed = ", ".join(names_of(items))
        raise DataError(
            f"{path}: the columns {listed} have other items in each row, and may be comparisons; "
            "give the columns of items the names anchor,near,far, or anchor,left,right with a "
            "column response that has the nearer one, and worker to another one; write "
            f"{without_comparisons} if they are answers to questions"
        )
    if not table.has_header and _may_be_comparisons(columns):
        raise DataError(
            f"{path}: the rows may be comparisons of items; write "
            f"{changed_name(params, comparisons=True, drop=list(roles.drop))}, or "
            f"{without_comparisons} for vectors"
        )
    # The first or the last column may have the annotators.
    parts = [columns, columns[1:], columns[:3]]
    if any(map(_may_be_comparisons, parts)):
        raise DataError(
            f"{path}: the rows may be comparisons of items; give their columns the names "
            f"anchor,near,far, and worker to another one, or write {without_comparisons} for "
            "vectors"
        )


def columns_beside_comparisons(table: Table, roles: Roles) -> list[str]:
    """The columns beside those of comparisons, which are to be dropped; those given first."""
    places = comparison_columns(table.names) or {}
    used = names_of(table.columns[place] for place in places.values())
    unused = list(roles.drop)
    for name in table.names:
        if name not in used and name not in roles.drop:
            unused.append(name)
    return unused


def columns_of_named_items(columns: Sequence[Column]) -> list[Column]:
    """Three columns of texts that may be the items of comparisons; an empty list if none are.

    They have the same texts, of which those of a row always differ. Answers to three questions
    would be equal in some row.
    """
    texts = [column for column in with_texts(columns) if column.kind == "texts"]
    for start in range(len(texts) - 2):
        group = texts[start : start + 3]
        # All columns have as many rows.
        if len(group[0].cells) < _LEAST_NAMED_COMPARISONS:
            return []
        if _share_named_items(group) and _differ_in_each_row(group):
            return group
    return []


def _share_named_items(columns: Sequence[Column]) -> bool:
    """Whether each column has more than half of the items of all."""
    items: set[str] = set()
    fewest = math.inf
    for column in columns:
        items.update(column.classes)
        fewest = min(fewest, len(column.classes))
    return len(items) >= _LEAST_NAMED_ITEMS and fewest > len(items) / 2


def _differ_in_each_row(columns: Sequence[Column]) -> bool:
    rows = zip(*(column.cells for column in columns), strict=True)
    return all(len(set(cells)) == len(cells) for cells in rows)


def _may_be_comparisons(columns: Sequence[Column]) -> bool:
    """Whether columns of whole numbers may be those of comparisons, all of them items."""
    if len(columns) not in (3, 4) or not all(map(are_items, columns)):
        return False
    numbers = []
    for column in columns:
        if column.numbers is None:
            return False
        # Named items are asked about elsewhere.
        numbers.append(column.numbers)
    rows = np.column_stack(numbers)
    items = np.unique(rows)
    if len(rows) < max(10, len(items)):
        return False
    # A fourth column of triplets may have the annotators, whose numbers are also those of items.
    triplets = np.sort(rows[:, :3], axis=1)
    if not (np.diff(triplets, axis=1) > 0).all():
        return False
    if np.array_equal(items, np.arange(len(items))):
        return True
    return len(items) > 3 and np.array_equal(items, np.arange(1, len(items) + 1))


# ---- Notes on comparisons ------------------------------------------------------------------------


def note_contradictions(comparisons: Comparisons) -> None:
    """Add a note if some queries have both answers; all comparisons are kept."""
    number = comparisons.contradictions()
    if number:
        warnings.warn(
            f"{number} of the queries have been answered in both ways",
            ModelWarning,
            stacklevel=3,
        )


def note_rare_items(comparisons: Comparisons, names: Sequence[str] | None) -> None:
    """Add a note about a name in a single comparison where others are in many: a slip, perhaps."""
    # Numbers of items have no spelling.
    if names is None or not len(comparisons):
        return
    rows = np.sort(comparisons.quadruplets(), axis=1)
    # The common item of a triplet is in two places of its row, and counts once.
    is_first = np.ones(rows.shape, dtype=bool)
    is_first[:, 1:] = rows[:, 1:] != rows[:, :-1]
    n_rows = np.bincount(rows[is_first], minlength=comparisons.n)
    rare = np.flatnonzero(n_rows == 1)
    # With few comparisons, many items are in one of them.
    if not rare.size or np.median(n_rows) < _MANY_COMPARISONS:
        return
    rare_names = [names[item] for item in rare[:_SHOWN]]
    listed = ", ".join(map(repr, rare_names))
    if rare.size > _SHOWN:
        listed += ", ..."
    warnings.warn(
        f"in a single comparison each: {listed}; is it written as in the others?",
        ModelWarning,
        stacklevel=3,
    )
