"""The items that checks are run on, and calls of algorithms on them.

Planted items have a hierarchy on which all that is known of them agrees: vectors of length 1 whose
dot products fall with every merge of the true tree, no two of them equal; classes that are cuts of
it. So an oracle has one right answer whatever it looks at, and nothing is tied. The other forms are
those that break what was written with planted items in mind.

Algorithms are called in this process, as a cell does, or in a worker, which has other hashes and
none of this process's state. Answers are recorded, replayed, or given about items in another order.
"""

from __future__ import annotations

import atexit
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import (
    HcbenchError,
    InvalidComparisonsError,
    InvalidPartitionError,
    InvalidProblemError,
    InvalidQueryError,
    InvalidTreeError,
    NotApplicableError,
    WorkerError,
)
from hcbench.model.comparisons import AllComparisons, Comparisons
from hcbench.model.cost import Cost
from hcbench.model.problem import Problem, Result
from hcbench.model.trees import HeightKind, Tree
from hcbench.oracle import Answers, Code, Oracle, Queries
from hcbench.oracle.answers import Point
from hcbench.plan.outcome import Outcome, ScoredPoint
from hcbench.registry.specs import Needs, OracleSpec, unmet
from hcbench.registry.uses import Use
from hcbench.run.executors import CellPool
from hcbench.run.failures import describe
from hcbench.run.inputs import Given, give, make_answers, make_oracle
from hcbench.run.job import Call, Job, RescoreJob, pack_job
from hcbench.run.returned import result_kind
from hcbench.run.timed_call import call_algorithm
from hcbench.run.workers import Limits
from hcbench.testing.subjects import Subject, fail, skip

if TYPE_CHECKING:
    from scipy import sparse

Form: TypeAlias = Literal[
    "planted", "everything", "duplicates", "ties", "constant", "unconnected", "no edges"
]

FORMS_WITH_ALL: tuple[Form, ...] = ("planted", "everything")
"""Forms of which one provides whatever there is; the second takes longer to make."""

N = 12
"""Number of planted items."""

#: Of the data of a data set that is checked.
DATA_SEED = 1
_HIGHEST = 0.8  # affinity of the first merge
_LOWEST = 0.1  # affinity of the last merge


@lru_cache(maxsize=64)
def make_items(seed: int, n: int = N, form: Form = "planted") -> Problem:
    """Items with vectors, two levels of classes, a truth with heights, and a tree to be cut.

    Parameters
    ----------
    seed : int
    n : int
    form : {"planted", "everything", "duplicates", "ties", "constant", "unconnected", "no edges"}
        "everything" has similarities, comparisons and a connected graph besides; of "duplicates"
        there are two of each (or three of one); "ties" have whole numbers from 1 to 3 for vectors;
        "constant" items are all alike, and of one class. The last two are nothing but graphs: an
        item without edges beside two complete graphs with equal weights, and no edges at all.
    """
    planted = _planted(seed, n)
    if form == "planted":
        return planted
    if form == "everything":
        similarity = _frozen(gram(planted))
        answers = AllComparisons.from_similarity(similarity).materialise()
        return replace(
            planted,
            similarity=similarity,
            comparisons=answers,
            held_out=answers,
            graph=_graph(similarity),
        )
    if form in ("unconnected", "no edges"):
        # The number of the part of each item; the last one is alone.
        part = np.arange(n)
        if form == "unconnected":
            part = np.minimum(part % 3, 1)
        part[-1] = n
        return Problem(n=n, names=planted.names, graph=_of_edges(part[:, None] == part))
    assert isinstance(planted.vectors, np.ndarray)
    assert planted.levels is not None
    if form == "duplicates":
        # Two of each item; of an odd number of items, three of the first.
        original = np.arange(n) // 2
        if n % 2 == 1:
            original = np.maximum(np.arange(n) - 1, 0) // 2
        return _without_heights(planted, planted.vectors[original], planted.levels[original])
    if form == "ties":
        grid = np.random.default_rng(seed).integers(1, 4, size=(n, 2)).astype(np.float64)
        return _without_heights(planted, grid, (grid[:, :1] > 1).astype(np.int64))
    return _without_heights(planted, np.ones((n, 3)), np.zeros((n, 1), np.int64))


def _graph(similarity: NDArray[np.float64]) -> sparse.csr_array:
    """The edges of the largest similarities that connect all items."""
    from scipy.sparse.csgraph import minimum_spanning_tree

    distance = 1.0 - similarity
    np.fill_diagonal(distance, 0.0)
    longest = minimum_spanning_tree(distance).data.max(initial=0.0)
    return _of_edges(np.where(distance <= longest, similarity, 0.0))


