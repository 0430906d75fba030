"""The user's own data, from a file."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hcbench import (
    Comparisons,
    DataError,
    HcbenchError,
    NewickWarning,
    Problem,
    Tree,
    check_levels,
    kind_of_square,
    similarity_of_distances,
)
from hcbench_datasets.arrays import read_array
from hcbench_datasets.bundled import standardised
from hcbench_datasets.content import (
    Content,
    Roles,
    Table,
    check_columns,
    note_contradictions,
    with_params,
)
from hcbench_datasets.fetch import chosen
from hcbench_datasets.roles import content_of, take_row_names
from hcbench_datasets.tables import OPEN, SUFFIXES, read_table

if TYPE_CHECKING:
    from hcbench import Vectors


def file(seed: int, **params: Any) -> Problem:
    """Read a problem from a file; the parameters are those of the spec.

    Raises
    ------
    DataError
        If the file cannot be used as it is. The one-line message has the file's name, the places
        of the errors and the remedy.
    """
    path = Path(params["path"]).expanduser()
    roles = roles_of(params)
    if params["comparisons"]:
        return _comparisons_problem(path, params, roles)
    content = _read(path, params, roles)
    parts = (content.vectors, content.similarity, content.levels, content.names)
    data = next((part for part in parts if part is not None), None)
    if data is None:
        raise DataError(f"{path}: texts=true: give the column of the texts, names=...")
    n = int(data.shape[0]) if hasattr(data, "shape") else len(data)
    if content.levels is not None:
        written = "give y as {}"
        if roles.labels:
            changed = {**params, "path": None, "labels": ["{}"]}
            written = with_params(str(params["path"]), changed)
            written = "write " + written.replace("'{}'", "{}")
        levels = roles.labels or [f"column {i}" for i in range(1, content.levels.shape[1] + 1)]
        check_levels(content.levels, levels, str(params["path"]), written)
    truths = {}
    if params["truth"] is not None:
        truths["newick"] = _read_truth(Path(params["truth"]).expanduser(), content.names, n)
        if content.levels is not None:
            truths["labels"] = Tree.from_levels(content.levels, names=content.names)
    distance = params["distance"]
    problem = Problem(
        n=n,
        names=content.names,
        vectors=content.vectors,
        similarity=_similarities(content.similarity, str(params["path"]), distance=distance),
        levels=content.levels,
        truths=truths,
    )
    if params["n"] is not None:
        problem = problem.take(chosen(params["n"], n, seed, str(params["path"])))
    return _standardised(problem, str(params["path"])) if params["standardise"] else problem


def roles_of(params: Mapping[str, Any]) -> Roles:
    """The roles of columns that the parameters give."""
    return Roles(
        labels=_as_tuple(params["labels"]),
        names=None if params["names"] is None else str(params["names"]),
        drop=_as_tuple(params["drop"]),
    )


def _as_tuple(columns: str | Sequence[str]) -> tuple[str, ...]:
    return (columns,) if isinstance(columns, str) else tuple(map(str, columns))


def is_table(path: Path) -> bool:
    """Whether a file is a table: delimited text, perhaps compressed, Excel or Parquet."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    return suffixes[-1:] != [] and suffixes[-2 if suffixes[-1] in OPEN else -1 :][0] in SUFFIXES


def table_of(path: Path, params: Mapping[str, Any], roles: Roles) -> tuple[Table, Roles]:
    """The table in a file, and the roles of its columns.

    Raises
    ------
    DataError
        If it cannot be read, or a role is given to a column that is not there.
    """
    form = {name: params[name] for name in ("delimiter", "decimal", "encoding")}
    table = read_table(path, set(roles.named), **form)
    check_columns(table.names, roles, str(path))
    return take_row_names(table, roles)


