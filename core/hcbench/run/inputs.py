"""The inputs of a cell in a worker, made or kept from the last cell.

These are its problem, its oracle, and what the algorithm is given without asking, which may include
parts of the truth. The cells of one repetition use the same data and, with one oracle, get the same
answers, so that a worker need not draw forty million comparisons again for each algorithm.
"""

from __future__ import annotations

import zlib
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import InvalidProblemError, NotApplicableError, ParameterError
from hcbench.model.arguments import whole_number
from hcbench.model.comparisons import AllComparisons, Comparisons
from hcbench.model.cost import Budget, collect_notes
from hcbench.model.extras import is_extra
from hcbench.model.problem import Problem
from hcbench.model.trees import Partition, Tree
from hcbench.model.views import own_view
from hcbench.oracle import Answers, Code, Oracle, Recorder
from hcbench.oracle.requests import AnswerRequest, answers_request, warn_of_arguments
from hcbench.registry.specs import DATA, HINTS, unknown_hint
from hcbench.run.job import Call, Job
from hcbench.run.requests import call_dataset, call_oracle

#: How many problems a worker keeps for its next cells.
KEPT_PROBLEMS = 2


@dataclass(frozen=True, slots=True)
class MadeProblem:
    """A problem with its digest, and the notes of its data set."""

    problem: Problem
    digest: str
    notes: tuple[str, ...]


_problems: OrderedDict[str, MadeProblem] = OrderedDict()
_answers: dict[str, tuple[Answers, tuple[str, ...]]] = {}


def problem_of(job: Job) -> MadeProblem:
    """The problem of a job, kept for the next cell on the same data."""
    if job.data_key in _problems:
        _problems.move_to_end(job.data_key)
        return _problems[job.data_key]
    _answers.clear()  # of other data, and perhaps large
    with collect_notes() as notes:
        problem = make_problem(job.dataset, job.data_seed, job.provides)
    _problems[job.data_key] = MadeProblem(problem, problem.digest(), tuple(notes))
    if len(_problems) > KEPT_PROBLEMS:
        _problems.popitem(last=False)
    return _problems[job.data_key]


def make_problem(dataset: Call, seed: int, declared: frozenset[str]) -> Problem:
    """Call a data set, and check that it provides what it declares.

    Raises
    ------
    InvalidProblemError
        If it does not.

    Examples
    --------
    >>> from hcbench.run import Call
    >>> def line(request, *, n):
    ...     return hcbench.Problem(n=n, vectors=np.arange(n, dtype=float)[:, None])
    >>> make_problem(Call(line, {"n": 3}), seed=0, declared=frozenset({"vectors"})).n
    3
    >>> make_problem(Call(line, {"n": 3}), seed=0, declared=frozenset({"truth"}))
    Traceback (most recent call last):
        ...
    hcbench.errors.InvalidProblemError: the data set declares truth but does not yield it
    """
    problem = call_dataset(dataset, seed)
    if not isinstance(problem, Problem):
        raise InvalidProblemError(f"the data set must return a Problem, got {type(problem)}")
    missing = declared - problem.provides
    if not missing:
        return problem
    message = f"the data set declares {', '.join(sorted(missing))} but does not yield it"
    if "heights" in missing and problem.truths:
        kind = problem.truth.kind.value
        message += f": the heights of its truth are of the kind {kind}, and only affinities count"
    raise InvalidProblemError(message)


def answers_of(job: Job, problem: Problem) -> tuple[Answers, tuple[str, ...]]:
    """The answers of the oracle of a job, and its notes.

    Comparisons are kept for the next cell with the same ones, as nothing can write to them. Answers
    of other kinds are not, as an algorithm could have changed them.
    """
    key = repr((job.data_key, job.oracle, job.noise_seed, job.budget))
    if key in _answers:
        return _answers[key]
    _answers.clear()  # before the new ones are made, as they may be large
    with collect_notes() as notes:
        answers = make_answers(job.oracle, problem, job.noise_seed, job.budget)
    if isinstance(answers.data, Comparisons | AllComparisons):
        _answers[key] = answers, tuple(notes)
    return answers, tuple(notes)


