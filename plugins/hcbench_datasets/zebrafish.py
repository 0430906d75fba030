"""Gene counts of zebrafish embryos (Wagner et al. 2018), preprocessed as by Gray et al. 2023.

The steps are those of scanpy's classic recipe with the parameters of the authors, implemented with
numpy and scipy: filters, normalisation, selection of variable genes, regression and scaling.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError, DataRequest, Problem
from hcbench_datasets.cell_texts import is_missing_label
from hcbench_datasets.fetch import data_file, sampled_rows

if TYPE_CHECKING:
    from scipy import sparse

FILE = "WagnerScience2018.h5ad"
ADVICE = (
    "the SCANPY file (about 1 GB) of https://kleintools.hms.harvard.edu/paper_websites/"
    "wagner_zebrafish_timecourse2018/mainpage.html"
)
MIN_GENES = 200  # of a cell
MIN_CELLS = 3  # of a gene
TOTAL = 1e4  # counts of a cell, after normalisation
# Of the log of normalised counts of a variable gene.
MIN_MEAN = 0.0125
MAX_MEAN = 3.0
MIN_DISPERSION = 0.5  # standardised within a bin of genes of similar mean
BINS = 20
MOST = 10.0  # larger scaled values are clipped


def zebrafish(
    request: DataRequest, *, path: str | None, n: int, tissue: str, subcategory: str
) -> Problem:
    """Gene expression of a sample of cells (Gray et al. 2023, section 4 and D.3); dense.

    Parameters
    ----------
    request : DataRequest
        Selects the sample.
    path : str, optional
        An .h5ad file of raw counts; by default WagnerScience2018.h5ad in HCBENCH_DATA.
    n : int
        Number of cells, sampled from those with both labels. The paper used 5079 (8 % of all,
        without unlabelled ones), with p = 5498 genes. The result has fewer than n cells if some
        have fewer than 200 genes, because those are removed afterwards.
    tissue, subcategory : str
        The columns of labels; of a subcategory "14hpf-otic" only the part after the first "-" is
        used.

    Raises
    ------
    DataNotAvailableError
        If the file is missing.
    DataError
        If the package anndata or a column is missing, or too few cells or genes are left.
    """
    seed = request.seed
    if path:
        source = Path(path).expanduser()
    else:
        source = data_file(FILE, "zebrafish", ADVICE)
    counts, tissues, kinds = read_h5ad(source, tissue, subcategory)
    has_tissue = ~np.fromiter(map(is_missing_label, tissues), dtype=bool)
    has_kind = ~np.fromiter(map(is_missing_label, kinds), dtype=bool)
    cells = np.flatnonzero(has_tissue & has_kind)
    cells = cells[sampled_rows(n, cells.size, seed, "zebrafish")]
    passing, vectors = expression(counts[cells])
    rows = cells[passing]
    levels = []
    for row in rows:
        # Of "14hpf-otic", the hours are no kind.
        kind = kinds[row].split("-", 1)[-1]
        levels.append((tissues[row], kind))
    return Problem(n=len(rows), vectors=vectors, levels=np.array(levels))


def read_h5ad(
    path: Path, tissue: str, subcategory: str
) -> tuple[sparse.csr_array, list[str], list[str]]:
    """Counts (cells, genes) and two columns of labels."""
    try:
        import anndata
    except ImportError as error:
        raise DataError('zebrafish needs anndata: pip install "hcbench[anndata]"') from error
    from scipy import sparse

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about files of older versions
            data: Any = anndata.read_h5ad(path)
    except Exception as error:  # h5py and anndata raise many kinds
        raise DataError.of_file("read", path, error) from error
    labels = []
    for column in (tissue, subcategory):
        if column not in data.obs.columns:
            listed = ", ".join(map(str, data.obs.columns))
            raise DataError(f"{path} has no column {column!r} of cells; there are {listed}")
        labels.append(list(map(str, data.obs[column])))
    counts = sparse.csr_array(data.X).astype(np.float64)
    return counts, labels[0], labels[1]


def expression(counts: sparse.csr_array) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Preprocess counts: the cells that pass, and their expression (cells, variable genes).

    Keeps cells with at least 200 genes and genes in at least 3 cells, scales the counts of each
    cell to a sum of 10^4, selects variable genes, takes log(1 + x), removes the linear effect of a
    cell's total count from each gene, standardises each gene to mean 0 and standard deviation 1
    (n - 1), and clips values above 10. O(cells x genes) memory for the variable genes only.

    Raises
    ------
    DataError
        If fewer than two cells or no genes remain.
    """
    passing = np.flatnonzero(_present(counts, axis=1) >= MIN_GENES)
    if passing.size < 2:
        raise DataError(
            f"zebrafish: {passing.size} cells have {MIN_GENES} genes or more; take more"
        )
    counts = counts[passing]
    counts = counts[:, np.flatnonzero(_present(counts, axis=0) >= MIN_CELLS)]
    totals = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
    scaled = counts.multiply((TOTAL / totals)[:, None]).tocsr()
    genes = np.flatnonzero(variable_genes(scaled))
    if genes.size == 0:
        raise DataError("zebrafish: no gene is variable enough; take more cells")
    return passing, _scaled(without_effect(np.log1p(scaled[:, genes].toarray()), totals))


