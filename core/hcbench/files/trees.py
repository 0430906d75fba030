"""Trees read from files: Newick, Nexus, and the merges of scipy, R and scikit-learn."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import DataError, InvalidTreeError
from hcbench.files.slow import tell_if_slow
from hcbench.files.tables import (
    DECIMAL_COMMA,
    is_number,
    read_npy,
    read_rows,
)
from hcbench.files.tree_forms import form_of_tree
from hcbench.model.numbers import read_number
from hcbench.model.trees import HeightKind, Tree
from hcbench.registry.names import parse_file

#: Newick and Nexus; .trees and .t are samples of BEAST and MrBayes.
NEWICK = (".nwk", ".newick", ".tree", ".tre", ".treefile", ".nex", ".nexus", ".trees", ".t")
#: The value of ``tree`` that means all trees of a file.
ALL_TREES = "all"
#: All files that may have a tree: also tables and arrays of merges.
SUFFIXES = NEWICK + (".csv", ".tsv", ".npy")

_FORMATS = (
    "a tree is a table of 4 columns (scipy's linkage), or of 2, or 3 with heights (the merge of "
    "R's hclust, or scikit-learn's children_)"
)


def read_tree(
    path: str | Path,
    names: Sequence[str] | None = None,
    *,
    tree: int | str | None = None,
    heights: Literal["half", "whole"] | None = None,
) -> Tree:
    """Read one tree.

    Parameters
    ----------
    path : str or path
        A file of Newick or Nexus, or a table of merges, recognised by its content whatever the
        suffix; of a table four columns are scipy's linkage matrix; two are
        the ``merge`` of R's hclust if a number is negative, else scikit-learn's ``children_``; a
        third has the heights of either. A header, and a first column that numbers the rows, as R
        and pandas write them, are ignored.
    names : sequence of str, optional
        Of the items, in the order of the leaves. Newick labels are matched with them; the items of
        a table have these names in this order.
    tree : int or str, optional
        Which tree of a file with several: its number, counted from 1, or its name in Nexus.
    heights : {"half", "whole"}, optional
        What the file has of the distance at which two clusters merge. Branch lengths from a node to
        a leaf sum to half of it by default: the path between two leaves is the distance at which
        they merge, as in what ape, scikit-bio, PHYLIP, BEAST and `Tree.to_newick` write. With
        "whole" they sum to it, as in programs that write the differences of the heights of scipy's
        linkage matrix. The heights of a table are whole by default.

    Returns
    -------
    Tree
        With these names; by default, with the labels of a Newick file, and without names for a
        table. There is a `NewickWarning` if branch lengths cannot be heights.

    Raises
    ------
    DataError
        If the file cannot be read, has no tree, several trees of which none is chosen, or a tree of
        other items: one line with its name.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("animals.nwk").write_text("((ape:1,bat:1):2,cod:3);")
    >>> tree = read_tree("animals.nwk")
    >>> tree.names
    ('ape', 'bat', 'cod')
    >>> tree.merge_height([0, 0], [1, 2]).tolist()
    [2.0, 6.0]
    >>> read_tree("animals.nwk", names=["cod", "bat", "ape"]).to_newick()
    '(cod:3,(bat:1,ape:1):2);'
    """
    return TreeFile(Path(path).expanduser(), tree, heights).read(names)


def read_trees(
    path: str | Path,
    *,
    burn_in: float = 0.0,
    heights: Literal["half", "whole"] | None = None,
) -> list[Tree]:
    r"""Read all trees of a file, such as a posterior sample or bootstraps.

    Parameters
    ----------
    path : str or path
        As of `read_tree`.
    burn_in : float
        The share of the trees, the first ones, that is omitted, from 0 to below 1.
    heights : {"half", "whole"}, optional
        As of `read_tree`.

    Returns
    -------
    list of Tree
        With their leaves in the order of the first, and its names. There is one `NewickWarning` if
        branch lengths of any tree cannot be heights.

    Raises
    ------
    DataError
        If the file cannot be read, or its trees have different leaves.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("sample.nwk").write_text("(a,(b,c));\n(b,(a,c));\n(c,(a,b));\n(c,(a,b));\n")
    >>> [tree.to_newick() for tree in read_trees("sample.nwk", burn_in=0.5)]
    ['(c,(a,b));', '(c,(a,b));']
    """
    return TreeFile(Path(path).expanduser(), ALL_TREES, heights, burn_in).read_all()


@dataclass(frozen=True, slots=True)
class TreeFile:
    r"""A file with a tree, and which of its trees is meant; see `read_tree`.

    ``tree="all"`` means all of them, without the share ``burn_in``; see `read_trees`.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("trees.nwk").write_text("(a,(b,c));\n(b,(a,c));\n")
    >>> file = TreeFile.parse("trees.nwk[tree=2]")
    >>> file.tree
    2
    >>> file.read().to_newick()
    '(b,(a,c));'
    """

    path: Path
    tree: int | str | None = None
    heights: Literal["half", "whole"] | None = None
    burn_in: float = 0.0

    @classmethod
    def parse(cls, text: str) -> TreeFile:
        """Return the file that is written as ``FILE`` or ``FILE[tree=3,heights=whole]``.

        The tree may have a name, as in ``FILE[tree=gen.2000]``.

        Raises
        ------
        DataError
            If there are other parameters.
        HcbenchError
            If the text is of another form.
        """
        name = parse_file(text)
        params: dict[str, Any] = dict(name.params)
        for key in params:
            if key not in ("tree", "heights", "burn_in"):
                raise DataError(
                    f"{text}: a tree has the parameters tree, heights and burn_in, not {key}"
                )
        file = cls(Path(name.base).expanduser(), **params)
        if "burn_in" in params:
            file.check_burn_in()
        return file

    def check_burn_in(self) -> None:
        """Check that the burn-in is a share, and that there are several trees.

        Raises
        ------
        DataError
            If not.
        """
        is_share = isinstance(self.burn_in, int | float) and 0 <= self.burn_in < 1
        if not is_share or isinstance(self.burn_in, bool):
            raise DataError(
                f"{self.path}: burn_in={self.burn_in} is no share of the trees, from 0 to below 1, "
                "such as 0.25"
            )
        if not self.has_many:
            raise DataError(
                f"{self.path}: burn_in={self.burn_in} is for all trees: write tree=all, too"
            )

    @property
    def has_many(self) -> bool:
        """Whether all trees of the file are meant."""
        return self.tree == ALL_TREES

    def __str__(self) -> str:
        return f"{self.path}{self.parameters}"

    @property
    def name(self) -> str:
        """The name of the file, with the parameters that are given."""
        return f"{self.path.name}{self.parameters}"

    @property
    def parameters(self) -> str:
        """The parameters that are given, in brackets."""
        parts = []
        if self.tree is not None:
            parts.append(f"tree={self.tree}")
        if self.heights is not None:
            parts.append(f"heights={self.heights}")
        if self.burn_in:
            parts.append(f"burn_in={self.burn_in}")
        if not parts:
            return ""
        return f"[{','.join(parts)}]"

    @property
    def is_newick(self) -> bool:
        """Whether the file has Newick or Nexus, by its content."""
        return form_of_tree(self.path, NEWICK)[0] in ("newick", "nexus")

    def read(self, names: Sequence[str] | None = None) -> Tree:
        """Read the tree, see `read_tree`."""
        with tell_if_slow(f"reading {self.path}"):
            return self._read(names)

    def _read(self, names: Sequence[str] | None) -> Tree:
        form, text = form_of_tree(self.path, NEWICK)
        if form in ("newick", "nexus"):
            return self._tree_of_newick(text, names)
        if form == "array":
            table = read_npy(self.path)
        else:
            table = _read_numbers(self.path, text)
        try:
            tree = self._tree_of_table(table)
            if names is None:
                return tree
            return _named(tree, names)
        except InvalidTreeError as error:
            raise DataError(f"{self.path}: {error}") from error

    def read_all(self) -> list[Tree]:
        """Read all trees, see `read_trees`; that of a table is one."""
        self.check_burn_in()
        with tell_if_slow(f"reading {self.path}"):
            return self._read_all()

    def _read_all(self) -> list[Tree]:
        form, text = form_of_tree(self.path, NEWICK)
        if form not in ("newick", "nexus"):
            return [replace(self, tree=None, burn_in=0.0).read()]
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                trees = list(Tree.all_from_newick(text, heights=self.heights))
            trees = trees[math.floor(self.burn_in * len(trees)) :]
            if caught:
                what = f"{len(caught)} of the trees: the first: " if len(caught) > 1 else ""
                message = f"{self.path}: {what}{caught[0].message}"
                warnings.warn(message, caught[0].category, stacklevel=3)
            items = trees[0].named_items("the first tree")
            return [tree.matched_with(items) for tree in trees]
        except (InvalidTreeError, DataError) as error:
            raise DataError(f"{self.path}: {error}") from error

    def _tree_of_newick(self, text: str, names: Sequence[str] | None) -> Tree:
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                tree = Tree.from_newick(text, tree=self.tree, heights=self.heights)
            for warning in caught:
                warnings.warn(f"{self.path}: {warning.message}", warning.category, stacklevel=4)
            if names is None:
                return tree
            return _in_order_of(self.path, tree, names)
        except InvalidTreeError as error:
            raise DataError(f"{self.path}: {error}") from error

    def _tree_of_table(self, table: NDArray[Any]) -> Tree:
        if self.tree not in (None, 1):
            raise InvalidTreeError(
                f"tree={self.tree}: a table of merges is one tree; omit the parameter"
            )
        if self.heights not in (None, "half", "whole"):
            raise InvalidTreeError(f"heights={self.heights!r}: write half or whole")
        tree = _tree_of_merges(table)
        if self.heights != "half" or tree.kind is not HeightKind.DISTANCE:
            return tree
        assert tree.height is not None
        return Tree(tree.parent, 2 * tree.height, tree.kind)


def _tree_of_merges(table: NDArray[Any]) -> Tree:
    """The tree of a table, whose first column may have the numbers of the rows."""
    if table.ndim != 2 or table.shape[1] not in (2, 3, 4, 5):
        raise InvalidTreeError(f"{_FORMATS}; this one has shape {table.shape}")
    if table.dtype.kind not in "iuf":
        raise InvalidTreeError(f"{_FORMATS}, and of numbers; this one is of {table.dtype}")
    try:
        return _tree_of_columns(table)
    except InvalidTreeError:
        if table.shape[1] == 2 or not _counts_rows(table[:, 0]):
            raise
        try:
            return _tree_of_columns(table[:, 1:])
        except InvalidTreeError:
            # The first column does not number the rows: what is wrong is the first error.
            pass
        raise


def _counts_rows(column: NDArray[Any]) -> bool:
    """Whether a column is 0, 1, 2, ... or 1, 2, 3, ..."""
    numbers = np.arange(len(column))
    return np.array_equal(column, numbers) or np.array_equal(column, numbers + 1)


def _tree_of_columns(table: NDArray[Any]) -> Tree:
    """The tree of a table of 2, 3 or 4 columns, in the format that these have."""
    width = table.shape[1]
    if width not in (2, 3, 4):
        raise InvalidTreeError(f"{_FORMATS}; this one has shape {table.shape}")
    pairs = table[:, :2]
    heights = None
    if width == 3:
        heights = table[:, 2]
    if (pairs < 0).any() and width < 4:
        return Tree.from_hclust(pairs, heights)
    try:
        if width == 4:
            return Tree.from_linkage(table)
        return Tree.from_children(pairs, heights)
    except InvalidTreeError as error:
        if pairs.min(initial=1) == 1:
            raise InvalidTreeError(
                f"{error}; no item is 0: are they counted from 1, as in MATLAB? then subtract 1"
            ) from error
        raise


def _in_order_of(path: Path, tree: Tree, names: Sequence[str]) -> Tree:
    try:
        return tree.in_order_of(names)
    except DataError as error:
        raise DataError(f"{path}: {error}") from error


def _named(tree: Tree, names: Sequence[str]) -> Tree:
    if tree.n != len(names):
        raise InvalidTreeError(f"the tree has {tree.n} leaves, and there are {len(names)} items")
    return Tree(tree.parent, tree.height, tree.kind, names)


def _read_numbers(path: Path, text: str) -> NDArray[np.float64]:
    """The numbers of a table, without its header and its column of row names."""
    rows = []
    for line, cells in read_rows(path, text):
        rows.append((line, [_with_point(cell) for cell in cells]))
    first = rows[0][1]
    n_names = 0  # columns of row names, which a header leaves empty
    if _is_header(rows):
        if not first[0]:
            n_names = 1
        rows = rows[1:]
    if not rows:
        raise DataError(f"{path}: there are no merges below the header; {_FORMATS}")
    table = []
    for line, cells in rows:
        table.append([_number(path, line, cell) for cell in cells[n_names:]])
    return np.array(table, dtype=np.float64).reshape(len(table), len(first) - n_names)


def _is_header(rows: Sequence[tuple[int, list[str]]]) -> bool:
    """Whether the first row of a table of merges names its columns."""
    first = rows[0][1]
    if not first[0] or not any(map(is_number, first)):
        return True
    # pandas names columns by their positions: 0, 1, 2, ...
    n_texts = 0
    for position, cell in enumerate(first):
        if not is_number(cell):
            n_texts += 1
        elif cell != str(position):
            return False
    # As a merge, this row would join the items 0 and 1, which no other row could then do; and
    # items of R are negative.
    items: list[float] = []
    for _, cells in rows[1:]:
        for cell in cells[:2]:
            number = read_number(cell)
            if number is not None:
                items.append(number)
    return n_texts > 0 or 0 in items or min(items, default=0) < 0


def _with_point(cell: str) -> str:
    """A number with a decimal point."""
    if DECIMAL_COMMA.fullmatch(cell):
        return cell.replace(",", ".")
    return cell


def _number(path: Path, line: int, cell: str) -> float:
    number = read_number(cell)
    if number is None:
        raise DataError(f"{path}, line {line}: {cell!r} is not a number; {_FORMATS}")
    return number
