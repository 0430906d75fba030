"""Readers of arrays: .npy and .npz of numpy and scipy, Matrix Market, svmlight."""

from __future__ import annotations

import math
import warnings
from codecs import BOM_UTF8
from collections.abc import Mapping
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError, ModelWarning
from hcbench.files import read_arrays, read_limited
from hcbench.model import as_numbers, class_texts, number_text
from hcbench_datasets.cell_texts import is_missing_label
from hcbench_datasets.content import (
    Content,
    check_names,
    check_rows,
    first_line,
    no_data,
    places,
    table_of_labels,
)
from hcbench_datasets.encoded import is_compressed, read_decompressed, suffix_of
from hcbench_datasets.file_names import pasted_name
from hcbench_datasets.squares import symmetric_matrix
from hcbench_datasets.tables import SUFFIXES
from hcbench_datasets.unknown_files import explain_unknown

if TYPE_CHECKING:
    from scipy import sparse


_ALONE = ""  # the key of an array that is in no archive
_MOST_ROWS = 10**8  # of a sparse matrix, of which empty ones take memory as well


def read_array(path: Path, similarity: bool) -> Content:
    """Read a file of arrays: vectors (n, p), or (n, n) similarities or distances.

    Raises
    ------
    DataError
        If the suffix is unknown, or the file cannot be read.
    """
    readers = {
        ".npy": _read_npy,
        ".npz": _read_npz,
        ".mtx": _read_mtx,
        ".svmlight": _read_svmlight,
        ".libsvm": _read_svmlight,
    }
    suffix = suffix_of(path)
    reader = readers.get(suffix)
    if reader is None or (is_compressed(path) and suffix in (".npy", ".npz")):
        raise DataError(explain_unknown(path, [*SUFFIXES, *readers, ".h5ad"]))
    if suffix == ".npy":
        # The header says how large it is, and nothing is compressed.
        return reader(path, similarity)
    content: Content = read_limited(path, reader, path, similarity)
    return content


def _read_npy(path: Path, similarity: bool) -> Content:
    """Read an array (n, p) of vectors, or (n, n) of similarities."""
    # Numpy tells an array from an archive by the content, whatever the name is.
    arrays = read_arrays(path)
    if _ALONE not in arrays:
        raise DataError(f"{path} is an archive of arrays; call it {path.stem}.npz")
    array = arrays[_ALONE]
    # As scipy's pdist returns distances: one number for each pair.
    n = _items_of_condensed(array)
    if n is not None:
        array = _square_of_condensed(path, array, n, similarity)
    matrix = _matrix(array, str(path))
    if not similarity:
        return Content(vectors=matrix)
    return Content(similarity=symmetric_matrix(matrix, str(path)))


def _items_of_condensed(array: NDArray[Any]) -> int | None:
    """How many items have as many pairs as the array has numbers; None if no number fits."""
    if array.ndim != 1 or array.dtype.kind not in "fiu":
        return None
    # The larger solution of n (n - 1) / 2 = m.
    n = (1 + math.isqrt(1 + 8 * len(array))) // 2
    if n <= 2 or n * (n - 1) // 2 != len(array):
        return None
    return n


def _square_of_condensed(
    path: Path, array: NDArray[Any], n: int, similarity: bool
) -> NDArray[np.float64]:
    """The matrix of one number per pair, as `scipy.spatial.distance.pdist` returns them."""
    if not similarity:
        written = pasted_name(str(path), {"distance": True})
        raise DataError(
            f"{path}: an array of {len(array)} numbers may be the distances of {n} items, one per "
            f"pair: write {written}; of one feature save it with reshape(-1, 1)"
        )
    from scipy.spatial.distance import squareform

    square: NDArray[np.float64] = squareform(array.astype(np.float64))
    return square


