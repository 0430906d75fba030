"""Parts and read-only views of the arrays and sparse matrices of a problem."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy import sparse

    Vectors: TypeAlias = NDArray[np.floating[Any]] | sparse.csr_array
else:
    Vectors = Any  # without importing scipy


def rows_of(vectors: Vectors, items: Any) -> Any:
    """Some rows, or rows and columns, in the memory order and with the index types of the whole."""
    if isinstance(vectors, np.ndarray):
        return in_order_of(vectors, vectors[items])
    rows = vectors[items]
    # scipy may have narrowed the indices; kernels are compiled for the types of the original.
    indices = rows.indices.astype(vectors.indices.dtype, copy=False)
    indptr = rows.indptr.astype(vectors.indptr.dtype, copy=False)
    return _with_arrays(rows, rows.data, indices, indptr)


def in_order_of(original: NDArray[Any], part: NDArray[Any]) -> NDArray[Any]:
    """A part of an array in the memory order of the original, by rows or by columns."""
    # In Fortran's order and not in C's: sums depend on the order in the last digits.
    if original.flags.fnc:
        return np.asarray(part, order="F")
    return np.asarray(part, order="C")


def read_only_view(values: Any) -> Any:
    """A view of an array or csr_array that cannot be written to; the array itself still can."""
    if values is None:
        return None
    if isinstance(values, np.ndarray):
        view = values.view()
        view.flags.writeable = False
        return view
    return _with_arrays(
        values,
        data=read_only_view(values.data),
        indices=read_only_view(values.indices),
        indptr=read_only_view(values.indptr),
    )


def own_view(data: Any) -> Any:
    """The same data, in a matrix of its own if they are sparse.

    Read-only arrays do not protect the matrix that holds them.
    """
    if not hasattr(data, "indptr"):
        return data
    return type(data)((data.data, data.indices, data.indptr), shape=data.shape, copy=False)


def _with_arrays(like: sparse.csr_array, data: Any, indices: Any, indptr: Any) -> sparse.csr_array:
    """A csr_array of just these arrays; the constructor may copy or convert the indices."""
    matrix = copy(like)
    matrix.data = data
    matrix.indices = indices
    matrix.indptr = indptr
    return matrix
