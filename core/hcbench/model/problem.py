"""The data of one repetition: items, what is known about them, and their true hierarchy."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import DataError, InvalidProblemError, NotApplicableError
from hcbench.model.arguments import whole_number
from hcbench.model.arrays import as_vectors
from hcbench.model.extras import as_extra, contents, take_extra
from hcbench.model.labels import coded_labels
from hcbench.model.names import (
    NamedItems,
    Origin,
    columns_in_row_order,
    match_items,
    names_of_index,
)
from hcbench.model.squares import as_graph, as_similarity
from hcbench.model.text import mistake_of_names
from hcbench.model.trees import HeightKind, Partition, Tree
from hcbench.model.views import Vectors, in_order_of, read_only_view, rows_of

if TYPE_CHECKING:
    from scipy import sparse

    from hcbench.model.comparisons import Comparisons

Result: TypeAlias = Tree | Partition
"""What an algorithm returns."""

#: Attributes of a problem that are arrays with a row for each item.
_ARRAYS = ("vectors", "similarity", "graph", "levels")
#: The arrays of a csr_array.
_ARRAYS_OF_CSR = ("data", "indices", "indptr")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem:
    """The items of one repetition, what is known about them, and their true hierarchy.

    The arrays are read-only: all algorithms of a comparison see the same data. They are views of
    those given, not copies, unless these have another form: a list or DataFrame, integers or bools
    (which become float64), half or extended precision, another byte order, a sparse matrix of
    another format or type (a csr_array of float64, without entries that are given twice). Masked
    arrays, complex numbers and Python objects are refused.

    Attributes
    ----------
    n : int
        Number of items.
    names : tuple of str, optional
        Their names, all different; by default, those in the index of a DataFrame or Series among
        the data, unless this is the default one. Such data are matched with the names by their
        index; arrays beside ``names`` are in the order of these.
    vectors : (n, p) array or csr_array, optional
        One row an item; finite; float64 or, if dense, float32.
    similarity : (n, n) array, optional
        Symmetric, finite; the diagonal is never used. Differences up to 1e-6 of the largest
        absolute entry between the two halves are rounding errors, and are averaged out.
    graph : (n, n) csr_array, optional
        Symmetric (as similarities), finite, positive weights of edges, larger for items that are
        more alike; without edges from an item to itself. Entries of 0 are no edges.
    comparisons : Comparisons, optional
        Answers that were collected beforehand, for example by crowdsourcing.
    held_out : Comparisons, optional
        Answers that no oracle gives and no algorithm sees, so that metrics can tell how well a
        result predicts answers where there is no truth.
    truths : mapping of name to Tree
        The true hierarchies; metrics use the first by default. Here and in ``tree``, leaves are
        matched with the items by name, and are put into the order of the items. Leaves without
        names, and with the names 0..n-1, are the items by number. Where nothing but trees is
        given, the items have the names of the first tree that has some.
    levels : (n, L) array, optional
        Class labels from the coarsest level to the finest; the cluster of an item at level l is
        given by its labels 0..l together. Integers; other labels are replaced by their places in
        ``classes``. Labels that are equal in Python are one class, as are 1, 1.0 and True; missing
        ones, and a number beside the same number as a text, are an error.
    classes : tuple of tuple of str, optional
        For each level the names of classes by their integers; sorted if ``levels`` were texts.
    tree : Tree, optional
        A tree to be cut, for algorithms whose answer is a partition.
    extras : mapping of str to sequence
        Data of a plugin's own kind, an entry for each item, by names such as
        ``"my-package:strings"``: arrays with n rows, or sequences of texts, bytes, numbers, arrays,
        and lists and mappings of these.

    Examples
    --------
    >>> problem = Problem(n=4, vectors=[[0], [1], [8], [9]], levels=[[0], [0], [1], [1]])
    >>> sorted(problem.provides)
    ['levels', 'truth', 'vectors']
    >>> problem.truth.to_newick()
    '((0,1),(2,3));'
    >>> hcbench.score("AARI", hcbench.fit("UPGMA", problem), problem)
    1.0
    """

    n: int
    names: tuple[str, ...] | None = None
    vectors: Vectors | None = None
    similarity: NDArray[np.floating[Any]] | None = None
    graph: sparse.csr_array | None = None
    comparisons: Comparisons | None = None
    held_out: Comparisons | None = None
    truths: Mapping[str, Tree] = field(default_factory=dict)
    levels: NDArray[Any] | None = None
    classes: tuple[tuple[str, ...], ...] | None = None
    tree: Tree | None = None
    extras: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        mistake = mistake_of_names(self, ["names"])
        if mistake:
            raise InvalidProblemError(mistake)
        # DataFrames first: their names decide the order, and arrays have none any more.
        self._match_frames()
        self._convert_arrays()
        self._match_trees()
        self._check_sizes()
        if self.levels is None:
            self._set("classes", None)
        elif not _are_codes(self.levels):
            codes, classes = _coded(self.levels)
            self._set("levels", codes)
            self._set("classes", classes)
        truths = dict(self.truths)
        # Classes that are nested are a hierarchy, unless the data have a true one.
        if self.levels is not None and not truths:
            truths = {"labels": Tree.from_levels(self.levels, names=self.names)}
        self._set("truths", truths)
        for name in _ARRAYS:
            self._set(name, read_only_view(getattr(self, name)))
        extras = {}
        for name, values in self.extras.items():
            extras[name] = as_extra(name, values, self.n)
        self._set("extras", extras)

    def _set(self, name: str, value: object) -> None:
        """Set an attribute, in the constructor alone: the class is frozen for everyone else."""
        object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        values = {attribute.name: getattr(self, attribute.name) for attribute in fields(self)}
        # The constructor makes the arrays read-only again, which a pickle forgets.
        return partial(Problem, **values), ()

    def _match_frames(self) -> None:
        """Put DataFrames and Series into the order of the items, by their index.

        Without ``names`` the first index that is not the default one has them.
        """
        arrays = {}
        frames = {}  # the arrays whose index has names of items
        for name in _ARRAYS:
            value = getattr(self, name)
            if value is None:
                continue
            arrays[name] = value
            if names_of_index(value, only_own=True) is not None:
                frames[name] = value
        if not frames:
            return
        if self.names is None:
            first = next(iter(frames))
            self._set("names", names_of_index(frames[first]))
            # The order of arrays beside a frame is unknown, unless its names are the numbers.
            rows_of_first = _rows_of(first, frames[first], self.n)
            for name, value in arrays.items():
                if name not in frames:
                    match_items(_rows_of(name, value, self.n), rows_of_first)
        items = NamedItems(what="the problem", n=self.n, names=self.names)
        for name, value in frames.items():
            # Their columns are items, too, perhaps in another order than the rows.
            if name in ("similarity", "graph"):
                frame = columns_in_row_order(value)
                positions = match_items(_rows_of(name, frame, len(frame)), items)
                self._set(name, frame.iloc[positions, positions])
            else:
                positions = match_items(_rows_of(name, value, len(value)), items)
                self._set(name, value.iloc[positions])

    def _convert_arrays(self) -> None:
        """Give all arrays the form that algorithms, oracles and metrics read."""
        converters: dict[str, Callable[[Any, str], Any]] = {
            "vectors": as_vectors,
            "similarity": as_similarity,
            "graph": as_graph,
        }
        for name, convert in converters.items():
            value = getattr(self, name)
            if value is None:
                continue
            try:
                self._set(name, convert(value, name))
            except DataError as error:
                raise InvalidProblemError(str(error)) from None

    def _match_trees(self) -> None:
        """Put the leaves of all trees into the order of the items, with their names."""
        trees = list(self.truths.values())
        if self.tree is not None:
            trees.append(self.tree)
        if self.names is None and self._has_nothing_but_trees():
            for tree in trees:
                if tree.names is not None:
                    self._set("names", tree.names)
                    break
        if all(tree.names == self.names for tree in trees):
            return
        items = NamedItems(
            what="the problem",
            n=self.n,
            names=self.names,
            give="Problem(names=names, ...)",
            drop="Problem(names=None, ...)",
        )
        truths = {}
        for name, tree in self.truths.items():
            truths[name] = _matched(tree, f"truth {name!r}", items)
        self._set("truths", truths)
        if self.tree is not None:
            self._set("tree", _matched(self.tree, "tree", items))

    def _has_nothing_but_trees(self) -> bool:
        rows = (self.vectors, self.similarity, self.graph, self.levels)
        answers = (self.comparisons, self.held_out)
        return all(part is None for part in rows + answers)

    def named_items(self, what: str) -> NamedItems:
        """Describe the items for `match_items`; ``what`` is the problem in messages."""
        return NamedItems(
            what=what,
            n=self.n,
            names=self.names,
            give="problem.with_names(names) in the order of its items",
            drop="problem.with_names(None)",
        )

    def with_names(self, names: Iterable[str] | None) -> Problem:
        """Return this problem, and its trees, with item i named ``names[i]``, or without names.

        Examples
        --------
        >>> Problem(n=2, vectors=[[0], [1]]).with_names(["ant", "bee"]).names
        ('ant', 'bee')
        """
        item_names = None
        if names is not None:
            if isinstance(names, str):
                raise InvalidProblemError(f"names is a tuple of names, got {names!r}")
            item_names = tuple(names)
        truths = {}
        for name, truth in self.truths.items():
            truths[name] = truth.with_names(item_names)
        tree = self.tree
        if tree is not None:
            tree = tree.with_names(item_names)
        return replace(self, names=item_names, truths=truths, tree=tree)

    def _check_sizes(self) -> None:
        # A number of numpy becomes Python's.
        object.__setattr__(self, "n", whole_number(self.n, "n"))
        if self.n < 1:
            raise InvalidProblemError("a problem needs at least one item, got none")
        for name in ("names",) + _ARRAYS:
            value = getattr(self, name)
            if value is None:
                continue
            n_rows = _number_of_rows(value)
            if n_rows != self.n:
                raise InvalidProblemError(f"{name} has {n_rows} rows for {self.n} items")
        for name, tree in self.truths.items():
            self._check_leaves(f"truth {name!r}", tree)
        if self.tree is not None:
            self._check_leaves("tree", self.tree)
        for name in ("comparisons", "held_out"):
            answers = getattr(self, name)
            if answers is not None and answers.n != self.n:
                raise InvalidProblemError(
                    f"{name} are of {answers.n} items, the problem has {self.n}"
                )
        self._check_values()

    def _check_leaves(self, what: str, tree: Tree) -> None:
        if tree.n != self.n:
            raise InvalidProblemError(f"{what} has {tree.n} leaves for {self.n} items")

    def _check_values(self) -> None:
        graph = self.graph
        if graph is not None and ((graph.data <= 0).any() or graph.diagonal().any()):
            raise InvalidProblemError(
                "edges of a graph have positive weights and join different items"
            )

    @property
    def provides(self) -> frozenset[str]:
        """What the problem has, in the words with which algorithms, oracles and metrics need it."""
        parts = ("vectors", "similarity", "graph", "comparisons", "held_out", "levels", "tree")
        present = set()
        for name in parts:
            if getattr(self, name) is not None:
                present.add(name)
        if self.truths:
            present.add("truth")
            # Other heights are no similarities, with which those of a result could be compared.
            if self.truth.kind is HeightKind.AFFINITY:
                present.add("heights")
        return frozenset(present) | self.extras.keys()

    @property
    def truth(self) -> Tree:
        """The first of the true hierarchies.

        Raises
        ------
        NotApplicableError
            If the problem has none.
        """
        for tree in self.truths.values():
            return tree
        raise NotApplicableError("this data set has no true hierarchy")

    def class_names(self, depth: int) -> list[str]:
        """The name of the class of each item, by the labels of the first levels.

        It is the last of these labels if that is enough, otherwise all of them, as in "rec / car".

        Parameters
        ----------
        depth : int
            The number of levels, from 1.

        Examples
        --------
        >>> problem = Problem(n=3, levels=[["sci", "space"], ["rec", "car"], ["rec", "car"]])
        >>> problem.class_names(1)
        ['sci', 'rec', 'rec']
        >>> problem.class_names(2)
        ['space', 'car', 'car']
        """
        assert self.levels is not None
        columns = []  # the name of each item's class at each level
        for level in range(min(depth, self.levels.shape[1])):
            codes = self.levels[:, level].tolist()
            if self.classes is None:
                names = list(map(str, codes))
            else:
                names = [self.classes[level][code] for code in codes]
            columns.append(names)
        paths = list(zip(*columns, strict=True))
        # A name may be used again within another class, as "other" is.
        last_names = [path[-1] for path in paths]
        if len(set(last_names)) == len(set(paths)):
            return last_names
        return [" / ".join(path) for path in paths]

    def digest(self) -> str:
        """A hash of all contents, to check that a seed yields the same data again."""
        state = hashlib.blake2b(repr((self.n, self.names)).encode(), digest_size=16)
        for role, array in self._parts():
            state.update(repr((role, array.shape, array.dtype.str)).encode())
            state.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
        # Sorted, as the order in which a data set attaches them has no meaning.
        for name, entries in sorted(self.extras.items()):
            state.update(name.encode())
            for content in contents(name, entries):
                state.update(content)
        return state.hexdigest()

    def arrays(self) -> list[NDArray[Any]]:
        """Its arrays, those of comparisons as they are held at present."""
        return [array for _, array in self._parts(as_held=True)]

    def _parts(self, *, as_held: bool = False) -> Iterator[tuple[Any, NDArray[Any]]]:
        """Its arrays, each with a description that identifies it.

        With ``as_held``, those of comparisons as they are held at present; otherwise as a list.
        """
        yield from _parts_of_matrix("vectors", self.vectors)
        yield from _parts_of_matrix("graph", self.graph)
        if self.similarity is not None:
            yield "similarity", self.similarity
        if self.comparisons is not None:
            yield from _parts_of_comparisons(self.comparisons, as_held=as_held)
        if self.held_out is not None:
            for role, array in _parts_of_comparisons(self.held_out, as_held=as_held):
                yield ("held_out", role), array
        if self.levels is not None:
            yield "levels", self.levels
        if self.tree is not None:
            yield from _parts_of_tree(("tree",), self.tree)
        for name, tree in self.truths.items():
            yield from _parts_of_tree(("truth", name), tree)

    def take(self, items: NDArray[np.int64]) -> Problem:
        """The problem on some of the items, in the given order.

        Parameters
        ----------
        items : (m,) int array
            Distinct item numbers.

        Examples
        --------
        >>> problem = Problem(n=3, vectors=[[0], [1], [9]], levels=[[0], [0], [1]])
        >>> part = problem.take(np.array([2, 0]))
        >>> part.vectors.tolist(), part.levels.tolist()
        ([[9.0], [0.0]], [[1], [0]])
        """
        parts: dict[str, Any] = {}
        if self.names is not None:
            parts["names"] = tuple([self.names[item] for item in items])
        if self.vectors is not None:
            parts["vectors"] = rows_of(self.vectors, items)
        if self.similarity is not None:
            rows_and_columns = self.similarity[np.ix_(items, items)]
            parts["similarity"] = in_order_of(self.similarity, rows_and_columns)
        if self.graph is not None:
            parts["graph"] = rows_of(self.graph, np.ix_(items, items))
        if self.comparisons is not None:
            parts["comparisons"] = self.comparisons.take(items)
        if self.held_out is not None:
            parts["held_out"] = self.held_out.take(items)
        if self.levels is not None:
            parts["levels"] = in_order_of(self.levels, self.levels[items])
        if self.tree is not None:
            parts["tree"] = self.tree.restrict(items)
        truths = {name: tree.restrict(items) for name, tree in self.truths.items()}
        extras = {name: take_extra(entries, items) for name, entries in self.extras.items()}
        return Problem(n=len(items), truths=truths, classes=self.classes, extras=extras, **parts)


def _number_of_rows(value: Any) -> int:
    """The length of a sequence, or of the first axis of an array, which may be sparse."""
    shape = getattr(value, "shape", None)
    if shape:
        return int(shape[0])
    return len(value)


def _are_codes(levels: Any) -> bool:
    is_plain = isinstance(levels, np.ndarray) and not isinstance(levels, np.ma.MaskedArray)
    return is_plain and levels.ndim == 2 and levels.dtype.kind in "iub"


def _coded(levels: Any) -> tuple[NDArray[np.int64], tuple[tuple[str, ...], ...]]:
    try:
        return coded_labels(levels, "levels")
    except DataError as error:
        raise InvalidProblemError(str(error)) from None


def _rows_of(name: str, value: Any, n: int) -> NamedItems:
    """Describe the rows of an array or DataFrame of a problem."""
    names = names_of_index(value, only_own=True)
    origin: Origin = "index"
    if names is None:
        origin = "rows"
    return NamedItems(
        what=name,
        n=n,
        names=names,
        origin=origin,
        give="Problem(names=names, ...), in the order of all rows",
        drop=f"{name}.reset_index(drop=True)",
    )


def _matched(tree: Tree, what: str, items: NamedItems) -> Tree:
    """A tree in the order of the items; of another number of leaves, if these have no names."""
    if tree.names is None and tree.n != items.n:
        return tree  # refused with the other sizes
    return tree.matched_with(items, tree.named_items(what))


def _parts_of_matrix(role: str, matrix: Vectors | None) -> Iterator[tuple[Any, NDArray[Any]]]:
    """The array itself, or those of a csr_array; see `Problem._parts`."""
    if isinstance(matrix, np.ndarray):
        yield role, matrix
    elif matrix is not None:
        for name in _ARRAYS_OF_CSR:
            yield (role, name, matrix.shape), getattr(matrix, name)


def _parts_of_comparisons(
    comparisons: Comparisons, *, as_held: bool
) -> Iterator[tuple[Any, NDArray[Any]]]:
    """The arrays of comparisons, as they are held or as a list; see `Problem._parts`."""
    if as_held:
        for array in comparisons.arrays():
            yield "held", array
        return
    yield "closer", comparisons.closer
    yield "farther", comparisons.farther
    if comparisons.annotator is not None:
        yield "annotator", comparisons.annotator


def _parts_of_tree(role: tuple[str, ...], tree: Tree) -> Iterator[tuple[Any, NDArray[Any]]]:
    yield role + ("parent", tree.kind.value, tree.names), tree.parent
    for name in ("height", "linkage"):
        values = getattr(tree, name)
        if values is not None:
            yield role + (name,), values