def _of_edges(weights: NDArray[Any]) -> sparse.csr_array:
    """A graph of weights (n, n), of which the diagonal is not used."""
    from scipy import sparse

    weights = weights.astype(np.float64)
    np.fill_diagonal(weights, 0.0)
    return sparse.csr_array(weights)


def _without_heights(planted: Problem, vectors: NDArray[Any], levels: NDArray[np.int64]) -> Problem:
    """The same number of items, of which the classes alone are the truth."""
    return Problem(
        n=planted.n,
        names=planted.names,
        vectors=_frozen(vectors),
        levels=_frozen(levels),
        tree=planted.tree,
    )


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Read-only for good: a view of it, as a problem has, cannot be made writeable."""
    array.setflags(write=False)
    return array


def items_with(needs: Needs, n: int = N) -> Problem:
    """Planted items that have what is needed; where there are none, the check does not apply."""
    for form in FORMS_WITH_ALL:
        problem = make_items(DATA_SEED, n, form)
        if unmet(needs, problem.provides) is None:
            return problem
    return skip(f"it needs {unmet(needs, problem.provides)}, which planted items do not have")


def own_arrays(problem: Problem) -> Problem:
    """The same items in other arrays, which can be written to."""
    copies: dict[str, Any] = {}
    for name in ("vectors", "similarity", "graph", "levels"):
        values = getattr(problem, name)
        if values is not None:
            copies[name] = values.copy()
    return replace(problem, **copies)


def gram(problem: Problem) -> NDArray[np.float64]:
    """Dot products of the vectors, just symmetric."""
    vectors = np.asarray(problem.vectors, dtype=np.float64)
    products: NDArray[np.float64] = vectors @ vectors.T
    return (products + products.T) / 2


def random_tree(n: int, seed: int) -> Tree:
    """A binary tree, nodes being merged at random, with heights that are the order of merging."""
    parent = _merge_at_random(n, np.random.default_rng(seed))
    height = np.concatenate([np.zeros(n), np.arange(1.0, n)])
    return Tree.from_parents(parent, height, HeightKind.ORDER)


def _planted(seed: int, n: int) -> Problem:
    rng = np.random.default_rng([seed, n])
    affinity = np.linspace(_HIGHEST, _LOWEST, max(n - 1, 1))[: n - 1]
    names = tuple(f"item{i}" for i in range(n))
    heights = np.concatenate([np.ones(n), affinity])
    truth = Tree(_merge_at_random(n, rng), heights, HeightKind.AFFINITY, names)
    levels = np.column_stack([truth.cut(min(k, n)).labels for k in (2, 4)])
    tree = Tree(truth.parent, 1.0 - heights, HeightKind.DISTANCE, names)
    return Problem(
        n=n,
        names=names,
        vectors=_vectors_of(truth, rng),
        levels=_frozen(levels),
        truths={"planted": truth},
        tree=tree,
    )


def _merge_at_random(n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Parents (2n-1,) of a binary tree in which any two clusters are merged next."""
    parent = np.full(2 * n - 1, -1, np.int64)
    tops = list(range(n))
    for node in range(n, 2 * n - 1):
        for _ in range(2):
            parent[tops.pop(rng.integers(len(tops)))] = node
        tops.append(node)
    return parent


def _vectors_of(truth: Tree, rng: np.random.Generator) -> NDArray[np.float64]:
    """Vectors (n, n) whose dot products are the merge heights but for less than half a step.

    By Cholesky's decomposition; the rotation makes no coordinate a special one.
    """
    n = truth.n
    i, j = np.triu_indices(n, 1)
    step = (_HIGHEST - _LOWEST) / max(n - 2, 1)
    products = np.eye(n)
    products[i, j] = truth.merge_height(i, j) + rng.uniform(-step / 3, step / 3, i.size)
    products[j, i] = products[i, j]
    rotation, _ = np.linalg.qr(rng.normal(size=(n, n)))
    return _frozen(np.linalg.cholesky(products) @ rotation)


#: Of the answers of an oracle, and of an algorithm.
NOISE_SEED = 2
SEED = 3
_INVALID = (
    InvalidComparisonsError,
    InvalidPartitionError,
    InvalidProblemError,
    InvalidQueryError,
    InvalidTreeError,
)
"""What core raises where the algorithm is wrong and not the data."""


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The oracle of a kind, and the form of the items, from which an algorithm gets answers."""

    kind: str
    form: Form
    use: Use[OracleSpec]

    def problem(self, form: Form | None = None, n: int = N) -> Problem:
        """The items, or items of another form or number."""
        return make_items(DATA_SEED, n, form or self.form)

    def answers(self, problem: Problem, budget: int | None = None) -> Answers:
        """The oracle's answers about a problem."""
        return make_answers(self.call, problem, NOISE_SEED, budget)

    @property
    def call(self) -> Call:
        """The oracle with its parameters."""
        return Call(self.use.spec.function, dict(self.use.params))


