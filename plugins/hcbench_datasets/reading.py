"""Files as the user's own data: what a file is read as, and its content."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from hcbench import DataError, ModelWarning
from hcbench.model import check_levels, check_regular
from hcbench_datasets.arrays import read_array
from hcbench_datasets.beside import files_of_10x, with_files
from hcbench_datasets.cells import SUFFIX, read_cells
from hcbench_datasets.comparisons import check_no_comparisons
from hcbench_datasets.content import (
    Content,
    Roles,
    Table,
    check_columns,
    names_of,
    places,
    with_numbers,
    with_texts,
)
from hcbench_datasets.encoded import suffix_of
from hcbench_datasets.file_names import changed_name, set_params, written_value
from hcbench_datasets.kinds import as_similarities, ask_about_square, matrix_message, wanted_kind
from hcbench_datasets.matrices import matrix_of
from hcbench_datasets.merges import check_no_merges, check_no_merges_in_table
from hcbench_datasets.missing import with_missing_texts
from hcbench_datasets.ordinal import read_ordinal, with_ordinal_numbers
from hcbench_datasets.preparation import logarithms, transposed
from hcbench_datasets.roles import content_of, take_row_names
from hcbench_datasets.tables import SUFFIXES, TEXTS_OF_PROGRAMS, read_table

#: Parameters that arrays do not have.
_OF_TABLES = (
    "texts",
    "missing",
    "categorical",
    "decimal",
    "encoding",
    "delimiter",
    "numbers",
    "ordinal",
    "missing_texts",
)
#: Parameters that files of anndata do not have.
_NOT_OF_CELLS = (
    "texts",
    "categorical",
    "decimal",
    "encoding",
    "delimiter",
    "header",
    "numbers",
    "ordinal",
    "missing_texts",
    "similarity",
    "distance",
    "drop",
)


def read_content(params: Mapping[str, Any], table: Table | None = None) -> Content:
    """What a file holds, with what is done before a subsample is drawn.

    Parameters
    ----------
    params : mapping of str to value
        All parameters of the spec; the file is no list of comparisons.
    table : Table, optional
        The table in the file, if it has been read with the same parameters but for roles: a large
        file is then read once.

    Raises
    ------
    DataError
        If the file cannot be used as it is.
    """
    path = Path(params["path"]).expanduser()
    roles = roles_of(params)
    if params["held_out"] is not None:
        raise DataError(f"{path}: held_out= is for comparisons; write comparisons=true, or omit it")
    # As the last step is a subsample, all that depends on all items comes before it.
    content = _prepared(_read(path, params, roles, table), params)
    number_of_items(content, path)
    if content.levels is not None:
        _check_order_of_levels(content.levels, roles, params)
    if content.similarity is None:
        return content
    distance = params["distance"]
    if wanted_kind(path, params) == "distance":
        distance = True
    similarity = as_similarities(content.similarity, str(params["path"]), distance=distance)
    return replace(content, similarity=similarity)


def _prepared(content: Content, params: Mapping[str, Any]) -> Content:
    """The content after what is done before a subsample is drawn."""
    where = str(params["path"])
    if params["transpose"]:
        content = transposed(content, where)
    path = Path(where).expanduser()
    has_own_labels = is_table(path) or is_cells(path)
    if not has_own_labels and (params["labels"] or params["names"] is not None):
        roles = roles_of(params)
        content = with_files(content, path, roles.labels, roles.names)
    if params["log"]:
        if content.vectors is None:
            raise DataError(f"{where}: similarities have no logarithm here; omit log=true")
        content = replace(content, vectors=logarithms(content.vectors, where))
    return content


def number_of_items(content: Content, path: Path) -> int:
    """The number of items that a file has.

    Raises
    ------
    DataError
        If it has nothing, as no column of texts is given.
    """
    for part in (content.vectors, content.similarity, content.levels):
        if part is not None:
            return int(part.shape[0])
    if content.names is None:
        raise DataError(f"{path}: texts=true: give the column of the texts, names=...")
    return len(content.names)


def _check_order_of_levels(levels: NDArray[Any], roles: Roles, params: Mapping[str, Any]) -> None:
    """Raise `DataError` for levels from fine to coarse, with the columns in their right order."""

    def correction(names: Sequence[str]) -> str:
        if not roles.labels:
            return f"give y as {', '.join(map(repr, names))}"
        return f"write {changed_name(params, labels=names)}"

    names: Sequence[str] = roles.labels
    if not names:
        names = places("column", 1, levels.shape[1])
    check_levels(levels, names, str(params["path"]), correction)


# ---- Parameters ----------------------------------------------------------------------------------


def roles_of(params: Mapping[str, Any]) -> Roles:
    """The roles of columns that the parameters give."""
    names = params["names"]
    if names is not None:
        names = str(names)
    return Roles(
        labels=as_tuple(params["labels"]),
        names=names,
        drop=as_tuple(params["drop"]),
        numbers=as_tuple(params["numbers"]),
    )


def as_tuple(columns: str | Sequence[str]) -> tuple[str, ...]:
    """The columns of a parameter, which may name a single one."""
    if isinstance(columns, str):
        return (columns,)
    return tuple(map(str, columns))


def is_table(path: Path) -> bool:
    """Whether a file is a table: delimited text, perhaps compressed, Excel or Parquet."""
    return suffix_of(path) in SUFFIXES + TEXTS_OF_PROGRAMS


def is_cells(path: Path) -> bool:
    """Whether a file is one of anndata, .h5ad."""
    return path.suffix.lower() == SUFFIX


# ---- Files ---------------------------------------------------------------------------------------


def _read(path: Path, params: Mapping[str, Any], roles: Roles, table: Table | None) -> Content:
    """What a file holds, as it is there."""
    # A device or a pipe would block, or never end.
    check_regular(path)
    if is_cells(path):
        _check_params_of_cells(path, params)
        return read_cells(path, params, roles)
    if params["layer"] is not None:
        raise DataError(f"{path}: layer= is for .h5ad files; omit it")
    if is_table(path):
        return _content_of_file_table(path, params, roles, table)
    return _read_array(path, params, roles)


def _read_array(path: Path, params: Mapping[str, Any], roles: Roles) -> Content:
    """The content of an array, without the labels and names in files beside it."""
    if roles.drop or any(params[name] for name in _OF_TABLES):
        raise DataError(
            f"{path}: drop, {', '.join(_OF_TABLES)} are for tables ({', '.join(SUFFIXES)}); labels "
            "and names of an array are in files with a line for each item, such as "
            "labels='labels.txt', or in an .npz under the keys y and names"
        )
    _ask_about_10x(path, params)
    content = read_array(path, bool(params["similarity"] or params["distance"]))
    # The user has not said what a square is.
    if params["similarity"] is None and params["distance"] is None:
        check_no_merges(content.vectors, params)
        ask_about_square(content.vectors, params)
    return content


def _check_params_of_cells(path: Path, params: Mapping[str, Any]) -> None:
    """Raise `DataError` for parameters that a file of anndata has not."""
    unused = [name for name in _NOT_OF_CELLS if params[name]]
    # Rows without a label can be omitted, but numbers are not replaced.
    if params["missing"] not in (None, "drop"):
        unused.append("missing")
    if unused:
        raise DataError(
            f"{path}: an .h5ad file has the parameters labels and names (columns of obs), layer, "
            f"missing=drop, transpose, log, scale and n; omit {', '.join(unused)}"
        )


def _ask_about_10x(path: Path, params: Mapping[str, Any]) -> None:
    """Ask whether genes or cells are the items of a matrix of 10x Genomics.

    Raises
    ------
    DataError
        If the files of both are beside the matrix, and neither is chosen.
    """
    files = files_of_10x(path)
    if files is None or params["names"] is not None:
        return
    genes, cells = files
    if params["transpose"]:
        warnings.warn(
            f"the cells have no names; names={written_value(cells)} names them",
            ModelWarning,
            stacklevel=2,
        )
        return
    of_cells = changed_name(params, transpose=True, names=cells)
    of_genes = changed_name(params, names=genes)
    raise DataError(
        f"{params['path']}: 10x Genomics writes genes as rows and cells as columns; to cluster "
        f"cells write {of_cells}, to cluster genes {of_genes}"
    )


def read_file_table(path: Path, params: Mapping[str, Any], roles: Roles) -> Table:
    """The table in a file as it is there, with the cells of roles as texts.

    Raises
    ------
    DataError
        If it cannot be read, or a role is given to a column that is not there.
    """
    table = read_table(
        path,
        set(roles.columns),
        header=params["header"],
        delimiter=params["delimiter"],
        decimal=params["decimal"],
        encoding=params["encoding"],
    )
    check_columns(table.names, roles, str(path))
    return table


def prepared_table(table: Table, params: Mapping[str, Any], roles: Roles) -> tuple[Table, Roles]:
    """A table after what the parameters say of its texts, and the roles of its columns.

    Parameters
    ----------
    table : Table
        As of `read_file_table`.
    params : mapping of str to value
    roles : Roles
    """
    if params["missing_texts"]:
        texts = as_tuple(params["missing_texts"])
        table = with_missing_texts(table, texts, roles.columns)
    if params["ordinal"]:
        were_texts = names_of(with_texts(table.columns))
        table = with_ordinal_numbers(table, read_ordinal(params["ordinal"]))
        coded = names_of(with_numbers(table.columns_named(were_texts)))
        # Their user says that they are numbers, so that they are no classes.
        roles = replace(roles, numbers=roles.numbers + tuple(coded))
    return take_row_names(table, roles)


def _has_texts_of_roles(table: Table, roles: Roles) -> bool:
    """Whether a table that was read with fewer roles is the same with these.

    Numbers do not tell how they are written in the file, as names and labels are.
    """
    for column in table.columns:
        is_name_or_label = column.name == roles.names or column.name in roles.labels
        if is_name_or_label and column.numbers is not None:
            return False
    return True


def _content_of_file_table(
    path: Path, params: Mapping[str, Any], roles: Roles, table: Table | None
) -> Content:
    """The content of a table; what it may be besides vectors is asked."""
    if table is None or not _has_texts_of_roles(table, roles):
        table = read_file_table(path, params, roles)
    table, roles = prepared_table(table, params, roles)
    kind = wanted_kind(path, params)
    matrix = None
    if not params["texts"] and params["similarity"] is not False:
        least = 2
        if kind is None:
            least = 3
        matrix = matrix_of(table, roles, least=least)
    if matrix is not None and kind is None and params["categorical"] != "gower":
        raise DataError(matrix_message(matrix.form, matrix.ways, matrix.kind, params))
    if kind is None:
        # Gower's coefficient is of the columns, also of those that look like a matrix.
        matrix = None
        check_no_comparisons(table, roles, params)
        check_no_merges_in_table(table, roles, params)
    return content_of(table, roles, set_params(params), matrix=matrix, kind=kind)
