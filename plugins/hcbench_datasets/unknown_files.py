"""Files that are not read as data: what they are by their content, and what to do instead."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

#: What a file begins with, and what to do about it.
_STARTS = (
    (b"RDX", "an image of R; write the table in R with write.csv(x, 'x.csv')"),
    (b"X\n", "a file of saveRDS; write the table in R with write.csv(x, 'x.csv')"),
    (b"A\n", "a file of saveRDS; write the table in R with write.csv(x, 'x.csv')"),
    (b"\x80", "a pickle, which could run code; write the table with to_csv or numpy.save"),
    (b"\x89HDF", "a file of HDF5; write its table with pandas as .parquet, or cells as .h5ad"),
    (b"MATLAB", "a file of MATLAB; write the matrix with writematrix(x, 'x.csv')"),
    (b"SIMPLE  =", "a file of FITS; write its table as .csv"),
    (b"PK\x03\x04", "a zip archive; unpack it, and use the file in it"),
    (b"\x1f\x8b", "compressed, or a file of saveRDS; decompress it, or write.csv(x, 'x.csv') in R"),
    (b"%PDF", "a PDF; save its table as .csv"),
    (b"\xd0\xcf\x11\xe0", "a workbook of Excel before 2007; save it as .xlsx or .csv"),
)
_START = 512  # bytes of a file that tell


def explain_unknown(path: Path, suffixes: Sequence[str]) -> str:
    """What a file of an unknown suffix is, and how its content can be used.

    Parameters
    ----------
    path : Path
    suffixes : sequence of str
        Of the files that are read.
    """
    try:
        with path.open("rb") as stream:
            start = stream.read(_START)
    # Its reader will say why; here the suffix is enough.
    except OSError:
        start = b""
    for magic, what in _STARTS:
        if start.startswith(magic):
            return f"{path} is {what}"
    text = start.decode("utf-8", errors="replace").lstrip("\ufeff \r\n\t")
    if text.lower().startswith("#nexus") or text.startswith("("):
        return (
            f"{path} has trees or sequences and no items; use a tree as the truth of data, "
            f"DATA[truth={path.name!r}], or score it: hcbench score"
        )
    if text.startswith(">"):
        return f"{path} has sequences; write their distances as .csv or .phy (phylip dnadist)"
    if text.startswith("<"):
        return f"{path} is XML or HTML; save its table as .csv"
    return f"{path}: unknown suffix; rename the file, or save it as one of {', '.join(suffixes)}"
