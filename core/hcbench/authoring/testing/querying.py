"""Querying an oracle about planted items, and counting its wrong answers."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench.authoring.testing.findings import skip
from hcbench.authoring.testing.items import N, gram, items_with
from hcbench.authoring.testing.running import NOISE_SEED
from hcbench.authoring.testing.subjects import Subject
from hcbench.errors import NotApplicableError
from hcbench.model.comparisons import AllComparisons, Comparisons
from hcbench.model.notes import collect_notes
from hcbench.model.problem import Problem
from hcbench.oracle import Answers, Code, Oracle, Questions
from hcbench.run.cell import describe
from hcbench.run.inputs import make_answers
from hcbench.run.job import Call

NOISE, MEASURABLE = 0.2, 0.05
MANY = 3000


def problem_of(subject: Subject, n: int = N) -> Problem:
    """Planted items that provide what the spec needs."""
    return items_with(subject.spec.needs, n)


def answers_of(
    subject: Subject,
    problem: Problem,
    *,
    seed: int = NOISE_SEED,
    budget: int | None = None,
    noise: float | None = None,
) -> Answers:
    """The answers of an oracle, with its own noise or the noise given.

    The check does not apply where the oracle says so, as one of recorded answers about other items.
    """
    change = {} if noise is None else {"noise": noise}
    call = Call(subject.spec.function, {**subject.params, **change})
    try:
        with collect_notes():
            answers = make_answers(call, problem, seed, budget)
            if answers.arity and problem.n >= answers.arity:
                Oracle(answers).ask(random_queries(answers, 1))
    except NotApplicableError as error:
        skip(f"it does not apply to planted items: {describe(error)}")
    return answers


def noise_of(subject: Subject) -> float | None:
    """A rate of errors that can be measured: its own if that is high enough, else `NOISE`.

    None if it has no parameter ``noise``.
    """
    if "noise" not in subject.params:
        return None
    own = float(subject.params["noise"])
    return own if own >= MEASURABLE else NOISE


def random_queries(answers: Answers, m: int, seed: int = 0) -> Questions:
    """Random queries, (m, arity), about different items; those of two pairs may share one.

    Of queries about two items, each pair once, whatever m is.
    """
    if answers.arity == 2 and m > 1:
        return np.column_stack(np.triu_indices(answers.n, 1)).astype(np.int64)
    rng = np.random.default_rng(seed)
    rows = np.argsort(rng.random((m, answers.n)), axis=1)[:, : answers.arity]
    if answers.arity == 4:
        rows[::3, 2] = rows[::3, 0]
    return np.ascontiguousarray(rows, dtype=np.int64)


def all_answers(answers: Answers, m: int = 200) -> Any:
    """The answers to m random queries, or the bytes of data that are read whole."""
    oracle = Oracle(answers)
    if answers.arity:
        return oracle.ask(random_queries(answers, m)).tolist()
    data = oracle.read()
    if isinstance(data, AllComparisons):
        data = data.materialise()
    if isinstance(data, Comparisons):
        return data.closer.tobytes(), data.farther.tobytes()
    if isinstance(data, np.ndarray):
        return data.tobytes()
    if hasattr(data, "indptr"):
        return data.data.tobytes(), data.indices.tobytes(), data.indptr.tobytes()
    return pickle.dumps(data)


def count_wrong(answers: Answers, problem: Problem) -> tuple[int, int]:
    """The numbers of wrong answers and of all answers about planted items."""
    if not answers.arity:
        return _wrong_in_data(answers, problem)
    queries = random_queries(answers, MANY)
    codes = Oracle(answers).ask(queries)
    if answers.kind == "pair-queries":
        return _count_misplaced(queries, codes, problem), problem.n
    return int((codes != _right(answers.kind, queries, gram(problem))).sum()), len(queries)


def _right(kind: str, queries: Questions, w: NDArray[np.float64]) -> Code:
    if kind == "quadruplet-queries":
        i, j, k, l = queries.T  # noqa: E741
        return np.asarray(np.sign(w[i, j] - w[k, l]), dtype=np.int8)
    if kind == "ordinal-queries":
        i, j, k = queries.T
        return np.asarray(np.argmax([w[j, k], w[i, k], w[i, j]], axis=0), dtype=np.int8)
    return skip(f"the right answers to {kind} are not known here")


def _count_misplaced(queries: Questions, codes: Code, problem: Problem) -> int:
    """The number of items whose cluster is no set of leaves below a true node.

    Any cut of the truth is right, as levels, a number of clusters and thresholds are parameters.
    """
    together = np.eye(problem.n, dtype=bool)
    together[queries[:, 0], queries[:, 1]] = codes == 1
    together |= together.T
    truth, wrong = problem.truth, 0
    for item in range(problem.n):
        node = item
        while truth.sizes[node] < together[item].sum():
            node = int(truth.parent[node])
        wrong += not np.array_equal(np.flatnonzero(together[item]), np.sort(truth.leaves(node)))
    return wrong


def _wrong_in_data(answers: Answers, problem: Problem) -> tuple[int, int]:
    w = gram(problem)
    upper = np.triu_indices(problem.n, 1)
    data: Any = answers.data
    if isinstance(data, AllComparisons):
        data = data.materialise()
    if isinstance(data, Comparisons):
        pairs = w[upper]
        return int((pairs[data.closer] <= pairs[data.farther]).sum()), len(data)
    if answers.kind not in ("vectors", "similarities"):
        skip(f"the right answers of {answers.kind} are not known here")
    dense = data.toarray() if hasattr(data, "toarray") else np.asarray(data)
    products = dense if answers.kind == "similarities" else dense @ dense.T
    if products.shape != w.shape:
        return w.size, w.size
    return int((np.argsort(products[upper]) != np.argsort(w[upper])).sum()), upper[0].size
