"""What is true of planted items: which answers of an oracle are wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench.authoring.testing.asking import questions_about
from hcbench.authoring.testing.findings import skip
from hcbench.authoring.testing.items import gram
from hcbench.model.comparisons import AllComparisons, Comparisons
from hcbench.model.problem import Problem
from hcbench.oracle import Answers, Code, Oracle, Questions

MANY = 3000


def count_wrong(answers: Answers, problem: Problem) -> tuple[int, int]:
    """How many of how many answers are not true of planted items."""
    if not answers.arity:
        return _wrong_in_data(answers, problem)
    questions = questions_about(answers, MANY)
    codes = Oracle(answers).ask(questions)
    if answers.kind == "pair-queries":
        return _items_apart_from_truth(questions, codes, problem), problem.n
    return int((codes != _right(answers.kind, questions, gram(problem))).sum()), len(questions)


def _right(kind: str, questions: Questions, w: NDArray[np.float64]) -> Code:
    if kind == "quadruplet-queries":
        i, j, k, l = questions.T  # noqa: E741
        return np.asarray(np.sign(w[i, j] - w[k, l]), dtype=np.int8)
    if kind == "ordinal-queries":
        i, j, k = questions.T
        return np.asarray(np.argmax([w[j, k], w[i, k], w[i, j]], axis=0), dtype=np.int8)
    return skip(f"what is true of {kind} is not known here")


def _items_apart_from_truth(questions: Questions, codes: Code, problem: Problem) -> int:
    """Items that are together with others than all those below one true node.

    Any cut of the truth will do, as levels, a number of clusters and thresholds are parameters.
    """
    together = np.eye(problem.n, dtype=bool)
    together[questions[:, 0], questions[:, 1]] = codes == 1
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
        skip(f"what is true of {answers.kind} is not known here")
    dense = data.toarray() if hasattr(data, "toarray") else np.asarray(data)
    held = dense if answers.kind == "similarities" else dense @ dense.T
    if held.shape != w.shape:
        return w.size, w.size
    return int((np.argsort(held[upper]) != np.argsort(w[upper])).sum()), upper[0].size
