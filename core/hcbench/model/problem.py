"""The data of one repetition: items, what is known about them, and their true hierarchy."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hcbench.errors import DataError, InvalidProblemError, ModelWarning, NotApplicableError
from hcbench.model.arrays import as_vectors
from hcbench.model.labels import coded_labels
from hcbench.model.names import (
    NamedItems,
    columns_in_row_order,
    match_items,
    names_of_index,
)
from hcbench.model.squares import as_graph, as_similarity
from hcbench.model.trees import HeightKind, Partition, Tree

if TYPE_CHECKING:
    from scipy import sparse

    from hcbench.model.comparisons import Comparisons

    Vectors: TypeAlias = NDArray[np.floating[Any]] | sparse.csr_array
else:
    Vectors = Any  # without importing scipy
Result: TypeAlias = Tree | Partition


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
        Answers that were collected in advance, for example by crowdsourcing.
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
    """

    n: int
    names: tuple[str, ...] | None = None
    vectors: Vectors | None = None
    similarity: NDArray[np.floating[Any]] | None = None
    graph: sparse.csr_array | None = None
    comparisons: Comparisons | None = None
    truths: Mapping[str, Tree] = field(default_factory=dict)
    levels: NDArray[Any] | None = None
    classes: tuple[tuple[str, ...], ...] | None = None
    tree: Tree | None = None

    def __post_init__(self) -> None:
        self._match_frames()
        self._convert_arrays()
        self._match_trees()
        self._check_sizes()
        if self.levels is None:
            object.__setattr__(self, "classes", None)
        elif not _are_codes(self.levels):
            codes, classes = _coded(self.levels)
            object.__setattr__(self, "levels", codes)
            object.__setattr__(self, "classes", classes)
        truths = dict(self.truths)
        if self.levels is not None and not truths:
            truths = {"labels": Tree.from_levels(self.levels, names=self.names)}
        object.__setattr__(self, "truths", truths)
        for name in ("vectors", "similarity", "graph", "levels"):
            object.__setattr__(self, name, _read_only(getattr(self, name)))

    def __reduce__(self) -> tuple[Any, ...]:
        values = {part.name: getattr(self, part.name) for part in fields(self)}
        return partial(Problem, **values), ()  # so that arrays are read-only again

    def _match_frames(self) -> None:
        """Put DataFrames and Series into the order of the items, by their index.

        Without ``names`` the first index that is not the default one has them.
        """
        arrays = {}
        for name in ("vectors", "similarity", "graph", "levels"):
            value = getattr(self, name)
            if value is not None:
                arrays[name] = value
        named = {
            name: value
            for name, value in arrays.items()
            if names_of_index(value, only_own=True) is not None
        }
        if not named:
            return
        if self.names is None:
            first = next(iter(named))
            object.__setattr__(self, "names", names_of_index(named[first]))
            for name, value in arrays.items():
                if name not in named:  # its order is unknown
                    match_items(
                        _rows_of(name, value, self.n), _rows_of(first, named[first], self.n)
                    )
        items = NamedItems(what="the problem", n=self.n, names=self.names)
        for name, value in named.items():
            square = name in ("similarity", "graph")
            frame = columns_in_row_order(value) if square else value
            place = match_items(_rows_of(name, frame, len(frame)), items)
            ordered = frame.iloc[place, place] if square else frame.iloc[place]
            object.__setattr__(self, name, ordered)

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
                object.__setattr__(self, name, convert(value, name))
            except DataError as error:
                raise InvalidProblemError(str(error)) from None

    def _match_trees(self) -> None:
        """Put the leaves of all trees into the order of the items, with their names."""
        trees = [*self.truths.values(), *([] if self.tree is None else [self.tree])]
        rows = (self.vectors, self.similarity, self.graph, self.comparisons, self.levels)
        if self.names is None and all(part is None for part in rows):
            named = next((tree for tree in trees if tree.names is not None), None)
            if named is not None:
                object.__setattr__(self, "names", named.names)
        if any(tree.names != self.names for tree in trees):
            items = NamedItems(
                what="the problem",
                n=self.n,
                names=self.names,
                give="Problem(names=names, ...)",
                drop="Problem(names=None, ...)",
            )
            truths = {
                name: _matched(tree, f"truth {name!r}", items) for name, tree in self.truths.items()
            }
            object.__setattr__(self, "truths", truths)
            if self.tree is not None:
                object.__setattr__(self, "tree", _matched(self.tree, "tree", items))

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
        """Return this problem, and its trees, with item i named ``names[i]``, or without names."""
        given = None if names is None else tuple(names)
        return replace(
            self,
            names=given,
            truths={name: tree.with_names(given) for name, tree in self.truths.items()},
            tree=None if self.tree is None else self.tree.with_names(given),
        )

    def _check_sizes(self) -> None:
        if self.n < 1:
            raise InvalidProblemError("a problem needs at least one item, got none")
        for name in ("names", "vectors", "similarity", "graph", "levels"):
            value = getattr(self, name)
            rows = self.n if value is None else (getattr(value, "shape", None) or [len(value)])[0]
            if rows != self.n:
                raise InvalidProblemError(f"{name} has {rows} rows for {self.n} items")
        trees = {**{f"truth {k!r}": t for k, t in self.truths.items()}, "tree": self.tree}
        for name, tree in trees.items():
            if tree is not None and tree.n != self.n:
                raise InvalidProblemError(f"{name} has {tree.n} leaves for {self.n} items")
        if self.comparisons is not None and self.comparisons.n != self.n:
            raise InvalidProblemError(
                f"comparisons are of {self.comparisons.n} items, the problem has {self.n}"
            )
        self._check_values()

    def _check_values(self) -> None:
        graph = self.graph
        if graph is not None and ((graph.data <= 0).any() or graph.diagonal().any()):
            raise InvalidProblemError(
                "edges of a graph have positive weights and join different items"
            )

    @property
    def provides(self) -> frozenset[str]:
        """What the problem has, in the words with which algorithms, oracles and metrics need it."""
        parts = ("vectors", "similarity", "graph", "comparisons", "levels", "tree")
        present = {name for name in parts if getattr(self, name) is not None}
        if self.truths:
            present.add("truth")
            if self.truth.kind is HeightKind.AFFINITY:
                present.add("heights")
        return frozenset(present)

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
        """
        assert self.levels is not None
        columns = self.levels[:, :depth].T.tolist()
        if self.classes is not None:
            pairs = zip(self.classes, columns, strict=False)
            columns = [[names[code] for code in column] for names, column in pairs]
        texts = [tuple(map(str, row)) for row in zip(*columns, strict=True)]
        is_enough = len({row[-1] for row in texts}) == len(set(texts))
        return [row[-1] if is_enough else " / ".join(row) for row in texts]

    def digest(self) -> str:
        """A hash of all contents, to check that a seed yields the same data again."""
        state = hashlib.blake2b(repr((self.n, self.names)).encode(), digest_size=16)
        for role, array in self._parts():
            state.update(repr((role, array.shape, array.dtype.str)).encode())
            state.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
        return state.hexdigest()

    def arrays(self) -> list[NDArray[Any]]:
        """Its arrays, those of comparisons as they are held at present."""
        return [array for _, array in self._parts(held=True)]

    def _parts(self, *, held: bool = False) -> Iterator[tuple[Any, NDArray[Any]]]:
        """Its arrays, each with a description that identifies it."""
        for role, given in (("vectors", self.vectors), ("graph", self.graph)):
            if isinstance(given, np.ndarray):
                yield role, given
            elif given is not None:
                for name in ("data", "indices", "indptr"):
                    yield (role, name, given.shape), getattr(given, name)
        if self.similarity is not None:
            yield "similarity", self.similarity
        if self.comparisons is not None and held:
            yield from (("held", array) for array in self.comparisons.arrays())
        elif self.comparisons is not None:
            yield "closer", self.comparisons.closer
            yield "farther", self.comparisons.farther
            if self.comparisons.annotator is not None:
                yield "annotator", self.comparisons.annotator
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
        """
        return Problem(
            n=len(items),
            names=None if self.names is None else tuple(self.names[i] for i in items),
            vectors=None if self.vectors is None else _rows(self.vectors, items),
            similarity=None
            if self.similarity is None
            else _in_order_of(self.similarity, self.similarity[np.ix_(items, items)]),
            graph=None if self.graph is None else _rows(self.graph, np.ix_(items, items)),
            comparisons=None if self.comparisons is None else self.comparisons.take(items),
            truths={name: tree.restrict(items) for name, tree in self.truths.items()},
            levels=None if self.levels is None else _in_order_of(self.levels, self.levels[items]),
            classes=self.classes,
            tree=None if self.tree is None else self.tree.restrict(items),
        )


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
    return NamedItems(
        what=name,
        n=n,
        names=names,
        origin="rows" if names is None else "index",
        give="Problem(names=names, ...), in the order of all rows",
        drop=f"{name}.reset_index(drop=True)",
    )