@dataclass(frozen=True, slots=True)
class Ran:
    """One call of an algorithm.

    Attributes
    ----------
    result : Tree, Partition or None
    error : exception or None
    queries : int or None
        As counted by the ledger.
    reported : mapping of str to float
    trace : tuple of Point
    """

    result: Result | None
    error: BaseException | None
    queries: int | None
    reported: Mapping[str, float]
    trace: tuple[Point, ...]

    @property
    def refusal(self) -> HcbenchError | None:
        """The error, if it says in one line why there is no result for these items."""
        if not isinstance(self.error, HcbenchError) or isinstance(self.error, _INVALID):
            return None
        if not describe(self.error):
            return None  # it does not say why
        return self.error

    @property
    def reason(self) -> str:
        """Why there is no valid result, in one line."""
        if self.error is not None:
            return describe(self.error)
        if self.result is None:
            return "it returned nothing"
        return f"a {result_kind(self.result)}"


def sources_of(subject: Subject) -> list[Source]:
    """Sources of planted items for an algorithm: one for each kind of oracle that it accepts."""
    sources = _sources_of(subject)
    if not sources:
        skip(f"no oracle is registered for {' or '.join(subject.spec.accepts)}")
    return sources


@lru_cache(maxsize=8)
def _sources_of(subject: Subject) -> list[Source]:
    sources: list[Source] = []
    for kind in subject.spec.accepts:
        source = _source_of(subject, kind)
        if source is not None:
            sources.append(source)
    defaults = {parameter.name: parameter.default for parameter in subject.spec.parameters}
    if len(sources) < 2 or subject.params == defaults:
        return sources
    # It may accept vectors and similarities, and a choice of parameters, such as a metric, only
    # vectors.
    applicable = []
    for source in sources:
        if not isinstance(run_on(subject, source).error, NotApplicableError):
            applicable.append(source)
    return applicable or sources


def _source_of(subject: Subject, kind: str) -> Source | None:
    """The oracle of a kind, with the first form of the items that it can be asked about."""
    for form in FORMS_WITH_ALL:
        use = subject.oracle(kind, make_items(DATA_SEED, N, form).provides)
        if use is not None:
            return Source(kind, form, use)
    return None


def run(
    subject: Subject,
    answers: Answers,
    given: Given,
    *,
    budget: int | None = None,
    seed: int = SEED,
    checkpoints: tuple[int, ...] = (),
) -> Ran:
    """Call an algorithm as a cell does."""
    oracle = make_oracle(answers, budget, checkpoints)
    # Otherwise the oracle asks again for an answer that is unsure.
    oracle.takes_unsure = subject.spec.takes_unsure
    called = call_algorithm(subject.call, oracle, given, seed)
    if isinstance(called.error, KeyboardInterrupt):
        raise called.error
    return Ran(called.result, called.error, called.cost.queries, called.reported, called.trace)


def run_on(subject: Subject, source: Source, problem: Problem | None = None, **options: Any) -> Ran:
    """Call an algorithm on a problem, by default the planted items, through an oracle."""
    problem = problem or source.problem()
    answers = source.answers(problem, options.get("budget"))
    return run(subject, answers, give(problem, subject.hints), **options)


def usual(subject: Subject, source: Source) -> Ran:
    """The call on the planted items, cached; it has a valid result.

    The check ``valid_result`` tells what is wrong where there is none.
    """
    ran = _usual(subject, source)
    if ran.result is None or result_kind(ran.result) != subject.spec.returns:
        skip(f"there is no valid result to compare with (valid_result): {ran.reason}")
    return ran


@lru_cache(maxsize=16)
def _usual(subject: Subject, source: Source) -> Ran:
    return run_on(subject, source)


def clusters_of(result: Result) -> frozenset[frozenset[int]]:
    """The sets of items: below the inner nodes of a tree, or those of a partition."""
    if isinstance(result, Tree):
        clusters = [result.leaves(node) for node in range(result.n, result.n_nodes)]
    else:
        clusters = [result.members(cluster) for cluster in range(result.n_clusters)]
    return frozenset(frozenset(items.tolist()) for items in clusters)