def _read_npz(path: Path, similarity: bool) -> Content:
    """Read an archive of arrays, or a sparse matrix written by `scipy.sparse.save_npz`."""
    arrays = read_arrays(path)
    if _ALONE in arrays:
        raise DataError(f"{path} is a single array; call it {path.stem}.npy")
    # As scipy's save_npz writes them.
    if "format" in arrays and "shape" in arrays:
        return _sparse_content(path, similarity)
    data = _either(arrays, "X", "vectors", path)
    square = arrays.get("similarity")
    if similarity and square is None:
        square = data
        data = None
    if data is None and square is None:
        raise no_data(path, list(arrays))
    if similarity and data is not None:
        warnings.warn(
            f"{path.name}: the vectors are not used, but the array similarity alone; omit "
            "similarity=true, with similarities in place of distances, to use both",
            ModelWarning,
            stacklevel=2,
        )
        data = None
    return _content(arrays, data, square, path)


def _content(
    arrays: Mapping[str, NDArray[Any]],
    data: NDArray[Any] | None,
    square: NDArray[Any] | None,
    path: Path,
) -> Content:
    """The content of an archive, of which one of the vectors and the square is there."""
    n = None
    vectors = None
    matrix = None
    if data is not None:
        vectors = _matrix(data, f"{path}, X")
        n = len(vectors)
    if square is not None:
        where = f"{path}, similarity"
        matrix = symmetric_matrix(_matrix(square, where), where)
        # With both, the vectors tell how many items there are.
        n = n or len(matrix)
    labels = _either(arrays, "y", "labels", path)
    names = arrays.get("names")
    for key, array in (("similarity", matrix), ("labels", labels), ("names", names)):
        if array is not None and (array.ndim == 0 or len(array) != n):
            raise DataError(
                f"{path}: {key} has shape {array.shape}, but there are {n} items; save one for each"
            )
    content = Content(vectors=vectors, similarity=matrix)
    if labels is not None:
        content = replace(content, levels=_levels(labels, path))
    if names is not None:
        content = replace(content, names=_names(names, path))
    return content


def _either(
    arrays: Mapping[str, NDArray[Any]], key: str, synonym: str, path: Path
) -> NDArray[Any] | None:
    if key in arrays and synonym in arrays:
        raise DataError(f"{path}: {key} and {synonym} mean the same; keep one")
    return arrays.get(key, arrays.get(synonym))


def _matrix(array: NDArray[Any], where: str) -> NDArray[np.floating[Any]]:
    """A finite matrix (n, p) of single or double precision in native byte order."""
    # Floats, integers and truth values; not texts, objects, complex numbers or dates.
    if array.dtype.kind not in "fiub":
        raise DataError(
            f"{where}: numbers are needed, got dtype {array.dtype}; save it with dtype=float, and "
            "texts as names='names.txt' or labels='labels.txt' beside it"
        )
    if array.ndim != 2:
        raise DataError(
            f"{where}: an array of shape (n, p) is needed, got {array.shape}{_reshaped(array)}"
        )
    if array.shape[1] == 0:
        raise DataError(f"{where}: the array has shape {array.shape} and no features")
    check_rows(len(array), where)
    # Kernels need contiguous rows.
    matrix: NDArray[np.floating[Any]] = np.ascontiguousarray(as_numbers(array, where))
    bad = ~np.isfinite(matrix)
    if bad.any():
        row, column = np.unravel_index(int(bad.argmax()), bad.shape)
        raise DataError(
            f"{where}[{row}, {column}] is {matrix[row, column]}; impute it, or drop the row"
        )
    return matrix


def _reshaped(array: NDArray[Any]) -> str:
    """How an array that has not two axes can be saved as one that has."""
    if array.ndim == 1:
        return (
            "; reshape(-1, 1) makes it one feature of each item; the distances of n items, one for "
            "each pair, would be n (n - 1) / 2 numbers"
        )
    return "; save it with reshape(len(x), -1) if the first axis has the items"


def _sparse_content(path: Path, similarity: bool) -> Content:
    from scipy import sparse

    try:
        loaded = sparse.load_npz(path)
    except (ValueError, LookupError, TypeError, NotImplementedError) as error:
        raise DataError(f"{path}: {str(error).splitlines()[0]}") from error
    return _content_of_sparse(loaded, str(path), similarity)


def _content_of_sparse(loaded: Any, where: str, similarity: bool) -> Content:
    numbers: Any = as_numbers(loaded, where)
    if similarity:
        matrix = _matrix(numbers.toarray(), where)
        return Content(similarity=symmetric_matrix(matrix, where))
    check_rows(numbers.shape[0], where)
    _check_finite_entries(numbers, where)
    return Content(vectors=numbers)