def _matched(tree: Tree, what: str, items: NamedItems) -> Tree:
    """A tree in the order of the items; of another number of leaves, if these have no names."""
    if tree.names is None and tree.n != items.n:
        return tree  # refused with the other sizes
    return tree.matched_with(items, tree.named_items(what))


def _rows(vectors: Vectors, items: Any) -> Any:
    """Some rows, or rows and columns, in the memory order and with the index types of the whole."""
    if isinstance(vectors, np.ndarray):
        return _in_order_of(vectors, vectors[items])
    rows = vectors[items]
    indices = rows.indices.astype(vectors.indices.dtype, copy=False)
    indptr = rows.indptr.astype(vectors.indptr.dtype, copy=False)
    return _with_arrays(rows, rows.data, indices, indptr)


def _in_order_of(whole: NDArray[Any], part: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(part, order="F" if whole.flags.fnc else "C")


def _read_only(values: Any) -> Any:
    """A view of an array or csr_array that cannot be written to; the array itself still can."""
    if values is None:
        return None
    if isinstance(values, np.ndarray):
        view = values.view()
        view.flags.writeable = False
        return view
    parts = [_read_only(getattr(values, name)) for name in ("data", "indices", "indptr")]
    return _with_arrays(values, *parts)


def own_view(data: Any) -> Any:
    """The same data, in a matrix of its own if they are sparse.

    Read-only arrays do not protect the matrix that holds them.
    """
    if not hasattr(data, "indptr"):
        return data
    return type(data)((data.data, data.indices, data.indptr), shape=data.shape, copy=False)


def _with_arrays(like: sparse.csr_array, data: Any, indices: Any, indptr: Any) -> sparse.csr_array:
    """A csr_array of just these arrays; the constructor may copy or convert the indices."""
    made = copy(like)
    made.data, made.indices, made.indptr = data, indices, indptr
    return made


def _parts_of_tree(role: tuple[str, ...], tree: Tree) -> Iterator[tuple[Any, NDArray[Any]]]:
    yield (*role, "parent", tree.kind.value, tree.names), tree.parent
    for name in ("height", "linkage"):
        values = getattr(tree, name)
        if values is not None:
            yield (*role, name), values


def check_levels(levels: ArrayLike, names: Sequence[str], where: str, correction: str = "") -> None:
    """Refuse levels from fine to coarse, and warn of levels that cross.

    Parameters
    ----------
    levels : (n, L) labels
        Column 0 is meant to be the coarsest.
    names : L str
        Of the levels, for messages.
    where : str
        The file or argument.
    correction : str
        How to give the levels in the right order, with "{}" for their names; by default a sentence.

    Raises
    ------
    DataError
        If each class of a level lies in one class of the next, but not the other way round: the
        next level would then add nothing.

    Warns
    -----
    ModelWarning
        If classes of a level lie in several classes of the level before.
    """
    columns = [np.unique(column, return_inverse=True)[1].ravel() for column in np.asarray(levels).T]
    sizes = [int(column.max()) + 1 for column in columns]
    for k, (coarse, fine) in enumerate(pairwise(columns)):
        pairs = np.unique(np.column_stack([coarse, fine]), axis=0)
        if len(pairs) == sizes[k] > sizes[k + 1]:
            order = [names[i] for i in np.argsort(sizes, kind="stable")]
            listed = ", ".join(f"'{name}'" for name in order)
            way_out = correction.format(listed) if correction else f"give them as {listed}"
            raise DataError(
                f"{where}: the levels are from fine to coarse, as each class of {names[k]!r} lies "
                f"in one class of {names[k + 1]!r}; {way_out}"
            )
        crossing = int((np.bincount(pairs[:, 1]) > 1).sum())
        if crossing:
            warnings.warn(
                f"{crossing} of the {sizes[k + 1]} classes of {names[k + 1]} lie in several "
                f"classes of {names[k]}, and count as a class of their own in each",
                ModelWarning,
                stacklevel=3,
            )
