"""In which form a file has a tree, by its content: Newick, Nexus, a table, or another one."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from hcbench.errors import DataError
from hcbench.files.tables import read_text
from hcbench.model.regular_files import check_regular
from hcbench.model.text import shell_command

#: Texts of nested brackets, of blocks, and of rows of numbers; an array is no text.
TreeForm = Literal["newick", "nexus", "table", "array"]

#: What binary files begin with, and what they are.
_BINARY = (
    (b"\x1f\x8b", "compressed: decompress it, with gunzip"),
    (b"BZh", "compressed: decompress it, with bunzip2"),
    (b"PK\x03\x04", "an archive or a workbook: save its table as .csv"),
    (b"RDX", "an image of R: write the tree in R with ape::write.tree(as.phylo(x), 'tree.nwk')"),
    (b"\x80", "a pickle, which could run code: save the linkage matrix with numpy.save"),
    (b"\x89HDF", "of HDF5: save the linkage matrix with numpy.save"),
)
#: What the text of an object of R begins with, as `dput` writes it.
_DPUT = ("structure(", "list(", "c(")


def form_of_tree(path: Path, newick_suffixes: tuple[str, ...]) -> tuple[TreeForm, str]:
    """The form of a file with a tree, and its text; that of an array is empty.

    Parameters
    ----------
    path : Path
    newick_suffixes : tuple of str
        Of files of Newick that may begin with something else than a parenthesis.

    Raises
    ------
    DataError
        If it cannot be read, or has a form that is not read here: what to do is said.
    """
    suffix = path.suffix.lower()
    if suffix == ".npy":
        return "array", ""
    _check_text(path)
    text = read_text(path)
    start = _without_comments(text)
    if start[:6].lower() == "#nexus":
        return "nexus", text
    if start.startswith("("):
        return "newick", text
    if start.startswith("<"):
        raise DataError(f"{path}: {_about_xml(path, start)}")
    if start.startswith(("{", '["', "[{")):
        raise DataError(f"{path} has JSON, in which trees are not read; save the tree as Newick")
    if start.startswith(_DPUT):
        raise DataError(
            f"{path} has R code, as of dput; write the tree in R with "
            "ape::write.tree(ape::as.phylo(x), 'tree.nwk')"
        )
    return ("newick" if suffix in newick_suffixes else "table"), text


def _check_text(path: Path) -> None:
    """Raise `DataError` for a binary file, a pipe or a device."""
    check_regular(path)
    try:
        with path.open("rb") as stream:
            start = stream.read(8)
    except OSError as error:
        raise DataError.of_file("read", path, error) from error
    for magic, what in _BINARY:
        if start.startswith(magic):
            raise DataError(f"{path} is {what}")


def _without_comments(text: str) -> str:
    """The text from its first character that is neither blank nor in a comment in brackets."""
    rest = text.lstrip()
    while rest.startswith("["):
        comment, closed, behind = rest.partition("]")
        # A list of JSON, or a comment that is not closed.
        if not closed or comment[1:2] in ('"', "{", "["):
            return rest
        rest = behind.lstrip()
    return rest


def _about_xml(path: Path, start: str) -> str:
    """What a file of XML has, and the command that makes a Newick file of it."""
    head = start[:2000].lower()
    target = f"{path.stem}.nwk"
    if "phyloxml" in head:
        code = (
            f"from Bio import Phylo; Phylo.convert({str(path)!r}, 'phyloxml', {target!r}, 'newick')"
        )
        return (
            "PhyloXML is not read; Biopython writes Newick (pip install biopython): "
            f"{shell_command('python3', '-c', code)}"
        )
    if "nexml" in head:
        target = f"{path.stem}.nex"
        code = (
            f"import dendropy; dendropy.TreeList.get(path={str(path)!r}, schema='nexml')"
            f".write(path={target!r}, schema='nexus')"
        )
        return (
            "NeXML is not read; DendroPy writes Nexus (pip install dendropy): "
            f"{shell_command('python3', '-c', code)}"
        )
    return "XML is not read as a tree; save the tree as Newick"