def _read_mtx(path: Path, similarity: bool) -> Content:
    """Read a matrix in Matrix Market form, sparse or dense."""
    from scipy import io

    try:
        content = _without_mark(path)
        rows, columns, entries, form, *_ = io.mminfo(BytesIO(content))
        n_numbers = entries
        if form == "array":
            n_numbers = rows * columns
        # Each number takes at least two bytes, so that a short file cannot ask for much memory.
        if n_numbers > len(content) or rows > _MOST_ROWS:
            raise ValueError(f"{rows} x {columns} with {entries} numbers do not fit into the file")
        loaded = io.mmread(BytesIO(content), spmatrix=False)
    except (ValueError, TypeError, OverflowError, MemoryError, EOFError) as error:
        reason = first_line(error)
        raise DataError(
            f"{path} is no Matrix Market file: {reason}; write it again with scipy.io.mmwrite, or "
            "in R with Matrix::writeMM"
        ) from error
    if isinstance(loaded, np.ndarray):
        matrix = _matrix(loaded, str(path))
        if similarity:
            return Content(similarity=symmetric_matrix(matrix, str(path)))
        return Content(vectors=matrix)
    return _content_of_sparse(loaded, str(path), similarity)


def _without_mark(path: Path) -> bytes:
    """The content of a file of text without a byte order mark, which some editors write."""
    return read_decompressed(path).removeprefix(BOM_UTF8)


def _read_svmlight(path: Path, similarity: bool) -> Content:
    """Read sparse vectors with a class each, in svmlight (libsvm) form."""
    from sklearn.datasets import load_svmlight_file

    if similarity:
        raise DataError(f"{path}: svmlight files hold vectors; omit similarity and distance")
    try:
        loaded, classes = load_svmlight_file(BytesIO(_without_mark(path)))
    except (ValueError, OverflowError, MemoryError) as error:
        reason = first_line(error)
        raise DataError(
            f"{path} is no svmlight file: {reason}; write it again with "
            "sklearn.datasets.dump_svmlight_file"
        ) from error
    content = _content_of_sparse(loaded, str(path), similarity)
    texts = list(map(number_text, classes.tolist()))
    return Content(vectors=content.vectors, levels=table_of_labels([texts]))


def _check_finite_entries(array: sparse.csr_array, where: str) -> None:
    bad = np.flatnonzero(~np.isfinite(array.data))
    if bad.size:
        # The last row that starts at the entry or before it.
        row = int(np.searchsorted(array.indptr, bad[0], side="right")) - 1
        column = array.indices[bad[0]]
        value = array.data[bad[0]]
        raise DataError(f"{where}[{row}, {column}] is {value}; impute it, or drop the row")


def _levels(labels: NDArray[Any], path: Path) -> NDArray[np.str_]:
    """Labels (n,) or (n, L), the coarsest first, as texts (n, L)."""
    table = labels
    if labels.ndim == 1:
        table = labels[:, None]
    if table.ndim != 2 or table.shape[1] == 0:
        raise DataError(f"{path}: labels must have shape (n,) or (n, L), got {labels.shape}")
    items = places("item", 0, len(table))
    columns = []
    for values in table.T.tolist():
        texts = list(map(_label_text, values))
        for item, text in zip(items, texts, strict=True):
            if is_missing_label(text):
                raise DataError(f"{path}: the label of {item} is missing; fill it in")
        columns.append(class_texts(texts, items, f"{path}: y"))
    levels = table_of_labels(columns)
    assert levels is not None  # there is at least one level
    return levels


def _label_text(label: Any) -> str:
    """The text of a class; 1.0 is that of 1, as in tables."""
    if isinstance(label, float):
        return number_text(label)
    return str(label).strip()


def _names(names: NDArray[Any], path: Path) -> tuple[str, ...]:
    if names.ndim != 1:
        raise DataError(f"{path}: names must have shape (n,), got {names.shape}")
    texts = [str(name).strip() for name in names.tolist()]
    return check_names(texts, places("item", 0, len(texts)), str(path))