def checksums(problem: Problem, answers: Answers) -> list[tuple[NDArray[Any], int]]:
    """The arrays that later cells use too, with checksums, to tell whether a call wrote to them.

    They are read-only, but code in C does not look, and a view's base may be writeable. A gigabyte
    takes 0.3 s.
    """
    arrays = problem.arrays()
    if isinstance(answers.data, Comparisons):
        arrays += answers.data.arrays()
    elif isinstance(answers.data, AllComparisons):
        arrays.append(answers.data.rank)
    return [(array, checksum(array)) for array in arrays]


def checksum(array: NDArray[Any]) -> int:
    """The CRC-32 of the contents of an array."""
    if array.flags.fnc:
        # Its transpose lies in memory by rows, so that nothing is copied.
        array = array.T
    # CRC-32 finds every run of changes of up to 32 bits, and others almost surely.
    return zlib.crc32(np.ascontiguousarray(array).data)


def make_answers(oracle: Call, problem: Problem, seed: int, budget: Budget | None) -> Answers:
    """Call an oracle plugin; a budget of money is nothing that it needs to know.

    Raises
    ------
    InvalidProblemError
        If it returns anything else than answers.

    Examples
    --------
    >>> from hcbench.run import Call
    >>> def columns(request, *, first):
    ...     problem = request.problem
    ...     return hcbench.Answers(kind="vectors", n=problem.n, data=problem.vectors[:, :first])
    >>> problem = hcbench.Problem(n=2, vectors=[[1.0, 8.0], [2.0, 9.0]])
    >>> answers = make_answers(Call(columns, {"first": 1}), problem, seed=0, budget=None)
    >>> answers.kind, answers.data.tolist()
    ('vectors', [[1.0], [2.0]])
    """
    n_queries = None
    if isinstance(budget, int):
        n_queries = budget
    answers = call_oracle(oracle, problem, seed, n_queries)
    if not isinstance(answers, Answers):
        raise InvalidProblemError(f"the oracle must return Answers, got {type(answers)}")
    for answering in (answers.answer, answers.replies):
        if answering is not None and not answers_request(answering):
            warn_of_arguments(answering, AnswerRequest)
    return answers


def synthetic_answers(like: Answers, n: int) -> Answers:
    """Answers to the same queries about n items, which cost nothing.

    Item after item joins the hierarchy, in their order: of two pairs the one without the last item
    is closer, the last of three or more is the odd one out, the later the less alike, and no two
    items belong together.
    """
    kind = like.query_kind

    def answer(request: AnswerRequest) -> Code:
        queries = request.queries
        codes: NDArray[Any]
        if kind and kind.scale:
            low, high = kind.scale
            codes = high - (high - low) * queries.max(axis=1) / n
            return codes
        if kind and kind.is_position:
            codes = queries.argmax(axis=1)
        elif kind and kind.symmetry == "quadruplet":
            codes = np.sign(queries[:, 2:].max(axis=1) - queries[:, :2].max(axis=1))
        else:
            codes = np.zeros(len(queries))
        return codes.astype(np.int8, copy=False)

    return replace(like, n=n, answer=answer, replies=None, compiled=None, draw=None, matrix=None)


