"""Files of anndata, .h5ad: cells with their genes, labels in columns of obs, and several matrices.

Which of the matrices is meant is asked, as X may have counts, logarithms or scaled numbers.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hcbench import DataError
from hcbench.files import read_limited
from hcbench.model import class_texts, suggestion
from hcbench_datasets.cell_texts import is_missing_label
from hcbench_datasets.content import (
    Content,
    Roles,
    Table,
    check_names,
    check_rows,
    first_line,
    table_of_labels,
)
from hcbench_datasets.file_names import changed_name

if TYPE_CHECKING:
    import pandas as pd

    from hcbench.model import Vectors

SUFFIX = ".h5ad"
_MAIN = "X"
_RAW = "raw"


@dataclass(frozen=True, slots=True, eq=False)
class CellsFile:
    """What is in a file of anndata besides its matrices.

    Attributes
    ----------
    cells : Table
        The columns of obs; the first has the names of the cells.
    layers : tuple of str
        What the parameter layer may be: X, the layers, raw, and the arrays of obsm.
    """

    cells: Table
    layers: tuple[str, ...]


def look_at_cells(path: Path) -> CellsFile:
    """The columns of obs, and the names of the matrices; no matrix is read.

    Raises
    ------
    DataError
        If it cannot be read.
    """
    described: CellsFile = read_limited(path, _look_at_cells, path)
    return described


def read_cells(path: Path, params: Mapping[str, Any], roles: Roles) -> Content:
    """The matrix of a file of anndata with the names and labels of its cells.

    Raises
    ------
    DataError
        If it cannot be read, there are several matrices of which none is chosen, or a column is
        not there, or has missing labels.
    """
    content: Content = read_limited(path, _read_cells, path, dict(params), roles)
    return content


def _open(path: Path) -> Any:
    try:
        import anndata
    except ImportError as error:
        raise DataError(
            f'{path}: .h5ad files need anndata: pip install "hcbench[anndata]"'
        ) from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about files of older versions
            # Its matrices stay in the file until their rows are taken.
            return anndata.read_h5ad(path, backed="r")
    except MemoryError:
        raise
    except Exception as error:  # h5py and anndata raise many kinds
        reason = first_line(error)
        raise DataError(
            f"{path} is no .h5ad file: {reason}; write it again with anndata's write_h5ad"
        ) from error


def _look_at_cells(path: Path) -> CellsFile:
    from hcbench_datasets.frames import table_of_frame

    data = _open(path)
    # Clusters have numbers, and are categories none the less.
    categories = data.obs.select_dtypes("category").columns
    cells = table_of_frame(path, data.obs, set(categories), data.obs_names.tolist())
    return CellsFile(cells, _layers(data))


def _layers(data: Any) -> tuple[str, ...]:
    layers = []
    if data.X is not None:
        layers.append(_MAIN)
    layers += map(str, data.layers)
    if data.raw is not None:
        layers.append(_RAW)
    layers += map(str, data.obsm)
    return tuple(layers)


def _read_cells(path: Path, params: Mapping[str, Any], roles: Roles) -> Content:
    data = _open(path)
    check_rows(data.n_obs, str(path))
    # Before anything is read: a matrix may be large.
    layer = _chosen_layer(path, params, _layers(data))
    # The rows of the cells that are used, in their order.
    kept = np.arange(data.n_obs)
    for name in roles.labels:
        column = _column(path, data.obs, name)
        is_missing = np.array(list(map(is_missing_label, column)), dtype=bool)
        if is_missing.any() and params["missing"] != "drop":
            dropped = changed_name(params, missing="drop")
            raise DataError(
                f"{path}: {is_missing.sum()} labels of {name!r} are missing; fill them in, or "
                f"write {dropped} to omit these cells"
            )
        kept = kept[~is_missing[kept]]
    check_rows(len(kept), f"{path}, without the cells of missing labels")
    levels = []
    places = [f"cell {row}" for row in kept]
    for name in roles.labels:
        column = _column(path, data.obs, name)
        texts = [column[row] for row in kept]
        levels.append(class_texts(texts, places, f"{path}: column {name!r}"))
    names = list(map(str, data.obs_names))
    if roles.names is not None:
        names = _column(path, data.obs, roles.names)
    cell_names = check_names([names[row] for row in kept], places, str(path))
    matrix, features = _matrix(data, layer)
    return Content(
        vectors=_numbers(path, layer, matrix, kept),
        levels=table_of_labels(levels),
        names=cell_names,
        features=features,
    )


def _chosen_layer(path: Path, params: Mapping[str, Any], layers: Sequence[str]) -> str:
    """The name of the matrix that is read."""
    layer = params["layer"]
    if layer in layers:
        return str(layer)
    if layer is not None:
        hint = suggestion(str(layer), layers) or f"there are {', '.join(layers)}"
        raise DataError(f"{path}: there is no layer {layer!r}; {hint}")
    if not layers:
        raise DataError(f"{path} has no matrix of numbers; set X of the AnnData")
    # Nothing to ask.
    if len(layers) == 1:
        return layers[0]
    ways = []
    for name in layers:
        written = changed_name(params, layer=name)
        ways.append(f"of {name} write {written}")
    raise DataError(f"{path} has several matrices: {'; '.join(ways)}")


def _column(path: Path, obs: pd.DataFrame, name: str) -> list[str]:
    """The texts of a column of obs; a missing one is ""."""
    if name not in obs.columns:
        names = list(map(str, obs.columns))
        listed = ", ".join(names[:12]) or "no columns"
        hint = suggestion(name, names) or f"there are {listed}"
        raise DataError(f"{path}: obs has no column {name!r}; {hint}")
    texts = []
    for value, is_missing in zip(obs[name], obs[name].isna(), strict=True):
        text = ""
        if not is_missing:
            text = str(value).strip()
        texts.append(text)
    return texts


def _matrix(data: Any, layer: str) -> tuple[Any, tuple[str, ...] | None]:
    """The matrix of a layer, and the names of its columns; those of obsm have none."""
    genes = tuple(map(str, data.var_names))
    if layer == _MAIN:
        return data.X, genes
    if layer in data.layers:
        return data.layers[layer], genes
    if layer == _RAW:
        # raw may have more genes than X.
        return data.raw.X, tuple(map(str, data.raw.var_names))
    return data.obsm[layer], None


def _numbers(path: Path, layer: str, matrix: Any, kept: np.ndarray) -> Vectors:
    """Some rows of a matrix, which is read now; it is sparse if it is in the file."""
    from scipy import sparse

    loaded: Any = matrix
    if hasattr(matrix, "to_memory"):
        loaded = matrix.to_memory()  # sparse in the file
    elif not sparse.issparse(matrix):
        loaded = np.asarray(matrix)
    where = f"{path}, {layer}"
    # Sparse rows stay sparse, as thousands of genes have no counts.
    is_sparse: bool = sparse.issparse(loaded)
    if is_sparse:
        rows: Any = sparse.csr_array(loaded)[kept].astype(np.float64)
        numbers = rows.data
    else:
        rows = np.ascontiguousarray(loaded[kept], dtype=np.float64)
        numbers = rows
    if not np.isfinite(numbers).all():
        raise DataError(f"{where}: a number is missing or infinite; replace it in the AnnData")
    vectors: Vectors = rows
    return vectors