def require_valid(subject: Subject, ran: Ran, items: str) -> None:
    """Fail unless the result is of the declared kind, or an error of hcbench tells why not."""
    if ran.refusal is not None:
        return
    if ran.result is None:
        fail(f"fails on {items}: {ran.reason}", ran.error)
    kind = result_kind(ran.result)
    if kind != subject.spec.returns:
        fail(f"declares a {subject.spec.returns} and returns a {kind} of {items}")
    if subject.spec.binary_only and isinstance(ran.result, Tree) and not ran.result.is_binary:
        fail(f"declares binary trees only and returns another one of {items}")


#: The name of `make_items`, as a job has it.
_ITEMS = "hcbench.testing.running:make_items"
_JOB = Job(
    dataset=Call(_ITEMS, {}),
    oracle=Call(_ITEMS, {}),
    algorithm=Call(_ITEMS, {}),
    data_key="hcbench.testing",
    data_seed=DATA_SEED,
    noise_seed=NOISE_SEED,
    algorithm_seed=SEED,
    provides=frozenset(),
    hints=(),
    returns="tree",
    budget=None,
    checkpoints=(),
    metrics={},
)
"""A job that makes planted items; oracle and algorithm are placeholders."""


def job_of_algorithm(subject: Subject, source: Source) -> Job:
    """The algorithm on the planted items, as in a cell."""
    return replace(
        _JOB,
        dataset=Call(_ITEMS, {"form": source.form}),
        oracle=source.call,
        algorithm=subject.call,
        data_key=f"hcbench.testing/{source.form}",
        provides=source.problem().provides,
        hints=subject.hints,
        returns=subject.spec.returns,
    )


def fixed(problem: Problem, _seed: int) -> Problem:
    """A data set that yields one problem for every seed."""
    return problem


def job_without_truth(subject: Subject, source: Source, oracle: Call) -> Job:
    """The same on items of which nothing is known but what the algorithm may know."""
    problem = source.problem()
    data = set(subject.hints) & (problem.provides - {"truth"})
    # A hint that the data do not provide, such as a number of clusters, is one about the truth.
    has_truth = data < set(subject.hints)
    bare = Problem(
        n=problem.n,
        names=problem.names,
        tree=problem.tree,
        truths=problem.truths if has_truth else {},
        levels=problem.levels if has_truth else None,
        **{hint: getattr(problem, hint) for hint in data},
    )
    return replace(
        job_of_algorithm(subject, source),
        dataset=Call(partial(fixed, bare), {}),
        oracle=oracle,
        data_key=uuid.uuid4().hex,  # a worker keeps data by their key, and these lack the truth
        provides=bare.provides,
    )


def job_of_dataset(subject: Subject) -> RescoreJob:
    """Make the data without running anything, as for a stored result."""
    job = replace(
        _JOB,
        dataset=subject.call,
        data_key=uuid.uuid4().hex,  # not the data of another data set of this name
        provides=subject.spec.provides_with(subject.params),
    )
    return RescoreJob(job, Cost(), (ScoredPoint(),))


def run_in_worker(subject: Subject, job: Job | RescoreJob) -> Outcome:
    """Run a job in a worker."""
    try:
        packed = pack_job(job, subject.registry.plugins.files)
    except Exception as error:
        fail(f"cannot be sent to another process: {describe(error)}", error)
    pool = _pool(subject.registry.plugins.files)
    # Twice if it was lost, as when something else has ended the fork server.
    for _ in range(2):
        pool.submit(subject.label, packed, Limits())
        (report,) = pool.wait()
        if not report.lost:
            break
    if not isinstance(report.value, Outcome):
        fail(f"fails in another process: {report.reason}")
    return report.value


@cache
def _pool(plugin_files: tuple[Path, ...]) -> CellPool:
    """A worker for all checks: starting one takes longer than most of them."""
    try:
        pool = CellPool(1, plugin_files=plugin_files)
    except WorkerError as error:
        skip(str(error))
    atexit.register(pool.close)
    return pool


class NotRecordedError(Exception):
    """A query was not made when the answers were recorded."""


@dataclass(slots=True)
class RecordedAnswers:
    """The answers of one call.

    Attributes
    ----------
    codes : dict
        From a query, with its items in the order in which it was made, to its answers in turn, with
        their details if there are any.
    dtype : dtype
        Of the answers.
    pairs : dict
        From start and number to the pairs that were drawn.
    answered : int
        The number of answers, whether the ledger counts them or not.
    """

    codes: dict[tuple[int, ...], list[Any]] = field(default_factory=dict)
    dtype: Any = None
    pairs: dict[tuple[int, int], Queries] = field(default_factory=dict)
    answered: int = 0