def make_oracle(
    answers: Answers,
    budget: Budget | None,
    checkpoints: tuple[int, ...] = (),
    clock: Callable[[], float] = perf_counter,
    *,
    takes_unsure: bool = False,
) -> Oracle:
    """Wrap answers with a ledger of its own, ready to be asked.

    Examples
    --------
    >>> def same_parity(request):
    ...     i, j = request.queries.T
    ...     return (i - j) % 2 == 0
    >>> answers = hcbench.Answers(kind="pair-queries", n=4, arity=2, answer=same_parity)
    >>> oracle = make_oracle(answers, budget=3)
    >>> oracle.ask(np.array([[0, 2], [0, 1]])).tolist()
    [1, 0]
    >>> oracle.ask(np.array([[1, 3], [2, 3]]))
    Traceback (most recent call last):
        ...
    hcbench.errors.BudgetExceededError: 2 more pair-queries exceed the budget of 3: ...
    """
    oracle = Oracle(answers, budget, checkpoints, clock)
    Recorder(oracle).prepare(takes_unsure=takes_unsure)
    return oracle


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Items:
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
        Parts of the truth, and data beside the answers, that the algorithm declares (see `HINTS`);
        they are recorded with its row.

    Examples
    --------
    >>> def by_letter(oracle, items, rng):
    ...     letters = [[name[0]] for name in items.names]
    ...     return hcbench.Tree.from_levels(letters, names=items.names)
    >>> spec = hcbench.AlgorithmSpec(
    ...     name="by-letter", function=by_letter, doc="By the first letter.", accepts=("vectors",)
    ... )
    >>> problem = hcbench.Problem(n=3, names=["ant", "bee", "asp"], vectors=[[0], [1], [2]])
    >>> hcbench.fit(spec, problem).to_newick()
    '(bee,(ant,asp));'
    """

    n: int
    names: tuple[str, ...] | None = None
    tree: Tree | None = None
    hints: Mapping[str, Any] = field(default_factory=dict)


def give(problem: Problem, hints: Sequence[str]) -> Items:
    """Give an algorithm what it may know of a problem: size, names, tree and its declared hints.

    Examples
    --------
    >>> problem = hcbench.Problem(n=4, levels=[[0], [0], [1], [1]])
    >>> items = give(problem, ("n_clusters",))
    >>> items.n, items.hints
    (4, {'n_clusters': 2})
    """
    values = {name: _hint(problem, name) for name in hints}
    return Items(n=problem.n, names=problem.names, tree=problem.tree, hints=values)


def _hint(problem: Problem, name: str) -> Any:
    if is_extra(name):
        if name not in problem.extras:
            raise NotApplicableError(f"the items have no {name}")
        return problem.extras[name]
    if name not in HINTS:
        raise ParameterError(unknown_hint(name))
    if name == "truth":
        return problem.truth
    if name in DATA:
        if name not in problem.provides:
            raise NotApplicableError(f"the items have no {name}")
        # A matrix of its own, as the algorithm could replace the arrays of a sparse one.
        return own_view(getattr(problem, name))
    finest = finest_partition(problem)
    if name == "clusters":
        return finest
    return finest.n_clusters


def finest_partition(problem: Problem, level: int | None = None) -> Partition:
    """The finest true clusters: of the label levels, else those at the bottom of the truth.

    At the bottom are the nodes whose children are all leaves. A leaf beside other nodes is a
    cluster of its own, so that the clusters are a cut of the truth.

    Parameters
    ----------
    problem : Problem
    level : int, optional
        The clusters of this level of labels instead; 1 is the coarsest.

    Raises
    ------
    NotApplicableError
        If there is no such level, or no truth.

    Examples
    --------
    >>> problem = hcbench.Problem(n=4, levels=[["a", "x"], ["a", "y"], ["a", "y"], ["b", "x"]])
    >>> finest_partition(problem).labels.tolist()
    [0, 1, 1, 2]
    >>> finest_partition(problem, level=1).labels.tolist()
    [0, 0, 0, 1]
    """
    if level is not None:
        level = whole_number(level, "level")
    if problem.levels is not None:
        n_levels = problem.levels.shape[1]
        if level is not None and not 1 <= level <= n_levels:
            raise NotApplicableError(
                f"level={level}: there are {n_levels} levels of labels, from 1"
            )
        columns = iter(problem.levels[:, :level].T)
        nested = Partition(next(columns, np.zeros(problem.n, np.int64)))
        for column in columns:
            # A cluster of this level is divided by those above it, if it is not inside one.
            clusters = Partition(column)
            nested = Partition(nested.labels * clusters.n_clusters + clusters.labels)
        return nested.with_names(problem.names)
    if level is not None:
        raise NotApplicableError(f"level={level}: this data set has no levels of labels")
    truth = problem.truth
    # Which inner nodes have an inner node among their children, and so are above the bottom.
    above_nodes = np.zeros(truth.n_nodes, dtype=np.bool_)
    above_nodes[truth.parent[truth.n : -1]] = True
    parent = truth.parent[: truth.n]
    is_alone = above_nodes[parent]
    return Partition(np.where(is_alone, np.arange(truth.n), parent), truth.names)
