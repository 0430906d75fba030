"""What a data set yields for one seed, what an algorithm gets for free, what a metric sees."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import InvalidProblemError, NotApplicableError, ParameterError
from hcbench.specs import HINTS, unknown_hint
from hcbench.trees import HeightKind, Partition, Tree

if TYPE_CHECKING:
    from scipy import sparse

    from hcbench.answer_matrix import AnswerMatrix
    from hcbench.comparisons import Comparisons
    from hcbench.oracle import Answers

    Vectors: TypeAlias = NDArray[np.floating[Any]] | sparse.csr_array
else:
    Vectors = Any  # without importing scipy
Result: TypeAlias = Tree | Partition


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem:
    """The items of one repetition, what is known about them, and their true hierarchy.

    It holds read-only views of the arrays that it is made of, not copies: all algorithms of a
    comparison see the same data.

    Attributes
    ----------
    n : int
        Number of items.
    names : tuple of str, optional
        Their names, all different.
    vectors : (n, p) array or csr_array, optional
        One row an item; finite.
    similarity : (n, n) array, optional
        Symmetric, finite; the diagonal is never used.
    comparisons : Comparisons, optional
        Answers that were collected once and for all, as from a crowd.
    truths : mapping of name to Tree
        The true hierarchies; the first is the one that metrics use unless told otherwise.
    levels : (n, L) int array, optional
        Class labels from the coarsest level to the finest; the cluster of an item at level l is
        given by its codes 0..l together.
    tree : Tree, optional
        A tree to be cut, for algorithms whose answer is a partition.
    """

    n: int
    names: tuple[str, ...] | None = None
    vectors: Vectors | None = None
    similarity: NDArray[np.floating[Any]] | None = None
    comparisons: Comparisons | None = None
    truths: Mapping[str, Tree] = field(default_factory=dict)
    levels: NDArray[np.int64] | None = None
    tree: Tree | None = None

    def __post_init__(self) -> None:
        self._check_sizes()
        truths = dict(self.truths)
        if self.levels is not None and not truths:
            truths = {"labels": Tree.from_levels(self.levels, names=self.names)}
        object.__setattr__(self, "truths", truths)
        for name in ("vectors", "similarity", "levels"):
            object.__setattr__(self, name, _read_only(getattr(self, name)))

    def __reduce__(self) -> tuple[Any, ...]:
        values = {part.name: getattr(self, part.name) for part in fields(self)}
        return _remade, (values,)  # a pickle forgets read-only

    def _check_sizes(self) -> None:
        if self.n < 1:
            raise InvalidProblemError("a problem needs at least one item, got none")
        sized: dict[str, Any] = {
            "names": self.names,
            "vectors": self.vectors,
            "similarity": self.similarity,
            "levels": self.levels,
        }
        for name, value in sized.items():
            rows = (
                None if value is None else value.shape[0] if hasattr(value, "shape") else len(value)
            )
            if rows is not None and rows != self.n:
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
        for name, array in (("vectors", self.vectors), ("similarity", self.similarity)):
            values = getattr(array, "data", None) if not isinstance(array, np.ndarray) else array
            if values is not None and not np.isfinite(values).all():
                raise InvalidProblemError(
                    f"{name} holds NaN or infinite values; drop or impute them first"
                )
        if self.similarity is not None:
            if self.similarity.shape != (self.n, self.n):
                raise InvalidProblemError(
                    f"a similarity matrix is n x n; this one is {self.similarity.shape}"
                )
            if not np.allclose(self.similarity, self.similarity.T, rtol=1e-8, atol=1e-12):
                raise InvalidProblemError("the similarity matrix is not symmetric")

    @property
    def provides(self) -> frozenset[str]:
        """What there is: the words in which algorithms, oracles and metrics state their needs."""
        truth = next(iter(self.truths.values()), None)
        present = {
            "vectors": self.vectors,
            "similarity": self.similarity,
            "comparisons": self.comparisons,
            "levels": self.levels,
            "tree": self.tree,
            "truth": truth,
            "heights": truth if truth is not None and truth.kind is HeightKind.AFFINITY else None,
        }
        return frozenset(name for name, value in present.items() if value is not None)

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

    def digest(self) -> str:
        """A hash of all that it holds, to see that a seed yields the same data again."""
        state = hashlib.blake2b(repr((self.n, self.names)).encode(), digest_size=16)
        for role, array in self._parts():
            state.update(repr((role, array.shape, array.dtype.str)).encode())
            state.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
        return state.hexdigest()

    def _parts(self) -> Iterator[tuple[Any, NDArray[Any]]]:
        """Its arrays, each with what tells it from any other."""
        if isinstance(self.vectors, np.ndarray):
            yield "vectors", self.vectors
        elif self.vectors is not None:
            for name in ("data", "indices", "indptr"):
                yield ("vectors", name, self.vectors.shape), getattr(self.vectors, name)
        if self.similarity is not None:
            yield "similarity", self.similarity
        if self.comparisons is not None:
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
            comparisons=None if self.comparisons is None else self.comparisons.take(items),
            truths={name: tree.restrict(items) for name, tree in self.truths.items()},
            levels=None if self.levels is None else _in_order_of(self.levels, self.levels[items]),
            tree=None if self.tree is None else self.tree.restrict(items),
        )


def _remade(values: dict[str, Any]) -> Problem:
    return Problem(**values)


def _rows(vectors: Vectors, items: NDArray[np.int64]) -> Vectors:
    """Some rows, in the memory order and with the index types of the whole."""
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Given:
    """What an algorithm gets without asking.

    Attributes
    ----------
    n : int
        Number of items.
    names : tuple of str, optional
        Their names.
    tree : Tree, optional
        The tree to be cut.
    hints : mapping
        Parts of the truth that the algorithm declares it is helped by (see
        ``hcbench.specs.HINTS``); they are recorded with its row.
    """

    n: int
    names: tuple[str, ...] | None = None
    tree: Tree | None = None
    hints: Mapping[str, Any] = field(default_factory=dict)


def give(problem: Problem, hints: Sequence[str]) -> Given:
    """Hand an algorithm what it may know of a problem: sizes, names, and its declared hints."""
    values = {name: _hint(problem, name) for name in hints}
    return Given(n=problem.n, names=problem.names, tree=problem.tree, hints=values)


def _hint(problem: Problem, name: str) -> Tree | Partition | int:
    if name not in HINTS:
        raise ParameterError(unknown_hint(name))
    if name == "truth":
        return problem.truth
    finest = finest_partition(problem)
    return finest if name == "clusters" else finest.n_clusters


def finest_partition(problem: Problem, level: int | None = None) -> Partition:
    """The finest true clusters: of the label levels, else the parents of the truth's leaves.

    Parameters
    ----------
    problem : Problem
    level : int, optional
        The clusters of this level of labels instead; 1 is the coarsest.

    Raises
    ------
    NotApplicableError
        If there is no such level, or no truth.
    """
    if problem.levels is not None:
        n_levels = problem.levels.shape[1]
        if level is not None and not 1 <= level <= n_levels:
            raise NotApplicableError(
                f"level={level}: there are {n_levels} levels of labels, from 1"
            )
        columns = iter(problem.levels[:, :level].T)
        nested = Partition(next(columns, np.zeros(problem.n, np.int64)))
        for column in columns:
            own = Partition(column)
            nested = Partition(nested.labels * own.n_clusters + own.labels)
        return nested
    if level is not None:
        raise NotApplicableError(f"level={level}: this data set has no levels of labels")
    truth = problem.truth
    return Partition(truth.parent[: truth.n])


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one call of an algorithm took.

    Attributes
    ----------
    seconds : float or None
        Wall time of the algorithm alone, in s; None at a checkpoint and where nothing was run.
    oracle_seconds : float or None
        Wall time of the answers computed during the call, in s; None where the answers are
        compiled into the algorithm's own loop and cannot be told apart, and as for seconds.
    peak_bytes : int or None
        The most memory held during the call above what was held before it; None where the
        system cannot tell.
    queries, distinct_queries, rounds : int or None
        As the oracle's ledger has them; None for kinds of oracle that answer nothing countable.
    draws : int or None
        Pairs that were drawn, which costs nothing; None where there are none to draw.
    """

    seconds: float | None = None
    oracle_seconds: float | None = None
    peak_bytes: int | None = None
    queries: int | None = None
    distinct_queries: int | None = None
    rounds: int | None = None
    draws: int | None = None