def record(answers: Answers) -> tuple[Answers, RecordedAnswers]:
    """The same answers, not compiled, and a record that fills as they are given."""
    recorded = RecordedAnswers()
    if not answers.arity:
        return answers, recorded  # they are read whole
    inner = Oracle(answers)

    def answer(questions: Queries, _keys: object, _times: object) -> Code:
        codes = _ask(inner, questions)
        recorded.answered += len(questions)
        recorded.dtype = codes.dtype
        for row, code in zip(questions.tolist(), codes.tolist(), strict=True):
            recorded.codes.setdefault(tuple(row), []).append(code)
        return codes

    def draw(start: int, m: int) -> Queries:
        pairs = inner.draw(m)
        recorded.pairs[start, m] = pairs
        return pairs

    return _answered_by(answers, answer, draw), recorded


def _ask(oracle: Oracle, questions: Queries) -> Code:
    """Ask; with their details, if there are any, answers are as an oracle plugin gives them."""
    codes = oracle.ask(questions)
    details = oracle.details
    if details is None:
        return codes
    rows: NDArray[Any] = np.empty(len(codes), [("code", codes.dtype), *details.dtype.descr])
    rows["code"] = codes
    for name in details.dtype.names or ():
        rows[name] = details[name]
    return rows


def replay(answers: Answers, recorded: RecordedAnswers) -> Call:
    """An oracle that knows nothing but a record, and data that are read whole."""
    names = ("kind", "data", "size", "arity", "query_kind", "symmetry")
    params: dict[str, Any] = {name: getattr(answers, name) for name in names}
    params["record"] = recorded
    return Call("hcbench.testing.running:replayed", params)


def replayed(
    problem: Problem, _seed: int, _budget: int | None, *, record: RecordedAnswers, **fields: Any
) -> Answers:
    """Give the recorded answers again; the other fields of the answers are as they were."""
    if not fields["arity"]:
        # Sent to another process, they can be written to, which those of a cell cannot.
        for array in arrays_of(fields["data"]):
            array.setflags(write=False)
        return Answers(n=problem.n, **fields)
    # The answers to each query that are still to be given.
    remaining = {question: iter(codes) for question, codes in record.codes.items()}

    def answer(questions: Queries, _keys: object, _times: object) -> Code:
        try:
            codes = [next(remaining[tuple(row)]) for row in questions.tolist()]
        except (KeyError, StopIteration):
            raise NotRecordedError("it makes other queries") from None
        return np.array(codes, dtype=record.dtype)

    def draw(start: int, m: int) -> Queries:
        if (start, m) not in record.pairs:
            raise NotRecordedError("it draws other pairs")
        return record.pairs[start, m]

    return Answers(n=problem.n, answer=answer, draw=draw if record.pairs else None, **fields)


def renumbered(answers: Answers, items: NDArray[np.int64]) -> Answers:
    """The same answers about items in another order: item i here is ``items[i]`` there."""
    if not answers.arity:
        return replace(answers, data=_in_order(answers, items), matrix=None)
    inner = Oracle(answers)
    position = np.argsort(items)

    def answer(questions: Queries, _keys: object, _times: object) -> Code:
        return _ask(inner, items[questions])

    def draw(_start: int, m: int) -> Queries:
        return np.asarray(position[inner.draw(m)])

    return _answered_by(answers, answer, draw)


def _answered_by(answers: Answers, answer: Any, draw: Any) -> Answers:
    return Answers(
        kind=answers.kind,
        n=answers.n,
        arity=answers.arity,
        query_kind=answers.query_kind,
        answer=answer,
        symmetry=answers.symmetry,
        draw=draw if answers.can_draw else None,
    )


def arrays_of(data: Any) -> list[NDArray[Any]]:
    """The arrays of data that are read whole: the array itself, or those of a sparse matrix."""
    if isinstance(data, np.ndarray):
        return [data]
    parts = (getattr(data, name, None) for name in ("data", "indices", "indptr"))
    return [part for part in parts if isinstance(part, np.ndarray)]


def _in_order(answers: Answers, items: NDArray[np.int64]) -> Any:
    data = answers.data
    if isinstance(data, Comparisons | AllComparisons):
        return data.take(items)
    if getattr(data, "shape", ())[:1] != (answers.n,):
        skip(f"{answers.kind}, held as {type(data).__name__}, cannot be put in another order")
    if answers.kind in ("similarities", "graph"):
        return data[np.ix_(items, items)]
    return data[items]
