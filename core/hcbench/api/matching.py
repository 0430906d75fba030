"""Trees, truths and data from different files, with their items in one order.

Files with names (Newick, tables with a header or an index, ``--names``) are matched by them. Files
without names are in the order of ``--names``; without it their items are the numbers 0..n-1.

`LABELS` is the name of the truth that labels give.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench.api.labels import read_labels
from hcbench.api.tree_labels import labels_of
from hcbench.errors import DataError, ModelWarning
from hcbench.files.tables import DECIMAL_COMMA, is_number, read_items, read_rows, table_rows
from hcbench.files.trees import TreeFile
from hcbench.model.names import NamedItems, common_positions, few_names, match_items
from hcbench.model.problem import Problem
from hcbench.model.trees import Tree
from hcbench.registry import Registry
from hcbench.registry.names import parse_name
from hcbench.run.requests import make_data

LABELS = "labels"
"""The name of the truth that the labels give."""

_TABLES = (".csv", ".tsv")
#: The fewest items of which trees can differ.
_LEAST_COMMON = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _FileContent:
    """The content of a file about items, and their names if it has any.

    Attributes
    ----------
    where : Path
        The file.
    n : int
        The number of items.
    names : tuple of str or None
        The names of the items.
    content : Tree, Problem or array
        What the file has of the items; None for a file of names alone.
    note : str
        A sentence for messages about wrong items.
    """

    where: Path
    n: int
    names: tuple[str, ...] | None
    content: Any = None
    note: str = ""

    @property
    def items(self) -> NamedItems:
        """The items, for `match_items`."""
        return NamedItems(
            what=str(self.where),
            n=self.n,
            names=self.names,
            give=f"--names FILE, one a line in the order of {self.where}, or a table in this order",
        )


def read_matched(
    registry: Registry,
    trees: Sequence[TreeFile],
    *,
    truths: Sequence[TreeFile] = (),
    labels: str | None = None,
    similarity: str | None = None,
    vectors: str | None = None,
    names: Path | None = None,
    common: bool = False,
) -> tuple[dict[str, Tree], dict[str, Problem]]:
    """Read trees and what to score them against, and bring their items into one order.

    Parameters
    ----------
    registry : Registry
        What is registered; its data sets read the files of similarities and vectors.
    trees, truths : sequence of TreeFile
        The trees to score, and the true ones.
    labels : str, optional
        A file of labels, as `read_labels` takes it.
    names : path, optional
        A file with the names of the items, in whose order files without names are.
    similarity, vectors : str, optional
        Files, written as data sets: ``FILE`` or ``FILE[param=value]``.
    common : bool
        Whether all are restricted to the items that all have.

    Returns
    -------
    trees : dict of label to Tree
        Those of a file of which all are meant have its label and their number, as ``FILE#3``.
    problems : dict of the name of a truth to Problem
        The problem that metrics see, with that truth alone; if there is no truth, the only key
        is "".

    Raises
    ------
    HcbenchError
        If a file cannot be read, or its items are not those of the others.

    Warns
    -----
    ModelWarning
        With ``common``, which items of which files are dropped.
    """
    _check_single(truths)
    tree_files = _read_trees(trees)
    truth_files = _read_trees(truths)
    data_files: dict[str, _FileContent] = {}
    if similarity is not None:
        data_files["similarity"] = _read_data(similarity, "similarity", registry)
    if vectors is not None:
        data_files["vectors"] = _read_data(vectors, "vectors", registry)
    # The first file with names gives the order.
    contents = list(data_files.values())
    contents += truth_files.values()
    contents += tree_files.values()
    names_file = None
    if names is not None:
        texts = _read_names(names)
        names_file = _FileContent(where=names, n=len(texts), names=texts)
        contents.insert(0, names_file)
    labels_file = None
    if labels is not None:
        labels_file = _read_labels(labels, contents)
        # Behind data and before trees, in the search for an order.
        n_before = len(data_files)
        if names_file is not None:
            n_before += 1
        contents.insert(n_before, labels_file)
    if common:
        contents, restricted = _restrict_to_common(contents, names_file)
        tree_files = _replaced(tree_files, restricted)
        truth_files = _replaced(truth_files, restricted)
        data_files = _replaced(data_files, restricted)
        if labels_file is not None:
            labels_file = restricted[labels_file]
        # All files have names of their own now: nothing has to be taken from --names.
        names_file = None
    order = _Order.find(contents, names_file)
    for content in contents:
        # Also --names, which has no other content, but may not fit.
        order.rows(content)
    matched_trees = {label: order.tree(file) for label, file in tree_files.items()}
    return matched_trees, _problems_of(order, data_files, truth_files, labels_file)


def _replaced(
    files: Mapping[str, _FileContent], replacements: Mapping[_FileContent, _FileContent]
) -> dict[str, _FileContent]:
    """Files by label, each with its replacement instead."""
    return {label: replacements[file] for label, file in files.items()}


def _check_single(truths: Sequence[TreeFile]) -> None:
    """Refuse several trees of a file as a truth."""
    for truth in truths:
        if truth.has_many:
            raise DataError(f"{truth}: a truth is one tree; write the number of one, as tree=1")


def _restrict_to_common(
    contents: Sequence[_FileContent], names_file: _FileContent | None
) -> tuple[list[_FileContent], dict[_FileContent, _FileContent]]:
    """Files with the items that all have, in one order; also by the files before.

    Raises
    ------
    DataError
        If fewer than `_LEAST_COMMON` are left, or a file has no names.
    """
    named = [_with_names(content, names_file) for content in contents]
    items_of_files = [content.items for content in named]
    positions = common_positions(items_of_files)
    # Each array has the positions of the same items, so that all have one length.
    n_common = len(positions[0])
    # All trees of one file mostly lack the same items.
    dropped: dict[str, None] = {}
    for content, of_content in zip(named, positions, strict=True):
        if content.n > n_common:
            dropped[_describe_dropped(content, of_content)] = None
    if n_common < _LEAST_COMMON:
        raise DataError(
            f"{n_common} items are in all files, and {_LEAST_COMMON} is the least: "
            f"{'; '.join(dropped)}"
        )
    text = f"{n_common} items are in all files"
    if dropped:
        text += f"; dropped: {'; '.join(dropped)}"
    warnings.warn(text, ModelWarning, stacklevel=3)
    names = named[0].names
    assert names is not None
    names_of_common = tuple([names[position] for position in positions[0].tolist()])
    restricted = {}
    for content, with_names, of_content in zip(contents, named, positions, strict=True):
        restricted[content] = replace(
            with_names,
            n=n_common,
            names=names_of_common,
            content=_take(with_names.content, of_content),
        )
    return list(restricted.values()), restricted


def _with_names(content: _FileContent, names_file: _FileContent | None) -> _FileContent:
    """A file with names of its items, those of ``--names`` if it has none."""
    if content.names is not None:
        return content
    if names_file is not None and names_file.n == content.n:
        return replace(content, names=names_file.names)
    raise DataError(
        f"{content.where}: common items are found by name, and this file has no names; give "
        f"--names FILE with its {content.n} names, one a line"
    )


def _describe_dropped(content: _FileContent, positions: NDArray[np.int64]) -> str:
    """How many items of a file are dropped, and the first ones."""
    assert content.names is not None
    remaining = set(positions.tolist())
    names = []
    for number, name in enumerate(content.names):
        if number not in remaining:
            names.append(name)
    return f"{len(names)} of {content.n} of {content.where} ({few_names(names)})"


def _take(content: Any, positions: NDArray[np.int64]) -> Any:
    """Some items of what a file has; a file of names has nothing else."""
    if content is None:
        return None
    if isinstance(content, Tree):
        return content.restrict(positions)
    if isinstance(content, Problem):
        return content.take(positions)
    return content[positions]


def _problems_of(
    order: _Order,
    data_files: Mapping[str, _FileContent],
    truth_files: Mapping[str, _FileContent],
    labels_file: _FileContent | None,
) -> dict[str, Problem]:
    """The problems with one truth each, in a common order; without a truth one called ""."""
    data: dict[str, Problem] = {}
    for role, file in data_files.items():
        data[role] = file.content.take(order.rows(file))
    # Stands for a role without a file: neither vectors nor similarities.
    no_data = Problem(n=order.items.n)
    problem = Problem(
        n=order.items.n,
        names=order.names,
        vectors=data.get("vectors", no_data).vectors,
        similarity=data.get("similarity", no_data).similarity,
    )
    hierarchies: dict[str, Tree] = {}
    codes = None
    # A file of data may have truths of its own, such as a column of classes.
    for of_role in data.values():
        for name, tree in of_role.truths.items():
            hierarchies[name] = tree.with_names(order.names)
        if codes is None:
            codes = of_role.levels
    # A tree of --truth replaces one of the data with its name.
    for label, file in truth_files.items():
        hierarchies[label] = order.tree(file)
    if labels_file is not None:
        codes = labels_file.content[order.rows(labels_file)]
    problems: dict[str, Problem] = {}
    for name, tree in hierarchies.items():
        if name != LABELS:  # a tree that is made of the labels, below
            problems[name] = replace(problem, truths={name: tree})
    if codes is not None:
        problems[LABELS] = replace(problem, levels=codes)
    return problems or {"": problem}


# ---- Reading -------------------------------------------------------------------------------------


def _read_trees(files: Sequence[TreeFile]) -> dict[str, _FileContent]:
    """Trees by the labels of their files; several of one file have numbers, too."""
    contents = {}
    for label, file in zip(labels_of(files), files, strict=True):
        if not file.has_many:
            contents[label] = _content_of_tree(file, file.read())
            continue
        for number, tree in enumerate(file.read_all(), start=1):
            contents[f"{label}#{number}"] = _content_of_tree(file, tree)
    return contents


def _content_of_tree(file: TreeFile, tree: Tree) -> _FileContent:
    if tree.names is None and file.is_newick:
        raise DataError(f"{file}: the leaves have no labels, and their order is arbitrary")
    return _FileContent(where=file.path, n=tree.n, names=tree.names, content=tree)


def _read_data(text: str, role: str, registry: Registry) -> _FileContent:
    """The data in a file, ``FILE[param=value]``, of similarities or vectors."""
    name = parse_name(text)
    path = Path(name.base).expanduser()
    entry = registry.reader_of(path)
    if entry is None:
        raise DataError(f"{path}: data are read from {registry.file_endings} files")
    params: dict[str, Any] = {"path": str(path)}
    if name.params.keys().isdisjoint(("names", "delimiter")):
        params |= _index_of(path)
    params |= name.params
    if role == "similarity" and not params.get("distance"):
        params["similarity"] = True
    problem = make_data(entry.use(params))
    return _FileContent(where=path, n=problem.n, names=problem.names, content=problem)


def _index_of(path: Path) -> dict[str, str]:
    """The column of a table with the names of the rows, as a parameter of the data set.

    It is the first one if it holds text, or the numbers of the rows in any order, below a header or
    without one. The data set itself knows a first column without a name, as R and pandas write it.
    """
    if path.suffix.lower() not in _TABLES or not path.is_file():
        return {}
    rows = [cells for _, cells in table_rows(path)]
    if not rows:
        return {}
    header = rows[0]
    for cells in rows:
        # Rows of different lengths are an error, which the reader of the data explains.
        if len(cells) != len(header):
            return {}
    if not header[0]:
        return {}
    if all(map(_looks_numeric, header)):
        # There is no header: the table begins with data, or with the number of the first row.
        if len(header) > 1 and _numbers_rows(rows):
            return {"names": "1"}
        return {}
    below = rows[1:]
    if below and is_number(below[0][0]) and not _numbers_rows(below):
        return {}  # the first column has data
    return {"names": header[0]}


def _numbers_rows(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first column has the numbers of the rows, from 0, in any order."""
    column = {cells[0] for cells in rows}
    return column == set(map(str, range(len(rows))))


