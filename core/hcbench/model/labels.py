"""Class labels of any type as integers, with the names of the classes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hcbench.errors import DataError, ModelWarning
from hcbench.model.numbers import are_codes, read_number, same_number_text

#: Texts of missing labels, as in files: numpy writes "nan" where a list has texts and NaN.
_MISSING_TEXTS = frozenset({"", "nan", "NaN"})

#: With fewer items, many different numbers may still be classes.
_FEWEST_ITEMS = 10

#: Types of missing values of pandas, which need not be imported to recognise them.
_MISSING_TYPES = frozenset({"NAType", "NaTType", "MaskedConstant"})


def coded_labels(
    labels: Any, where: str = "labels"
) -> tuple[NDArray[np.int64], tuple[tuple[str, ...], ...]]:
    """Class labels as integers, and the names of the classes in their order.

    Parameters
    ----------
    labels : (n,) or (n, L) array_like, Series, Categorical or DataFrame
        Numbers, texts, dates or other objects that can be sorted. Labels are the same class if
        they are equal in Python, as 1, 1.0 and True are. In one level, texts and numbers may only
        be mixed if no text reads as one of the numbers.
    where : str
        What the labels are, for messages.

    Returns
    -------
    codes : (n, L) int64 array
        Column for column the place of the label among the sorted classes.
    classes : tuple of L tuples of str
        The names of the classes.

    Raises
    ------
    DataError
        If a label is missing: None, NaN, NaT, NA, masked, an empty text or "nan"; if one level has
        a number and the same number as a text; if labels are complex, or cannot be sorted; if most
        are different numbers with fractions.
    """
    table = _table_of(labels, where)
    codes = np.empty(table.shape, dtype=np.int64)
    classes: list[tuple[str, ...]] = []
    for level in range(table.shape[1]):
        column = table[:, level]
        _check_present(column, where)
        comparable = _comparable(column, where)
        values, inverse = _sorted_classes(comparable, where)
        if values.dtype.kind == "f":
            _check_no_measurement(values, len(column), where)
        codes[:, level] = inverse.ravel()
        classes.append(tuple(map(str, values)))
    return codes, tuple(classes)


def check_labels(labels: Sequence[Any], where: str) -> None:
    """Refuse missing labels, and a number beside the same number as a text.

    Parameters
    ----------
    labels : sequence of n objects
        The labels, one for each item.
    where : str
        What the labels are, for messages.

    Raises
    ------
    DataError
        If a label is missing, or may be one class or two.
    """
    for item, label in enumerate(labels):
        if _is_missing(label):
            raise _missing(item, label, where)
    _check_no_text_is_a_number(labels, where)


def _check_present(column: NDArray[Any], where: str) -> None:
    kind = column.dtype.kind
    if kind == "f":
        is_missing = np.isnan(column)
    elif kind in "mM":
        is_missing = np.isnat(column)
    elif kind == "U":
        is_missing = np.isin(np.char.strip(column), sorted(_MISSING_TEXTS))
    elif kind == "O":
        missing_marks = [_is_missing(label) for label in column.tolist()]
        is_missing = np.array(missing_marks, dtype=bool)
    else:
        # Integers and bools have no value that means a missing one.
        return
    if is_missing.any():
        item = int(is_missing.argmax())
        raise _missing(item, column[item], where)


def _missing(item: int, label: Any, where: str) -> DataError:
    reason = "missing"
    if isinstance(label, str):
        reason = f"missing ({str(label)!r})"
    return DataError(f"{where}: the label of item {item} is {reason}; fill it in, or drop the item")


def _is_missing(label: Any) -> bool:
    if label is None or type(label).__name__ in _MISSING_TYPES:
        return True
    if isinstance(label, str):
        return label.strip() in _MISSING_TEXTS
    try:
        return bool(label != label)  # NaN of any type, and NaT
    except (TypeError, ValueError):
        return False


def _table_of(labels: Any, where: str) -> NDArray[Any]:
    """Labels (n, L), each with its own type, as numpy makes texts of numbers beside texts."""
    if isinstance(labels, np.ma.MaskedArray) and np.ma.getmaskarray(labels).any():
        masked = np.argwhere(np.ma.getmaskarray(labels))
        raise DataError(
            f"{where}: the label of item {masked[0][0]} is masked ({len(masked)} in all); fill it "
            "in, or drop the item"
        )
    try:
        if isinstance(labels, list | tuple):
            # Otherwise [1, "1"] would be two equal texts.
            table = np.array(labels, dtype=object)
        else:
            table = np.asarray(labels)
    except ValueError as error:
        raise DataError(f"{where}: the items have different numbers of labels") from error
    if table.ndim == 0:
        raise DataError(
            f"{where} must have shape (n,) or (n, L), got {type(labels).__name__}; "
            "pandas.Series(labels) has the labels of a dict by name"
        )
    if table.ndim == 1:
        if table.dtype.kind == "O" and any(isinstance(x, list | tuple) for x in table):
            raise DataError(f"{where}: the items have different numbers of labels")
        table = table[:, None]
    if table.ndim != 2:
        raise DataError(f"{where} must have shape (n,) or (n, L), got {table.shape}")
    # Bytes, as of HDF5, are texts; what is no UTF-8 stays a class of its own.
    if table.dtype.kind == "S":
        return np.char.decode(table, "utf-8", "replace")
    return table


def _comparable(column: NDArray[Any], where: str) -> NDArray[Any]:
    """Labels of one type that can be sorted: numbers, texts, or objects as they are."""
    if column.dtype.kind == "c":
        raise DataError(f"{where} are complex numbers; give texts or integers")
    if column.dtype.kind != "O":
        return column
    labels = column.tolist()
    is_text = [isinstance(label, str) for label in labels]
    if all(is_text):
        return np.array(labels, dtype=str)
    if all(_is_number(label) for label in labels):
        return _numbers(labels)
    if any(is_text):
        # Texts cannot be sorted among numbers, dates or other objects.
        _check_no_text_is_a_number(labels, where)
        return np.array(list(map(str, labels)), dtype=str)
    return column


def _is_number(label: Any) -> bool:
    return isinstance(label, int | float | np.bool_ | np.integer | np.floating)


def _numbers(labels: list[Any]) -> NDArray[Any]:
    """Numbers of one type; Python integers where floats would merge large ones."""
    if all(isinstance(label, bool | np.bool_) for label in labels):
        return np.array(labels, dtype=bool)
    if all(float(label).is_integer() for label in labels):
        # 1 and 1.0 are one class; numpy has objects for integers of more than 64 bits.
        return np.array(list(map(int, labels)))
    return np.array(labels, dtype=np.float64)


def _check_no_text_is_a_number(labels: Sequence[Any], where: str) -> None:
    item_of_text: dict[Any, int] = {}  # the first item with a text, by what the text reads as
    for item, label in enumerate(labels):
        if isinstance(label, str):
            item_of_text.setdefault(_as_read(label), item)
    # All are texts, or none: nothing can be confused.
    if len(item_of_text) in (0, len(labels)):
        return
    for item, label in enumerate(labels):
        if not isinstance(label, str) and label in item_of_text:
            text_item = item_of_text[label]
            raise DataError(
                f"{where}: item {item} has {label!r} and item {text_item} the text "
                f"{labels[text_item]!r}, which may be one class or two; give all as texts, "
                "[str(x) for x in labels], or all as numbers"
            )


def _as_read(text: str) -> Any:
    """The number or truth value that a text reads as; else itself."""
    if text in ("True", "False"):
        return text == "True"
    try:
        return float(text)
    except ValueError:
        return text


def _check_no_measurement(distinct: NDArray[np.floating[Any]], n: int, where: str) -> None:
    """Refuse labels of n items that are mostly different numbers (k,) with fractions."""
    has_fractions = bool((distinct != np.floor(distinct)).any())
    if n >= _FEWEST_ITEMS and len(distinct) > n / 2 and has_fractions:
        raise DataError(
            f"{where}: {len(distinct)} different numbers of {n} items, such as {distinct[0]:g}, "
            "are a measurement and no classes; give classes, such as those of "
            "pandas.cut(labels, 3)"
        )


def _sorted_classes(column: NDArray[Any], where: str) -> tuple[NDArray[Any], NDArray[np.int64]]:
    # The order of the classes does not depend on that of the items, so that codes are reproducible.
    try:
        values, inverse = np.unique(column, return_inverse=True)
    except TypeError as error:
        raise DataError(
            f"{where}: labels of different types cannot be sorted ({error}); give texts, "
            "[str(x) for x in labels]"
        ) from error
    return values, inverse


def class_texts(texts: Sequence[str], places: Sequence[str], where: str) -> list[str]:
    """The names of classes in a file: equal numbers have one text, others are as they are written.

    Parameters
    ----------
    texts : sequence of n str
        The labels of the items, none missing.
    places : sequence of n str
        Where each label is, such as "line 3".
    where : str
        What the labels are, for messages.

    Raises
    ------
    DataError
        If a number is written in two ways between texts, so that it may be one class or two; if
        most are different numbers with fractions.

    Examples
    --------
    >>> class_texts(["1", "1.0", "2"], ["line 1", "line 2", "line 3"], "labels.csv")
    ['1', '1', '2']
    """
    # 2E10 is a number for Python, and a well of a plate for its user.
    if are_codes(texts):
        return list(texts)
    numbers = [read_number(text) for text in texts]
    are_numbers = [number is not None for number in numbers]
    if all(are_numbers):
        _check_no_measurement(np.unique(np.array(numbers, dtype=np.float64)), len(texts), where)
        return [same_number_text(text) for text in texts]
    first_rows: dict[str, int] = {}
    for row, text in enumerate(texts):
        if not are_numbers[row]:
            continue
        first = first_rows.setdefault(same_number_text(text), row)
        if texts[first] != text:
            raise DataError(
                f"{where} has the classes {texts[first]!r} ({places[first]}) and {text!r} "
                f"({places[row]}) among texts, which may be one or two; write them alike, or as "
                "different words"
            )
    return list(texts)


def _list_levels(names: Sequence[str]) -> str:
    quoted = ", ".join([f"'{name}'" for name in names])
    return f"give them as {quoted}"


def check_levels(
    levels: ArrayLike,
    names: Sequence[str],
    where: str,
    correction: Callable[[Sequence[str]], str] = _list_levels,
) -> None:
    """Refuse levels from fine to coarse, and warn of levels that cross.

    Parameters
    ----------
    levels : (n, L) labels
        Column 0 is meant to be the coarsest.
    names : L str
        Names of the levels, for messages.
    where : str
        The file or argument that has the levels, for messages.
    correction : callable
        It gets the names in the right order, and returns what to do.

    Raises
    ------
    DataError
        If each class of a level lies in one class of the next, but not the other way round: the
        next level would then add nothing.

    Warns
    -----
    ModelWarning
        If classes of a level lie in several classes of the level before.

    Examples
    --------
    >>> coarse = ["animal", "animal", "plant"]
    >>> fine = ["cat", "dog", "oak"]
    >>> check_levels(np.column_stack([coarse, fine]), ["kingdom", "species"], "life.csv")
    >>> check_levels(np.column_stack([fine, coarse]), ["species", "kingdom"], "life.csv")
    Traceback (most recent call last):
        ...
    hcbench.errors.DataError: life.csv: the levels are from fine to coarse, ...
    """
    # The codes of the items at each level, and how many classes it has.
    columns = []
    n_classes = []
    for column in np.asarray(levels).T:
        classes, codes = np.unique(column, return_inverse=True)
        columns.append(codes.ravel())
        n_classes.append(len(classes))
    for k, (coarse, fine) in enumerate(pairwise(columns)):
        # Nested levels have as many pairs as the finer one has classes.
        pairs = np.unique(np.column_stack([coarse, fine]), axis=0)
        if len(pairs) == n_classes[k] > n_classes[k + 1]:
            # Each class of this level occurs with one of the next, which has fewer.
            order = [names[i] for i in np.argsort(n_classes, kind="stable")]
            raise DataError(
                f"{where}: the levels are from fine to coarse, as each class of {names[k]!r} lies "
                f"in one class of {names[k + 1]!r}; {correction(order)}"
            )
        n_crossing = int((np.bincount(pairs[:, 1]) > 1).sum())
        if n_crossing:
            warnings.warn(
                f"{n_crossing} of the {n_classes[k + 1]} classes of {names[k + 1]} lie in several "
                f"classes of {names[k]}, and count as a class of their own in each",
                ModelWarning,
                stacklevel=3,
            )
