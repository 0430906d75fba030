"""Files as the user's own data: what a file is read as, and its content."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError, ModelWarning, similarity_of_distances
from hcbench.files import comparison_columns
from hcbench.model import check_levels, check_regular, kind_of_square
from hcbench_datasets.arrays import read_array
from hcbench_datasets.beside import files_of_10x, with_files
from hcbench_datasets.cells import SUFFIX, read_cells
from hcbench_datasets.content import (
    Column,
    Content,
    Roles,
    Table,
    check_columns,
    pasted_name,
    set_params,
    written_value,
)
from hcbench_datasets.delimited import suffix_of
from hcbench_datasets.matrices import (
    KINDS,
    WAYS,
    Kind,
    are_items,
    check_no_asymmetric_matrix,
    matrix_of,
    possible_ways,
)
from hcbench_datasets.missing import with_missing_texts
from hcbench_datasets.ordinal import read_ordinal, with_ordinal_numbers
from hcbench_datasets.phylip import PHYLIP
from hcbench_datasets.preparation import logarithms, transposed
from hcbench_datasets.roles import content_of, take_row_names
from hcbench_datasets.tables import SUFFIXES, TEXTS_OF_PROGRAMS, read_table

if TYPE_CHECKING:
    from hcbench.model import Vectors

_LEAST_NAMED_COMPARISONS = 10  # rows of which chance does not make all cells differ
_LEAST_NAMED_ITEMS = 4
_MOST_DENSE = 20_000  # items of which a sparse matrix is made dense
_LEAST_MERGES = 3  # rows of which chance does not make the merges of a tree


def read_content(params: Mapping[str, Any]) -> Content:
    """What a file holds, with what is done before a subsample is drawn.

    Parameters
    ----------
    params : mapping of str to value
        All parameters of the spec; the file is no list of comparisons.

    Raises
    ------
    DataError
        If the file cannot be used as it is.
    """
    path = Path(params["path"]).expanduser()
    roles = roles_of(params)
    if params["held_out"] is not None:
        raise DataError(f"{path}: held_out= is for comparisons; write comparisons=true, or omit it")
    content = _prepared(_read(path, params, roles), params)
    number_of_items(content, path)
    if content.levels is not None:
        _check_order_of_levels(content.levels, roles, params)
    distance = params["distance"]
    if wanted_kind(path, params) == "distance":
        distance = True
    similarity = _similarities(content.similarity, str(params["path"]), distance=distance)
    return replace(content, similarity=similarity)


def _prepared(content: Content, params: Mapping[str, Any]) -> Content:
    """The content after what is done before a subsample is drawn."""
    where = str(params["path"])
    if params["transpose"]:
        content = transposed(content, where)
    path = Path(where).expanduser()
    has_own_labels = is_table(path) or is_cells(path)
    if not has_own_labels and (params["labels"] or params["names"] is not None):
        names = None if params["names"] is None else str(params["names"])
        content = with_files(content, path, as_tuple(params["labels"]), names)
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
    def correction(names: Sequence[str]) -> str:
        if not roles.labels:
            return f"give y as {', '.join(map(repr, names))}"
        changed = {**params, "path": None, "labels": names}
        return f"write {pasted_name(str(params['path']), changed)}"

    names = roles.labels or [f"column {i}" for i in range(1, levels.shape[1] + 1)]
    check_levels(levels, names, str(params["path"]), correction)


def roles_of(params: Mapping[str, Any]) -> Roles:
    """The roles of columns that the parameters give."""
    return Roles(
        labels=as_tuple(params["labels"]),
        names=None if params["names"] is None else str(params["names"]),
        drop=as_tuple(params["drop"]),
        numbers=as_tuple(params["numbers"]),
    )


def as_tuple(columns: str | Sequence[str]) -> tuple[str, ...]:
    """The columns of a parameter, which may name a single one."""
    return (columns,) if isinstance(columns, str) else tuple(map(str, columns))


def is_table(path: Path) -> bool:
    """Whether a file is a table: delimited text, perhaps compressed, Excel or Parquet."""
    return suffix_of(path) in SUFFIXES + TEXTS_OF_PROGRAMS


def table_of(path: Path, params: Mapping[str, Any], roles: Roles) -> tuple[Table, Roles]:
    """The table in a file, and the roles of its columns.

    Raises
    ------
    DataError
        If it cannot be read, or a role is given to a column that is not there.
    """
    form = {name: params[name] for name in ("header", "delimiter", "decimal", "encoding")}
    table = read_table(path, set(roles.named), **form)
    check_columns(table.names, roles, str(path))
    if params["missing_texts"]:
        texts = as_tuple(params["missing_texts"])
        table = with_missing_texts(table, texts, roles.named)
    if params["ordinal"]:
        names_of_texts = [column.name for column in table.columns if column.numbers is None]
        table = with_ordinal_numbers(table, read_ordinal(params["ordinal"]))
        coded = [name for name in names_of_texts if table.column(name).numbers is not None]
        # Their user says that they are numbers, so that they are no classes.
        roles = replace(roles, numbers=(*roles.numbers, *coded))
    return take_row_names(table, roles)


def is_cells(path: Path) -> bool:
    """Whether a file is one of anndata, .h5ad."""
    return path.suffix.lower() == SUFFIX


def _read(path: Path, params: Mapping[str, Any], roles: Roles) -> Content:
    check_regular(path)
    if is_cells(path):
        _check_params_of_cells(path, params, roles)
        return read_cells(path, params, roles)
    if params["layer"] is not None:
        raise DataError(f"{path}: layer= is for .h5ad files; omit it")
    if is_table(path):
        return _read_table(path, params, roles)
    unused = (
        *("texts", "missing", "categorical", "decimal", "encoding", "delimiter", "numbers"),
        *("ordinal", "missing_texts"),
    )
    if roles.drop or any(params[name] for name in unused):
        raise DataError(
            f"{path}: drop, {', '.join(unused)} are for tables ({', '.join(SUFFIXES)}); labels and "
            "names of an array are in files with a line for each item, such as labels='labels.txt',"
            " or in an .npz under the keys y and names"
        )
    _ask_about_10x(path, params)
    content = read_array(path, bool(params["similarity"] or params["distance"]))
    if params["similarity"] is None and params["distance"] is None:
        check_no_merges(content.vectors, params)
        _ask_about_square(content.vectors, params)
    return content


def _check_params_of_cells(path: Path, params: Mapping[str, Any], roles: Roles) -> None:
    """Raise `DataError` for parameters that a file of anndata has not."""
    unused = ["texts", "categorical", "decimal", "encoding", "delimiter", "header", "numbers"]
    unused += ["ordinal", "missing_texts", "similarity", "distance", "drop"]
    given = [name for name in unused if params[name]]
    if params["missing"] not in (None, "drop"):
        given.append("missing")
    if given:
        raise DataError(
            f"{path}: an .h5ad file has the parameters labels and names (columns of obs), layer, "
            f"missing=drop, transpose, log, scale and n; omit {', '.join(given)}"
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
    where = str(params["path"])
    kept = {**params, "path": None}
    of_cells = pasted_name(where, {**kept, "transpose": True, "names": cells})
    of_genes = pasted_name(where, {**kept, "names": genes})
    raise DataError(
        f"{where}: 10x Genomics writes genes as rows and cells as columns; to cluster cells write "
        f"{of_cells}, to cluster genes {of_genes}"
    )


def _read_table(path: Path, params: Mapping[str, Any], roles: Roles) -> Content:
    table, roles = table_of(path, params, roles)
    kind = wanted_kind(path, params)
    matrix = None
    if not params["texts"] and params["similarity"] is not False:
        matrix = matrix_of(table, roles, least=3 if kind is None else 2)
    if matrix is not None and kind is None and params["categorical"] != "gower":
        raise DataError(matrix_message(matrix.form, matrix.ways, matrix.kind, params))
    if kind is None:
        matrix = None
        check_no_comparisons(table, roles, params)
        check_no_merges_in_table(table, roles, params)
    return content_of(
        table,
        roles,
        set_params(params),
        matrix=matrix,
        kind=kind,
        missing=params["missing"],
        categorical=params["categorical"],
    )


def wanted_kind(path: Path, params: Mapping[str, Any]) -> Kind | None:
    """Whether a file is to be read as a matrix of distances or of similarities, or as neither."""
    if params["distance"]:
        return "distance"
    if params["similarity"]:
        return "similarity"
    is_phylip = suffix_of(path) in PHYLIP
    return "distance" if is_phylip and params["distance"] is None else None


def matrix_message(
    form: str, ways: Sequence[str], kind: Kind | None, params: Mapping[str, Any]
) -> str:
    """What to write for a file that has a matrix.

    Parameters
    ----------
    form : str
        How the file holds it.
    ways : sequence of {"similarities", "distances", "vectors"}
        What it may be.
    kind : {"distance", "similarity"}, optional
        What it looks like.
    params : mapping
        The parameters given.
    """
    path = str(params["path"])
    given = {**params, "path": None, "similarity": None, "distance": None}
    similarities = {**given, "similarity": True}
    if kind == "distance":
        similarities["distance"] = False
    names = {
        "similarities": pasted_name(path, similarities),
        "distances": pasted_name(path, {**given, "distance": True}),
        "vectors": pasted_name(path, {**given, "similarity": False}),
    }
    listed = "; ".join(f"of {what} write {names[what]}" for what in ways)
    several = " may be several things" if len(ways) > 1 else ""
    return f"{path}: {form}{several}: {listed}"


def _ask_about_square(vectors: Vectors | None, params: Mapping[str, Any]) -> None:
    """Raise `DataError` for an array that may be a matrix of similarities or distances."""
    kind = kind_of_matrix(vectors)
    where = str(params["path"])
    if vectors is None:
        return
    if kind == "vectors":
        if isinstance(vectors, np.ndarray):
            check_no_asymmetric_matrix(vectors, where)
        return
    ways: tuple[str, ...] = WAYS
    if vectors.shape[0] <= _MOST_DENSE:
        dense = vectors if isinstance(vectors, np.ndarray) else vectors.toarray()
        # Entries that are not stored are zeros, which may be distances.
        kind = kind_of_square(dense)
        ways = possible_ways(dense, WAYS)
    raise DataError(matrix_message("a symmetric matrix", ways, KINDS.get(kind), params))


def kind_of_matrix(vectors: Vectors | None) -> str:
    """What `kind_of_square` says; "vectors" of fewer than three rows, which say too little."""
    if vectors is None or vectors.shape[0] < 3:
        return "vectors"
    return kind_of_square(vectors)


def _similarities(
    matrix: NDArray[np.floating] | None, path: str, *, distance: bool | None
) -> NDArray[np.floating] | None:
    """The matrix of a file as similarities; distances d become ``1 - d / max d``, in [0, 1]."""
    if matrix is None or distance is False:
        return matrix
    if not distance:
        if kind_of_square(matrix) == "distances":
            raise DataError(
                f"{path}: these are distances, as the diagonal has zeros and all else is larger; "
                f"write {pasted_name(str(path), {'distance': True})}, or distance=false if they "
                "are similarities after all"
            )
        return matrix
    try:
        similarity: NDArray[np.floating] = similarity_of_distances(matrix)
    except DataError as error:
        raise DataError(
            f"{path}: {error}; write {pasted_name(str(path), {'similarity': True})} if these are "
            "similarities"
        ) from error
    return similarity


def check_no_comparisons(table: Table, roles: Roles, params: Mapping[str, Any]) -> None:
    """Raise `DataError` if the columns of a table are those of comparisons, or may be.

    Columns with names such as anchor, near and far are; rows of whole numbers below other names, or
    without a header, may be, if those of a row differ and all items from 0 or 1 on are in some row.
    """
    is_certain = looks_like_comparisons(table, roles, params)
    columns = [column for column in table.columns if column.name not in roles.named]
    if params["comparisons"] is False or roles.labels or params["texts"]:
        return
    path = str(params["path"])
    given = {**params, "path": None}
    named_items = [] if is_certain else columns_of_named_items(columns)
    if named_items:
        listed = ", ".join(column.name for column in named_items)
        answers = pasted_name(path, {**given, "comparisons": False})
        raise DataError(
            f"{path}: the columns {listed} have other items in each row, and may be comparisons; "
            "give the columns of items the names anchor,near,far, or anchor,left,right with a "
            "column response that has the nearer one, and worker to another one; write "
            f"{answers} if they are answers to questions"
        )
    if not is_certain:
        has_items_only = not table.has_header and _may_be_comparisons(columns)
        # The first or the last column may have the annotators.
        parts = [columns, columns[1:], columns[:3]]
        if not has_items_only and any(_may_be_comparisons(part) for part in parts):
            raise DataError(
                f"{path}: the rows may be comparisons of items; give their columns the names "
                "anchor,near,far, and worker to another one, or write "
                f"{pasted_name(path, {**given, 'comparisons': False})} for vectors"
            )
        if not has_items_only:
            return
    others = other_columns(table, roles) if is_certain else list(roles.drop)
    comparisons = pasted_name(path, {**given, "comparisons": True, "drop": others})
    vectors = pasted_name(path, {**given, "comparisons": False})
    listed = ", ".join(column.name for column in columns if column.name not in others)
    what = f"the columns {listed} are" if is_certain else "the rows may be"
    raise DataError(
        f"{path}: {what} comparisons of items; write {comparisons}, or {vectors} for vectors"
    )


def columns_of_named_items(columns: Sequence[Column]) -> list[Column]:
    """Three columns of texts that may be the items of comparisons; an empty list if none are.

    They have the same texts, of which those of a row always differ. Answers to three questions
    would be equal in some row.
    """
    texts = [column for column in columns if column.numbers is None and column.kind == "texts"]
    for start in range(len(texts) - 2):
        group = texts[start : start + 3]
        if len(group[0].cells) < _LEAST_NAMED_COMPARISONS:
            return []
        classes = [set(column.classes) for column in group]
        items = set.union(*classes)
        are_shared = all(len(some) > len(items) / 2 for some in classes)
        if not are_shared or len(items) < _LEAST_NAMED_ITEMS:
            continue
        rows = zip(*(column.cells for column in group), strict=True)
        if all(len(set(cells)) == len(cells) for cells in rows):
            return group
    return []


def looks_like_comparisons(table: Table, roles: Roles, params: Mapping[str, Any]) -> bool:
    """Whether a table has the columns of comparisons, by their names."""
    is_excluded = params["comparisons"] is False or roles.labels or roles.names is not None
    if is_excluded or not table.has_header:
        return False
    places = comparison_columns(table.names)
    if places is None:
        return False
    return all(are_items(table.columns[place]) for role, place in places.items() if len(role) == 1)


def other_columns(table: Table, roles: Roles) -> list[str]:
    """The columns beside those of comparisons, which are to be dropped; those given first."""
    places = comparison_columns(table.names) or {}
    used = {table.names[place] for place in places.values()}
    others = [name for name in table.names if name not in used and name not in roles.drop]
    return [*roles.drop, *others]


def check_no_merges_in_table(table: Table, roles: Roles, params: Mapping[str, Any]) -> None:
    """Raise `DataError` if the numbers of a table are the merges of a tree; see `check_no_merges`.

    A column that counts the rows, as pandas writes it, is no part of them.
    """
    columns = []
    for column in table.columns:
        if column.name != roles.names and column.numbers is not None:
            columns.append(column.numbers)
    n_others = len(table.columns) - len(columns) - (roles.names is not None)
    if params["similarity"] is None and columns and not n_others:
        check_no_merges(np.column_stack(columns), params)


def check_no_merges(vectors: Vectors | None, params: Mapping[str, Any]) -> None:
    """Raise `DataError` for scipy's linkage matrix, or the ``merge`` of R's hclust, as vectors.

    Raises
    ------
    DataError
        With what it may be used for.
    """
    if not isinstance(vectors, np.ndarray) or len(vectors) < _LEAST_MERGES:
        return
    form = None
    if _is_linkage_matrix(vectors):
        form = "scipy's linkage matrix"
    elif _is_hclust(vectors):
        form = "the merges of R's hclust"
    if form is None:
        return
    path = str(params["path"])
    as_vectors = pasted_name(path, {**params, "path": None, "similarity": False})
    raise DataError(
        f"{path}: this is {form}, a tree and no data: score it with hcbench score, or write "
        f"{as_vectors} if the rows are vectors"
    )


def _is_linkage_matrix(vectors: NDArray[Any]) -> bool:
    """Whether rows merge two earlier clusters each, and have the right sizes."""
    if vectors.shape[1] != 4 or vectors[-1, 3] != len(vectors) + 1:
        return False  # the last row merges all items
    from scipy.cluster.hierarchy import is_valid_linkage

    return bool(is_valid_linkage(np.asarray(vectors, dtype=np.float64)))


def _is_hclust(vectors: NDArray[Any]) -> bool:
    """Whether two columns have each of the items -1, ..., -n and the rows 1, ..., n - 2 once."""
    n = len(vectors) + 1
    if vectors.shape[1] not in (2, 3):
        return False
    expected = [number for number in range(-n, n - 1) if number != 0]
    merged = np.sort(vectors[:, :2].ravel())
    return np.array_equal(merged, expected)


def kind_of_table(table: Table, roles: Roles, params: Mapping[str, Any]) -> Kind | None:
    """Whether a table is to be read as a matrix, and of what.

    Raises
    ------
    DataError
        If it has a matrix, and may have distances as well as similarities.
    """
    kind = wanted_kind(Path(str(params["path"])), params)
    is_excluded = params["similarity"] is False or params["texts"] or params["categorical"]
    if kind is not None or is_excluded:
        return kind
    matrix = matrix_of(table, roles)
    if matrix is None:
        return None
    if matrix.kind is None:
        raise DataError(matrix_message(matrix.form, matrix.ways, None, params))
    return matrix.kind


def kind_of_array(path: Path, params: Mapping[str, Any]) -> Kind | None:
    """Whether an array is to be read as a matrix, and of what."""
    kind = wanted_kind(path, params)
    if kind is not None or params["similarity"] is False:
        return kind
    return KINDS.get(kind_of_matrix(read_array(path, False).vectors))


def _may_be_comparisons(columns: Sequence[Column]) -> bool:
    """Whether columns of whole numbers may be those of comparisons, all of them items."""
    if len(columns) not in (3, 4) or not all(map(are_items, columns)):
        return False
    if any(column.numbers is None for column in columns):
        return False
    rows = np.column_stack([column.numbers for column in columns if column.numbers is not None])
    items = np.unique(rows)
    first = np.sort(rows[:, :3], axis=1)
    are_different = bool((np.diff(first, axis=1) > 0).all())
    are_counted = np.array_equal(items, np.arange(len(items)))
    if len(items) > 3 and np.array_equal(items, np.arange(1, len(items) + 1)):
        are_counted = True
    return are_different and are_counted and len(rows) >= max(10, len(items))
