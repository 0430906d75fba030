"""Whether a file has vectors, similarities or distances: by its parameters, and by its numbers.

Numbers alone do not tell distances from similarities, so that the user is asked where a file may
have either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError, similarity_of_distances
from hcbench.model import kind_of_square
from hcbench_datasets.arrays import read_array
from hcbench_datasets.content import Roles, Table
from hcbench_datasets.encoded import suffix_of
from hcbench_datasets.file_names import changed_name
from hcbench_datasets.matrices import check_no_asymmetric_matrix, matrix_of
from hcbench_datasets.phylip import PHYLIP
from hcbench_datasets.squares import KINDS, WAYS, Kind, possible_ways

if TYPE_CHECKING:
    from hcbench.model import Vectors

_MOST_DENSE = 20_000  # items of which a sparse matrix is made dense
_LEAST_ROWS = 3  # of an array that may be a matrix; fewer say too little


def wanted_kind(path: Path, params: Mapping[str, Any]) -> Kind | None:
    """Whether a file is to be read as a matrix of distances or of similarities, or as neither."""
    if params["distance"]:
        return "distance"
    if params["similarity"]:
        return "similarity"
    # Programs write distances in PHYLIP's form; distance=false says that these are none.
    if suffix_of(path) in PHYLIP and params["distance"] is None:
        return "distance"
    return None


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
    # Its numbers may be either, as those of 0 to 1 with any diagonal.
    if matrix.kind is None:
        raise DataError(matrix_message(matrix.form, matrix.ways, None, params))
    return matrix.kind


def kind_of_array(path: Path, params: Mapping[str, Any]) -> Kind | None:
    """Whether an array is to be read as a matrix, and of what."""
    kind = wanted_kind(path, params)
    if kind is not None or params["similarity"] is False:
        return kind
    return KINDS.get(_kind_of_rows(read_array(path, False).vectors))


def _kind_of_rows(vectors: Vectors | None) -> str:
    """What `kind_of_square` says; "vectors" of fewer than three rows."""
    if vectors is None or vectors.shape[0] < _LEAST_ROWS:
        return "vectors"
    return kind_of_square(vectors)


def ask_about_square(vectors: Vectors | None, params: Mapping[str, Any]) -> None:
    """Raise `DataError` for an array that may be a matrix of similarities or distances."""
    if vectors is None:
        return
    kind = _kind_of_rows(vectors)
    if kind == "vectors":
        if isinstance(vectors, np.ndarray):
            check_no_asymmetric_matrix(vectors, str(params["path"]))
        return
    ways: tuple[str, ...] = WAYS
    if vectors.shape[0] <= _MOST_DENSE:
        dense = vectors
        if not isinstance(dense, np.ndarray):
            # Entries that are not stored are zeros, which may be distances.
            dense = dense.toarray()
        kind = kind_of_square(dense)
        ways = possible_ways(dense, WAYS)
    raise DataError(matrix_message("a symmetric matrix", ways, KINDS.get(kind), params))


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
        The parameters of the file.
    """
    distance = None
    if kind == "distance":
        # Else similarities that look like distances would be refused.
        distance = False
    names = {
        "similarities": changed_name(params, similarity=True, distance=distance),
        "distances": changed_name(params, similarity=None, distance=True),
        "vectors": changed_name(params, similarity=False, distance=None),
    }
    written = [f"of {way} write {names[way]}" for way in ways]
    listed = "; ".join(written)
    several = ""
    if len(ways) > 1:
        several = " may be several things"
    return f"{params['path']}: {form}{several}: {listed}"


def as_similarities(
    matrix: NDArray[np.floating], path: str, *, distance: bool | None
) -> NDArray[np.floating]:
    """The matrix of a file as similarities; distances d become ``1 - d / max d``, in [0, 1].

    Parameters
    ----------
    matrix : (n, n) array
    path : str
        The file, for messages.
    distance : bool or None
        Whether the matrix has distances; None if the user does not say so.

    Raises
    ------
    DataError
        If similarities look like distances, or distances are none.
    """
    # The user says that they are similarities, whatever they look like.
    if distance is False:
        return matrix
    if not distance:
        if kind_of_square(matrix) == "distances":
            raise DataError(
                f"{path}: these are distances, as the diagonal has zeros and all else is larger; "
                f"write {changed_name({'path': path}, distance=True)}, or distance=false if they "
                "are similarities after all"
            )
        return matrix
    try:
        similarity: NDArray[np.floating] = similarity_of_distances(matrix)
    except DataError as error:
        raise DataError(
            f"{path}: {error}; write {changed_name({'path': path}, similarity=True)} if these are "
            "similarities"
        ) from error
    return similarity
