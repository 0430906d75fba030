"""Trees written to files: Newick, Nexus, scipy's linkage matrix, and JSON."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hcbench.errors import DataError
from hcbench.model.newick.text import quoted
from hcbench.model.trees import Tree

#: The format that each suffix means.
FORMATS = {
    ".nwk": "newick",
    ".newick": "newick",
    ".tree": "newick",
    ".tre": "newick",
    ".treefile": "newick",
    ".nex": "nexus",
    ".nexus": "nexus",
    ".npy": "npy",
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "json",
}
#: The columns of a linkage matrix in a table; what reads it ignores the header.
LINKAGE_COLUMNS = ("cluster1", "cluster2", "distance", "size")
#: What Nexus allows in a label without quotes.
_PLAIN_IN_NEXUS = re.compile(r"[A-Za-z0-9_.]+")


def format_of_tree(path: Path) -> str:
    """The format in which a tree is written to a file, by its suffix.

    Raises
    ------
    DataError
        If the suffix is none of `FORMATS`.
    """
    form = FORMATS.get(path.suffix.lower())
    if form is None:
        raise DataError(f"{path}: the name of a file of a tree ends in {', '.join(FORMATS)}")
    return form


def write_tree(
    tree: Tree,
    path: str | Path,
    *,
    lengths: bool = True,
    inner_labels: Sequence[str] | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> list[Path]:
    """Write a tree in the format of the suffix of a file.

    Parameters
    ----------
    tree : Tree
    path : str or path
        Newick (.nwk, .newick, .tree, .tre, .treefile), Nexus (.nex, .nexus), scipy's linkage
        matrix (.npy, and as a table .csv or .tsv), or .json.
    lengths : bool
        Whether Newick and Nexus have branch lengths: half of the differences of heights, so that
        the path between two leaves is the distance at which they merge, as in what R's ape writes
        of an hclust.
    inner_labels : sequence of str, optional
        The label of each inner node in Newick and Nexus, such as its support.
    metadata : mapping, optional
        Entries that JSON has before those of the tree, such as the algorithm.

    Returns
    -------
    list of path
        The files: of a linkage matrix, which has no names, also ``NAME.names.txt`` with the name
        of item 0, 1, ... a line each, which ``hcbench score --names`` takes.

    Raises
    ------
    DataError
        If the suffix is unknown, or a file cannot be written.
    InvalidTreeError
        If the format cannot hold the tree: a linkage matrix only binary trees, and branch lengths
        no infinite heights.

    Examples
    --------
    >>> problem = hcbench.Problem(n=3, names=["a", "b", "c"], vectors=[[0], [1], [5]])
    >>> tree = hcbench.fit("UPGMA", problem)
    >>> [file.name for file in write_tree(tree, "upgma.nwk")]
    ['upgma.nwk']
    >>> hcbench.read_tree("upgma.nwk").isomorphic(tree)
    True
    >>> [file.name for file in write_tree(tree, "upgma.csv")]
    ['upgma.csv', 'upgma.names.txt']
    """
    path = Path(path).expanduser()
    form = format_of_tree(path)
    if form == "npy":
        buffer = io.BytesIO()
        np.save(buffer, tree.to_linkage(), allow_pickle=False)
        _write(path, buffer.getvalue())
    else:
        text = tree_text(tree, form, lengths=lengths, inner_labels=inner_labels, metadata=metadata)
        _write(path, text.encode())
    files = [path]
    if form in ("npy", "csv", "tsv") and tree.names is not None:
        names_path = path.with_name(f"{path.stem}.names.txt")
        _write(names_path, _text_of_names(tree).encode())
        files.append(names_path)
    return files


def tree_text(
    tree: Tree,
    form: str,
    *,
    lengths: bool = True,
    inner_labels: Sequence[str] | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> str:
    """A tree as text in one of the formats ``newick``, ``nexus``, ``csv``, ``tsv`` and ``json``.

    Parameters
    ----------
    tree : Tree
    form : str
    lengths, inner_labels, metadata
        As of `write_tree`.
    """
    if form == "newick":
        return tree.to_newick(lengths, inner_labels) + "\n"
    if form == "nexus":
        return _nexus_text(tree, lengths, inner_labels)
    if form == "json":
        return json.dumps(_describe(tree, metadata), indent=1, ensure_ascii=False) + "\n"
    separator = "\t"
    if form == "csv":
        separator = ","
    lines = [separator.join(LINKAGE_COLUMNS)]
    for first, second, distance, size in tree.to_linkage().tolist():
        cells = (f"{first:.0f}", f"{second:.0f}", repr(distance), f"{size:.0f}")
        lines.append(separator.join(cells))
    return "\n".join(lines) + "\n"


def _nexus_text(tree: Tree, lengths: bool, inner_labels: Sequence[str] | None) -> str:
    """The blocks TAXA and TREES, with the labels of the first translated from numbers.

    Numbers instead of labels in the tree are read alike by programs that differ in how they read
    quoted labels.
    """
    labels = [_nexus_label(name) for name in _names(tree)]
    numbers = [str(number) for number in range(1, tree.n + 1)]
    translations = []
    for number, label in zip(numbers, labels, strict=True):
        translations.append(f"    {number} {label}")
    newick = tree.with_names(numbers).to_newick(lengths, inner_labels)
    # [&R] says that the tree is rooted.
    lines = [
        "#NEXUS",
        "BEGIN TAXA;",
        f"  DIMENSIONS NTAX={tree.n};",
        "  TAXLABELS",
        "\n".join(f"    {label}" for label in labels),
        "  ;",
        "END;",
        "BEGIN TREES;",
        "  TRANSLATE",
        ",\n".join(translations),
        "  ;",
        f"  TREE hcbench = [&R] {newick}",
        "END;",
    ]
    return "\n".join(lines) + "\n"


def _nexus_label(name: str) -> str:
    if _PLAIN_IN_NEXUS.fullmatch(name):
        return name
    written = quoted(name)
    if written.startswith("'"):
        return written
    return f"'{written}'"


def _names(tree: Tree) -> tuple[str, ...]:
    """The names of the leaves; without names, their numbers from 0, as in Newick."""
    if tree.names is not None:
        return tree.names
    return tuple(str(number) for number in range(tree.n))


def _text_of_names(tree: Tree) -> str:
    """The names, a line each: line breaks within a name become blanks."""
    lines = []
    for name in _names(tree):
        lines.append(" ".join(name.split()) + "\n")
    return "".join(lines)


def _describe(tree: Tree, metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    """A tree in plain values, of which JSON has no infinite numbers and no NaN."""
    described: dict[str, Any] = dict(metadata or {})
    described["n"] = tree.n
    described["names"] = None
    if tree.names is not None:
        described["names"] = list(tree.names)
    described["parent"] = tree.parent.tolist()
    described["kind"] = tree.kind.value
    described["height"] = _finite_or_none(tree.height)
    described["linkage"] = _finite_or_none(tree.linkage)
    described["leaf_order"] = tree.leaf_order.tolist()
    described["newick"] = tree.to_newick(lengths=_has_lengths(tree))
    return described


def _has_lengths(tree: Tree) -> bool:
    return tree.height is not None and bool(np.isfinite(tree.height).all())


def _finite_or_none(values: Any) -> list[float | None] | None:
    if values is None:
        return None
    finite: list[float | None] = []
    for value in values.tolist():
        if np.isfinite(value):
            finite.append(value)
        else:
            finite.append(None)
    return finite


def _write(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise DataError.of_file("write", path, error) from error
