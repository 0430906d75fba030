"""The user's own data, from a file."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

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
    looks_like_distances,
)
from hcbench_datasets.arrays import read_npy, read_npz
from hcbench_datasets.content import Content, Roles, note_contradictions
from hcbench_datasets.tables import read_delimited, read_parquet


def file(
    _seed: int,
    *,
    path: str,
    labels: str | Sequence[str] = (),
    names: str | int | None = None,
    drop: str | Sequence[str] = (),
    truth: str | None = None,
    similarity: bool = False,
    distance: bool | None = None,
    comparisons: bool = False,
    delimiter: str | None = None,
) -> Problem:
    """Read a problem from a file.

    Raises
    ------
    DataError
        If the file cannot be used as it is. The one-line message has the file's name, the place
        of the error and the remedy.
    """
    roles = Roles(
        labels=_as_tuple(labels),
        names=None if names is None else str(names),
        drop=_as_tuple(drop),
    )
    if comparisons:
        is_matrix = similarity or distance is not None
        return _comparisons_problem(Path(path).expanduser(), roles, is_matrix, truth)
    content = _read(Path(path).expanduser(), roles, similarity or bool(distance), delimiter)
    data = content.vectors if content.vectors is not None else content.similarity
    assert data is not None  # every reader returns one of them
    n = int(data.shape[0])
    if content.levels is not None:
        others = {"names": names, "drop": list(roles.drop), "truth": truth, "delimiter": delimiter}
        more = "".join(f",{name}={value!r}" for name, value in others.items() if value)
        written = f"write {path}[labels=[{{}}]{more}]" if roles.labels else "give y as {}"
        levels = roles.labels or [f"column {i}" for i in range(1, content.levels.shape[1] + 1)]
        check_levels(content.levels, levels, path, written)
    truths = {}
    if truth is not None:
        truths["newick"] = _read_truth(Path(truth).expanduser(), content.names, n)
        if content.levels is not None:
            truths["labels"] = Tree.from_levels(content.levels, names=content.names)
    return Problem(
        n=n,
        names=content.names,
        vectors=content.vectors,
        similarity=_similarities(content.similarity, path, distance=distance),
        levels=content.levels,
        truths=truths,
    )


def _similarities(
    matrix: NDArray[np.floating] | None, path: str, *, distance: bool | None
) -> NDArray[np.floating] | None:
    """The matrix of a file as similarities; distances d become ``1 - d / max d``, in [0, 1]."""
    if matrix is None or distance is False:
        return matrix
    if not distance:
        if looks_like_distances(matrix):
            raise DataError(
                f"{path}: these are distances, as the diagonal has zeros and all else is larger; "
                f"write {path}[distance=true], or distance=false if they are similarities after all"
            )
        return matrix
    if matrix.diagonal().any() or matrix.min() < 0:
        raise DataError(
            f"{path}: distances are 0 on the diagonal and never negative; "
            f"write {path}[similarity=true] if these are similarities"
        )
    largest = matrix.max()
    return np.ones_like(matrix) if largest == 0 else 1 - matrix / largest


def _comparisons_problem(path: Path, roles: Roles, is_matrix: bool, truth: str | None) -> Problem:
    if is_matrix or roles.named:
        raise DataError(
            f"{path}: a list of comparisons identifies items by number only; omit similarity, "
            "distance, labels, names and drop"
        )
    comparisons = Comparisons.read(_checked_path(path))
    note_contradictions(comparisons)
    truths = {}
    if truth is not None:
        truths["newick"] = _read_truth(Path(truth).expanduser(), None, comparisons.n)
    return Problem(n=comparisons.n, comparisons=comparisons, truths=truths)


def _as_tuple(columns: str | Sequence[str]) -> tuple[str, ...]:
    return (columns,) if isinstance(columns, str) else tuple(map(str, columns))


def _checked_path(path: Path) -> Path:
    try:
        path.open("rb").close()
    except OSError as error:
        raise DataError.of_file("read", path, error) from error
    return path


def _read(path: Path, roles: Roles, similarity: bool, delimiter: str | None) -> Content:
    suffix = _checked_path(path).suffix.lower()
    if suffix in (".csv", ".tsv"):
        separator = delimiter or ("\t" if suffix == ".tsv" else ",")
        if len(separator) != 1 or separator in '"\r\n':
            raise DataError(f"delimiter must be one character such as ';', got {separator!r}")
        return read_delimited(path, separator, roles, similarity)
    if suffix == ".parquet":
        return read_parquet(path, roles, similarity)
    if suffix in (".npy", ".npz"):
        if roles.named:
            raise DataError(
                f"{path}: labels, names and drop are for tables (.csv, .tsv, .parquet); "
                "an .npz contains them under the keys y and names"
            )
        return (read_npy if suffix == ".npy" else read_npz)(path, similarity)
    raise DataError(f"{path}: unknown suffix; use .csv, .tsv, .npy, .npz or .parquet")


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