def _looks_numeric(cell: str) -> bool:
    return is_number(cell) or DECIMAL_COMMA.fullmatch(cell) is not None


def _read_labels(labels: str, contents: Sequence[_FileContent]) -> _FileContent:
    """The labels in a file; names of other files say which of its columns has names."""
    names = None
    for content in contents:
        if content.names is not None:
            names = content.names
            break
    read = read_labels(labels, names, contents[0].n)
    return _FileContent(
        where=read.where, n=len(read.table), names=read.names, content=read.table, note=read.note
    )


def _read_names(path: Path) -> tuple[str, ...]:
    """The names in a file with one a line, or those of the rows of a table."""
    if path.suffix.lower() not in _TABLES or len(read_rows(path)[0][1]) == 1:
        return read_items(path).texts
    rows = read_rows(path)
    _, header = rows[0]
    if header[0] and not _index_of(path):
        raise DataError(f"{path}: no column names the rows; give a file with one name a line")
    return tuple([cells[0] for _, cells in rows[1:]])


# ---- One order -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Order:
    """The items in the common order, and the names that they then have.

    Attributes
    ----------
    items : NamedItems
        The items, in this order.
    names : tuple of str or None
        Their names; None if the items are numbers.
    names_file : _FileContent or None
        The file of ``--names``, in whose order files without names are.
    note : str
        The note of the file that gives the order.
    """

    items: NamedItems
    names: tuple[str, ...] | None
    names_file: _FileContent | None
    note: str = ""

    @classmethod
    def find(cls, contents: Sequence[_FileContent], names_file: _FileContent | None) -> _Order:
        """The order of ``--names``, of the first file with names, or of the numbers of items."""
        if names_file is not None:
            return cls(items=names_file.items, names=names_file.names, names_file=names_file)
        most = max([content.n for content in contents])
        numbers = set(map(str, range(most)))
        for content in contents:
            # Numbers of rows are no names, if another file has some.
            if content.names is not None and not set(content.names) <= numbers:
                return cls._of_file(content, content.names)
        for content in contents:
            if content.names is None:
                return cls._of_file(content, None)
        # All files number their items, perhaps in different orders.
        first = contents[0]
        in_order = tuple(map(str, range(first.n)))
        return cls(items=replace(first.items, names=in_order), names=None, names_file=None)

    @classmethod
    def _of_file(cls, content: _FileContent, names: tuple[str, ...] | None) -> _Order:
        return cls(items=content.items, names=names, names_file=None, note=content.note)

    def rows(self, content: _FileContent) -> NDArray[np.int64]:
        """The positions of the items in a file, in this order.

        Raises
        ------
        DataError
            If it has other items, or another number of them.
        """
        items = content.items
        if items.names is None and self.names_file is not None:
            items = replace(items, names=self.names_file.names)
        try:
            return match_items(items, self.items)
        except DataError as error:
            # A header that was taken for a label, or the other way round, is often the reason.
            raise DataError(f"{error}{content.note or self.note}") from None

    def tree(self, content: _FileContent) -> Tree:
        """The tree of a file, with the leaves in this order."""
        # `rows` maps new positions to leaves, and relabel takes the new position of each leaf:
        # argsort inverts a permutation.
        tree: Tree = content.content.relabel(np.argsort(self.rows(content)))
        return tree.with_names(self.names)