def _present(counts: sparse.csr_array, axis: int) -> NDArray[np.int64]:
    return np.asarray((counts > 0).sum(axis=axis)).ravel()


def variable_genes(scaled: sparse.csr_array) -> NDArray[np.bool_]:
    """Mask of genes that vary more than others of similar mean (Satija et al. 2015, as in scanpy).

    The log of variance (n - 1) over mean is standardised within each of 20 equal bins of
    log(1 + mean); a gene that is alone in its bin gets the value 1.
    """
    mean, variance = _moments(scaled)
    with np.errstate(divide="ignore", invalid="ignore"):
        dispersion = np.log(variance / np.where(mean == 0, 1e-12, mean))
    dispersion[~np.isfinite(dispersion)] = np.nan
    level = np.log1p(mean)
    edges = np.linspace(level.min(), level.max(), BINS + 1)
    of_bin = np.clip(np.searchsorted(edges, level, side="left") - 1, 0, BINS - 1)
    normalised = np.zeros(mean.size)
    for number in np.unique(of_bin):
        members = of_bin == number
        values = dispersion[members]
        finite = values[~np.isnan(values)]
        if finite.size == 1:
            normalised[members] = np.where(np.isnan(values), 0.0, 1.0)
        elif finite.size > 1:
            deviation = finite.std(ddof=1)
            if deviation > 0:
                normalised[members] = np.nan_to_num((values - finite.mean()) / deviation)
    is_variable: NDArray[np.bool_] = normalised > MIN_DISPERSION
    is_variable &= (level > MIN_MEAN) & (level < MAX_MEAN)
    return is_variable


def _moments(values: sparse.csr_array) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and variance (n - 1) of each column, in two passes, so that constant ones have 0."""
    n, p = values.shape
    mean = np.bincount(values.indices, values.data, p) / n
    squares = np.bincount(values.indices, (values.data - mean[values.indices]) ** 2, p)
    zeros = n - np.bincount(values.indices, minlength=p)
    return mean, (squares + zeros * mean**2) / (n - 1)


def without_effect(values: NDArray[np.float64], totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Residuals of the least squares regression of each column on ``totals`` and a constant."""
    centred = totals - totals.mean()
    residual: NDArray[np.float64] = values - values.mean(axis=0)
    power = centred @ centred
    if power > 0:
        residual -= np.outer(centred, centred @ residual / power)
    return residual


def _scaled(values: NDArray[np.float64]) -> NDArray[np.float64]:
    values = values - values.mean(axis=0)
    deviation = values.std(axis=0, ddof=1)
    deviation[deviation == 0] = 1.0
    scaled: NDArray[np.float64] = np.minimum(values / deviation, MOST)
    return scaled