def _read(path: Path, params: Mapping[str, Any], roles: Roles) -> Content:
    is_matrix = params["similarity"] or bool(params["distance"])
    try:
        path.open("rb").close()
    except OSError as error:
        raise DataError.of_file("read", path, error) from error
    if is_table(path):
        table, roles = table_of(path, params, roles)
        given = {name: value for name, value in params.items() if value not in (None, (), False)}
        content = content_of(
            table,
            roles,
            given,
            is_matrix=is_matrix,
            missing=params["missing"],
            categorical=params["categorical"],
        )
    else:
        unused = ("texts", "missing", "categorical", "decimal", "encoding", "delimiter")
        if roles.named or any(params[name] for name in unused):
            raise DataError(
                f"{path}: labels, names, drop, {', '.join(unused)} are for tables "
                f"({', '.join(SUFFIXES)}); an .npz contains labels and names under the keys "
                "y and names"
            )
        content = read_array(path, is_matrix)
    _check_not_square(content, path, params)
    return content


def _check_not_square(content: Content, path: Path, params: Mapping[str, Any]) -> None:
    """Refuse vectors that look like a matrix of similarities or distances.

    Raises
    ------
    DataError
        With the ways to say what they are.
    """
    if params["similarity"] is not None or params["distance"] is not None:
        return
    kind = kind_of_matrix(content.vectors)
    if kind == "vectors":
        return

    def written(**said: bool) -> str:
        return with_params(str(path), {**params, "path": None, **said})

    ways = {
        "similarities": written(similarity=True),
        "distances": written(distance=True),
        "vectors": written(similarity=False),
    }
    if kind == "distances":
        ways["similarities"] = written(similarity=True, distance=False)
    listed = "; ".join(f"of {what} write {name}" for what, name in ways.items())
    raise DataError(f"{path}: a symmetric matrix may be several things: {listed}")


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
                f"write {path}[distance=true], or distance=false if they are similarities after all"
            )
        return matrix
    try:
        similarity: NDArray[np.floating] = similarity_of_distances(matrix)
    except DataError as error:
        raise DataError(
            f"{path}: {error}; write {path}[similarity=true] if these are similarities"
        ) from error
    return similarity


def _standardised(problem: Problem, path: str) -> Problem:
    if not isinstance(problem.vectors, np.ndarray):
        what = "similarities" if problem.vectors is None else "sparse vectors"
        raise DataError(f"{path}: {what} cannot be standardised; omit standardise=true")
    return replace(problem, vectors=standardised(problem.vectors.astype(np.float64)))


def _comparisons_problem(path: Path, params: Mapping[str, Any], roles: Roles) -> Problem:
    unused = ("similarity", "distance", "missing", "categorical", "standardise", "n")
    if roles.named or any(
        params[name] is not None and params[name] is not False for name in unused
    ):
        raise DataError(
            f"{path}: a list of comparisons identifies items by number only; omit labels, names, "
            f"drop, {', '.join(unused)}"
        )
    try:
        path.open("rb").close()
    except OSError as error:
        raise DataError.of_file("read", path, error) from error
    comparisons = Comparisons.read(path)
    if not len(comparisons):
        raise DataError(
            f"{path}: there are no comparisons; a row is the numbers i,j,k,l of a quadruplet, or "
            "i,j,k of a triplet"
        )
    note_contradictions(comparisons)
    truths = {}
    if params["truth"] is not None:
        truth = Path(params["truth"]).expanduser()
        truths["newick"] = _read_truth(truth, None, comparisons.n)
    return Problem(n=comparisons.n, comparisons=comparisons, truths=truths)


def _read_truth(path: Path, names: tuple[str, ...] | None, n: int) -> Tree:
    """Read the tree of a Newick file, with its leaves in the order of the items."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError.of_file("read", path, error) from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8; save it as UTF-8") from error
    leaf_names = tuple(map(str, range(n))) if names is None else names
    try:
        with warnings.catch_warnings():
            # A truth need not have heights: without branch lengths, its topology is used.
            warnings.simplefilter("ignore", NewickWarning)
            tree = Tree.from_newick(text, names=leaf_names)
    except HcbenchError as error:
        hint = "; without names the leaves are the rows, 0..n-1" if names is None else ""
        raise DataError(f"{path}: {error}{hint}") from error
    return tree if names is not None else Tree(tree.parent, tree.height, tree.kind)
