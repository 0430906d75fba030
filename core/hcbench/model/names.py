"""Which items of two things are the same: the one place in which items are matched.

- Two things that have names are matched by name, and must have the same names.
- Items without names are the numbers 0..n-1. Names that are exactly these numbers, in any order,
  mean the numbers, and match things without names.
- Other names do not match a thing without names: its order is then unknown.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import DataError, ModelWarning
from hcbench.model.squares import is_symmetric

#: How items without names are identified, and where names come from: the number of a leaf is part
#: of a tree; the rows of an array have an order only; an index of pandas keeps its numbers when the
#: rows are shuffled.
Origin: TypeAlias = Literal["numbers", "rows", "index"]

#: The most names in a message.
_MOST_LISTED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedItems:
    """The items of one thing, with what a message says about it.

    Attributes
    ----------
    what : str
        The thing that has the items: "the labels", or a file.
    n : int
        Number of items.
    names : tuple of str, optional
        The names, in the order of the items.
    origin : {"numbers", "rows", "index"}
        Where the names come from, or how items without names are identified.
    give : str
        How a user gives names to the thing, where it has none.
    drop : str
        How a user drops the names of the thing.
    """

    what: str
    n: int
    names: tuple[str, ...] | None = None
    origin: Origin = "numbers"
    give: str = ""
    drop: str = ""


def match_items(source: NamedItems, target: NamedItems) -> NDArray[np.int64]:
    """The position in the source of each item of the target, (n,).

    Raises
    ------
    DataError
        If the items are not the same, or it cannot be known which of them are.

    Warns
    -----
    ModelWarning
        If names are equal only with blanks for underscores and apostrophes that are not doubled, as
        programs write them in Newick.
    """
    if source.names is target.names or source.names == target.names:
        if source.n != target.n:
            raise DataError(f"{source.what} has {source.n} items, and {target.what} {target.n}")
        return np.arange(source.n)
    _check_distinct(source)
    _check_distinct(target)
    names = source.names
    target_names = target.names
    # One of them at most has no names: otherwise their names would be equal.
    if names is None:
        names = _numbers_for(source, target)
    elif target_names is None:
        target_names = _numbers_for(target, source)
    assert target_names is not None
    position_of = {name: position for position, name in enumerate(names)}
    if position_of.keys() != set(target_names):
        # Newick does not tell blanks from underscores: try what the names may mean.
        position_of = _positions_as_meant(names, target_names)
        if not position_of:
            raise DataError(_describe_difference(source, names, target, target_names))
        warnings.warn(
            "labels are matched with blanks for underscores, and ' for ''",
            ModelWarning,
            stacklevel=3,
        )
        target_names = tuple(map(_as_meant, target_names))
    return np.array([position_of[name] for name in target_names], dtype=np.int64)


def common_positions(things: Sequence[NamedItems]) -> list[NDArray[np.int64]]:
    """The positions in each thing of the items that all have, in the order of the first.

    Names are compared by what they may mean in Newick; see `match_items`. Items without names are
    the numbers 0..n-1.

    Parameters
    ----------
    things : sequence of NamedItems

    Raises
    ------
    DataError
        If two items of a thing have the same name, or no item is in all.
    """
    tables: list[dict[str, int]] = []
    for thing in things:
        _check_distinct(thing)
        names = thing.names
        if names is None:
            names = tuple(map(str, range(thing.n)))
        tables.append(_positions_of(names))
    # In the order of the first, as a dictionary keeps it.
    shared = dict(tables[0])
    for table in tables[1:]:
        for name in shared.keys() - table.keys():
            del shared[name]
    if not shared:
        raise DataError(
            f"no item of {things[0].what} is in all files: its first names are "
            f"{few_names(list(tables[0]))}, and those of {things[-1].what} "
            f"{few_names(list(tables[-1]))}"
        )
    positions = []
    for table in tables:
        positions.append(np.array([table[name] for name in shared], dtype=np.int64))
    return positions


def _positions_of(names: Sequence[str]) -> dict[str, int]:
    """The positions of names, as they may be meant unless two would be the same."""
    meant = {_as_meant(name): position for position, name in enumerate(names)}
    if len(meant) == len(names):
        return meant
    return {name: position for position, name in enumerate(names)}


class CanBeNamed(Protocol):
    """A tree or partition: its items may have names."""

    def with_names(self, names: Iterable[str] | None) -> Self:
        """Return the same with other names."""


Named = TypeVar("Named", bound=CanBeNamed)


def put_in_order_of(
    items: NamedItems,
    thing: Named,
    description: NamedItems,
    reorder: Callable[[NDArray[np.int64]], Named],
) -> Named:
    """Return a tree or partition with its items in the order of other items, and with their names.

    Parameters
    ----------
    items : NamedItems
        The items whose order and names the result has.
    thing : Tree or Partition
        What is put into order.
    description : NamedItems
        The items of the thing, as messages describe them.
    reorder : callable
        ``reorder(positions)`` returns the thing whose item i is the present item ``positions[i]``.

    Raises
    ------
    DataError
        If the items are not the same.
    """
    positions = match_items(description, items)
    if (positions == np.arange(description.n)).all():
        return thing.with_names(items.names)
    return reorder(positions).with_names(items.names)


def names_of_index(data: Any, *, only_own: bool = False) -> tuple[str, ...] | None:
    """The names in the index of a DataFrame or Series; None if it is no such thing.

    The numbers of an index are names as well. With ``only_own``, None also for the default index,
    0..n-1 in order, and for names of which two are equal, as these cannot name items.

    Examples
    --------
    >>> import pandas as pd
    >>> names_of_index(pd.Series([0.1, 0.7], index=["cat", "dog"]))
    ('cat', 'dog')
    >>> names_of_index(pd.Series([0.1, 0.7]), only_own=True) is None
    True
    """
    index: Any = getattr(data, "index", None)
    if not hasattr(index, "dtype"):
        # It is the method of lists and tuples.
        return None
    values = index.tolist()
    if index.dtype.kind == "f" and all(map(float.is_integer, values)):
        # pandas makes floats of whole numbers where one is missing.
        values = list(map(int, values))
    names = tuple(map(str, values))
    if only_own and (len(set(names)) < len(names) or is_default(names)):
        return None
    return names


def is_default(names: Sequence[str]) -> bool:
    """Whether names are the numbers 0..n-1 in order."""
    return tuple(names) == tuple(map(str, range(len(names))))


def columns_in_row_order(frame: Any) -> Any:
    """A DataFrame whose columns have the names of its rows, in the order of the rows.

    Other DataFrames are not changed. Columns without names are the numbers 0..n-1, unless the
    values are symmetric as they stand.

    Raises
    ------
    DataError
        If a name is there twice.
    """
    rows = names_of_index(frame)
    columns = _column_names(frame)
    if rows is None or rows == columns or set(rows) != set(columns):
        return frame
    values = frame.to_numpy(np.float64)
    if is_default(columns) and is_symmetric(values):
        return frame
    positions = match_items(
        NamedItems(what="the columns of the DataFrame", n=len(columns), names=columns),
        NamedItems(what="its index", n=len(rows), names=rows),
    )
    return frame.iloc[:, positions]


def is_of_features(frame: Any) -> bool:
    """Whether rows and columns have names, and other ones, so that columns are no items."""
    rows = names_of_index(frame, only_own=True)
    columns = _column_names(frame)
    return rows is not None and not is_default(columns) and set(rows) != set(columns)


def _column_names(frame: Any) -> tuple[str, ...]:
    return tuple(str(name) for name in frame.columns)


def few_names(names: Sequence[str]) -> str:
    """The first names, and the number of the others, for a message."""
    first_names = ", ".join(map(repr, names[:_MOST_LISTED]))
    n_more = len(names) - _MOST_LISTED
    if n_more > 0:
        return f"{first_names} and {n_more} more"
    return first_names


def _check_distinct(items: NamedItems) -> None:
    """Refuse names of which two are equal."""
    if items.names is None or len(set(items.names)) == len(items.names):
        return
    name, count = Counter(items.names).most_common(1)[0]
    way_out = "give different names"
    if items.drop:
        way_out += f", or drop them: {items.drop}"
    raise DataError(
        f"{items.what}: {count} items are named {name!r}, so they cannot be matched by name; "
        f"{way_out}"
    )


def _numbers_for(unnamed: NamedItems, labelled: NamedItems) -> tuple[str, ...]:
    """The numbers of items without names, if the names of the other ones are numbers, too.

    Where one of them has more items, so that their names cannot be the same, the names still mean
    numbers, and the missing ones can be told.
    """
    assert labelled.names is not None
    numbers = tuple(map(str, range(unnamed.n)))
    possible_numbers = set(map(str, range(max(unnamed.n, labelled.n))))
    if not set(labelled.names) <= possible_numbers:
        if unnamed.n != labelled.n:
            raise DataError(
                f"{labelled.what} has {labelled.n} items, and {unnamed.what} {unnamed.n}, without "
                "names"
            )
        extra = ""
        if labelled.names[0].isdecimal():
            extra = f", which are not the numbers 0..{labelled.n - 1}"
        raise DataError(
            f"the items of {labelled.what} are named {few_names(labelled.names)}{extra}, and those "
            f"of {unnamed.what} have no names, so their order is unknown; "
            f"{_ways_out(unnamed, labelled)}"
        )
    # Rows have an order only, so the numbers of a shuffled index cannot be matched with them.
    if not is_default(labelled.names) and {unnamed.origin, labelled.origin} == {"rows", "index"}:
        raise DataError(
            f"the items of {labelled.what} have the numbers {few_names(labelled.names)}, not in "
            f"order, and those of {unnamed.what} have none; if both are in one order, drop the "
            f"numbers, {labelled.drop}; if those of {unnamed.what} are in the order 0, 1, ..., "
            f"sort by them, {labelled.drop.replace('reset_index(drop=True)', 'sort_index()')}"
        )
    return numbers


def _ways_out(unnamed: NamedItems, labelled: NamedItems) -> str:
    """How a user can have the items of two things matched."""
    ways = []
    if unnamed.give:
        ways.append(f"give names, {unnamed.give}")
    if labelled.drop:
        ways.append(f"if the order is the same, drop the names, {labelled.drop}")
    return "; or, ".join(ways)


def _as_meant(name: str) -> str:
    """A name as its program may have meant it.

    In Newick an underscore may stand for a blank, which a label without quotes cannot have.
    scikit-bio doubles apostrophes there, too, as in ``d''Ivoire``.
    """
    return name.replace("_", " ").replace("''", "'")


def _positions_as_meant(names: Sequence[str], target_names: Sequence[str]) -> dict[str, int]:
    """The positions of names by what they may mean; empty if they are not the same even so."""
    position_of = {_as_meant(name): i for i, name in enumerate(names)}
    target_meanings = {_as_meant(name) for name in target_names}
    are_distinct = len(position_of) == len(names) and len(target_meanings) == len(target_names)
    if not are_distinct or position_of.keys() != target_meanings:
        return {}
    return position_of


def _describe_difference(
    source: NamedItems, names: Sequence[str], target: NamedItems, target_names: Sequence[str]
) -> str:
    """Which names are missing, and which are too many; those that may mean the same are neither."""
    meaning: Callable[[str], str] = _as_meant
    for checked_names in (names, target_names):
        if len(set(map(meaning, checked_names))) < len(checked_names):
            # Two names of one thing would mean the same: compare them as they are written.
            meaning = str
    source_meanings = set(map(meaning, names))
    target_meanings = set(map(meaning, target_names))
    missing = [name for name in target_names if meaning(name) not in source_meanings]
    extra = [name for name in names if meaning(name) not in target_meanings]
    parts = []
    if missing:
        parts.append(f"{few_names(missing)} {_is_or_are(missing)} missing")
    if extra:
        parts.append(f"{few_names(extra)} {_is_or_are(extra)} not among the items of {target.what}")
    text = f"{source.what}: {', and '.join(parts)}"
    unnamed = target
    if source.names is None:
        unnamed = source
    if unnamed.names is None:
        text += f"; {unnamed.what} has no names but the numbers 0..{unnamed.n - 1}"
        if unnamed.give:
            text += f": give names, {unnamed.give}"
    return text


def _is_or_are(names: Sequence[str]) -> str:
    if len(names) == 1:
        return "is"
    return "are"
