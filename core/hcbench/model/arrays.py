"""Numbers as they come in, in the one form that algorithms, oracles and metrics read.

Whatever a caller has (a list, a DataFrame, an array or a sparse matrix of any format and type),
`as_numbers` makes an array of float64 or float32, or a csr_array of float64. Nothing else in
hcbench has to think of integers that wrap around, of sparse matrices whose ``*`` is a product of
matrices, or of masked cells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import DataError

if TYPE_CHECKING:
    from scipy import sparse

    Numbers: TypeAlias = NDArray[np.floating[Any]] | sparse.csr_array
else:
    Numbers = Any  # without importing scipy

#: Kinds of dtypes that are real numbers: bool, signed and unsigned integers, floats.
_REAL = "biuf"

#: Rows and columns that are compared at a time, so that they remain in the cache.
_ROWS_AT_A_TIME = 256


def is_sparse(values: Any) -> bool:
    """Whether it is a matrix or array of `scipy.sparse`."""
    return hasattr(values, "tocsr")


def as_numbers(values: Any, where: str) -> Numbers:
    """A matrix of real numbers in the one form that the rest of hcbench reads.

    Parameters
    ----------
    values : array_like or sparse matrix (n, p)
        Of any real type and, if sparse, of any format.
    where : str
        What the numbers are, for messages.

    Returns
    -------
    (n, p) array or csr_array
        Dense numbers are float64, or float32 if they were, in native byte order and in the memory
        order given. Sparse ones are float64, with sorted indices, without entries that are given
        twice, and with 32-bit indices if these suffice. Nothing is copied that has this form.

    Raises
    ------
    DataError
        If they are no matrix of real numbers, too large for float64, or masked.

    Examples
    --------
    >>> as_numbers([[1, 2], [3, 4]], "the vectors").tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    >>> as_numbers([1, 2], "the vectors")
    Traceback (most recent call last):
        ...
    hcbench.errors.DataError: the vectors are a matrix (n, p), got shape (2,); ...
    """
    if is_sparse(values):
        return as_csr(values, where)
    array = as_plain_array(values, where)
    if array.ndim != 2:
        hint = ""
        if array.ndim == 1:
            hint = "; reshape(-1, 1) gives one feature"
        raise DataError(f"{where} are a matrix (n, p), got shape {array.shape}{hint}")
    _check_real(array.dtype, where)
    if array.dtype.kind == "f" and array.dtype.itemsize == 4:
        return array.astype(np.float32, copy=False)
    return _as_double(array, where)


def as_vectors(values: Any, where: str) -> Numbers:
    """A matrix of finite real numbers, see `as_numbers`.

    Raises
    ------
    DataError
    """
    numbers = as_numbers(values, where)
    if numbers.ndim == 2 and numbers.shape[1] == 0:
        raise DataError(f"{where}: {numbers.shape[0]} rows have no columns")
    check_finite(numbers, where)
    return numbers


def as_plain_array(values: Any, where: str) -> NDArray[Any]:
    """An array without a mask, and of no subclass such as `numpy.matrix`.

    Raises
    ------
    DataError
        If cells are masked, or rows differ in length.
    """
    if isinstance(values, list | tuple) and any(isinstance(x, np.ma.MaskedArray) for x in values):
        values = np.ma.array(values)  # numpy.array would forget the masks of the rows
    if isinstance(values, np.ma.MaskedArray):
        n_masked = int(np.ma.getmaskarray(values).sum())
        if n_masked:
            verb = "is" if n_masked == 1 else "are"
            raise DataError(
                f"{where}: {n_masked} of {values.size} values {verb} masked; fill them, "
                "x.filled(x.mean()), or drop their rows, numpy.ma.compress_rows(x)"
            )
        values = values.data
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise DataError(f"{where}: the rows have different lengths: {error}") from error
    if array.dtype.kind == "O" and array.ndim == 2 and hasattr(values, "dtypes"):
        return _numbers_of_frame(values, array)
    return array


def _numbers_of_frame(frame: Any, array: NDArray[Any]) -> NDArray[Any]:
    """Numbers that pandas has as objects, with NaN where they are missing; else the objects."""
    if all(getattr(dtype, "kind", "O") in _REAL for dtype in frame.dtypes):
        numbers: NDArray[np.float64] = frame.to_numpy(np.float64, na_value=np.nan)
        return numbers
    return array


def _check_real(dtype: np.dtype[Any], where: str) -> None:
    if dtype.kind in _REAL:
        return
    if dtype.kind == "c":
        raise DataError(
            f"{where} are complex numbers ({dtype}); give their real parts (x.real) or sizes "
            "(abs(x))"
        )
    raise DataError(
        f"{where} must be a matrix of real numbers, got dtype {dtype}; if all are numbers, convert "
        "them with x.astype(float)"
    )


def _as_double(array: NDArray[Any], where: str) -> NDArray[np.float64]:
    """The same numbers as float64 in native byte order, themselves if they are."""
    with np.errstate(over="ignore"):
        doubles: NDArray[np.float64] = array.astype(np.float64, copy=False)
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        overflown = np.isinf(doubles) & np.isfinite(array)
        if overflown.any():
            first = array[overflown][0]
            raise DataError(
                f"{where}: {first} is larger than any number of 64 bits; divide all by abs(x).max()"
            )
    return doubles


def as_csr(values: Any, where: str) -> sparse.csr_array:
    """A sparse matrix of any format and real type as a csr_array, see `as_numbers`.

    Raises
    ------
    DataError
        If it is no matrix of real numbers.
    """
    from scipy import sparse

    if values.ndim != 2:
        raise DataError(f"{where} are a matrix (n, p), got shape {values.shape}")
    _check_real(values.dtype, where)
    rows = values
    if rows.format != "csr":
        if rows.dtype.kind != "b" and rows.dtype != np.float64:
            rows = rows.astype(np.float64)  # before entries that are given twice are added up
        rows = rows.tocsr()
    if rows.dtype.kind == "b" and not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()  # true twice is true, not 2
    # Compiled code of other libraries requires 32-bit indices.
    n_rows, n_columns = rows.shape
    index_type: type[np.integer[Any]] = np.int64
    if max(n_rows, n_columns, rows.nnz) <= np.iinfo(np.int32).max:
        index_type = np.int32
    data = _as_double(rows.data, where)
    indices = rows.indices.astype(index_type, copy=False)
    indptr = rows.indptr.astype(index_type, copy=False)
    # Made anew, as flags of the caller's matrix may be out of date.
    array = sparse.csr_array((data, indices, indptr), shape=rows.shape, copy=False)
    if not array.has_canonical_format:
        array = array.copy()  # the caller's arrays stay as they are
        array.sum_duplicates()
    return array


def stored_values(matrix: Numbers) -> NDArray[np.floating[Any]]:
    """The values of a matrix, of a sparse one those that are stored, in any shape."""
    if isinstance(matrix, np.ndarray):
        return matrix
    return matrix.data


def check_finite(matrix: Numbers, where: str) -> None:
    """Refuse NaN and infinite numbers.

    Raises
    ------
    DataError
    """
    if not np.isfinite(stored_values(matrix)).all():
        raise DataError(f"{where} holds NaN or infinite values; drop or impute them first")


def largest_entry(matrix: Numbers) -> float:
    """The largest absolute value; 0 of an empty matrix."""
    values = stored_values(matrix)
    if not values.size:
        return 0.0
    return max(float(values.max()), -float(values.min()))


def largest_asymmetry(matrix: Numbers) -> tuple[float, int, int]:
    """The largest ``|a_ij - a_ji|`` of a square matrix, and its i < j.

    O(n^2) time, or O(nnz) if it is sparse; memory for a block of entries, or for the difference.

    Examples
    --------
    >>> largest_asymmetry(np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 2.0], [4.5, 2.0, 0.0]]))
    (0.5, 0, 2)
    """
    if not isinstance(matrix, np.ndarray):
        difference = abs(matrix - matrix.T).tocoo()
        if not difference.nnz:
            return 0.0, 0, 0
        at = int(difference.data.argmax())
        items = sorted((int(difference.row[at]), int(difference.col[at])))
        return float(difference.data[at]), items[0], items[1]
    largest = 0.0
    row = 0
    column = 0
    # Blocks below the diagonal and on it, with those opposite, so that both remain in the cache.
    for i in range(0, len(matrix), _ROWS_AT_A_TIME):
        for j in range(0, i + 1, _ROWS_AT_A_TIME):
            block = matrix[i : i + _ROWS_AT_A_TIME, j : j + _ROWS_AT_A_TIME]
            mirrored = matrix[j : j + _ROWS_AT_A_TIME, i : i + _ROWS_AT_A_TIME].T
            if not (block != mirrored).any():
                continue
            with np.errstate(over="ignore"):
                difference = np.abs(block - mirrored)
            place = int(difference.argmax())
            if difference.flat[place] > largest:
                largest = float(difference.flat[place])
                row_in_block, column_in_block = np.unravel_index(place, difference.shape)
                row = i + int(row_in_block)
                column = j + int(column_in_block)
    return largest, min(row, column), max(row, column)