@dataclass(frozen=True, slots=True)
class Point:
    """The result that an algorithm had after at most ``queries`` questions."""

    queries: int
    result: Result


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scored:
    """What a metric is computed from.

    Attributes
    ----------
    problem : Problem
        With the truth.
    result : Tree or Partition
        What the algorithm returned, or had at this checkpoint.
    cost : Cost
        Of the whole call; at a checkpoint, the queries up to there.
    trace : tuple of Point
        The results at the checkpoints and at the end, in the order of queries.
    hear : callable, optional
        Makes the answers of the oracle that was asked.
    """

    problem: Problem
    result: Result
    cost: Cost
    trace: tuple[Point, ...] = ()
    hear: Callable[[], Answers] | None = None

    @property
    def answers(self) -> Answers | None:
        """What the oracle answers, to compare a result with; None if no oracle was asked.

        Made anew when first wanted, as it was for the algorithm: from the same seed.
        """
        return None if self.hear is None else self.hear()

    @property
    def answer_matrix(self) -> AnswerMatrix:
        """What the oracle answers about all pairs of items.

        Raises
        ------
        NotApplicableError
            If no oracle was asked, or one that does not tell them, as a person.
        """
        answers = self.answers
        if answers is None or answers.matrix is None:
            raise NotApplicableError(
                "no oracle was asked that tells its answers about all pairs of items"
            )
        return answers.matrix

    @property
    def tree(self) -> Tree:
        """The result, if it is a tree.

        Raises
        ------
        NotApplicableError
            If the result is a partition.
        """
        if isinstance(self.result, Tree):
            return self.result
        raise NotApplicableError("the result is a partition, not a hierarchy")
