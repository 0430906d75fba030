"""Cases of test_compilation, each in a fork of a process like a worker before its first job.

Run as ``python -m tests.plugins.compiling CASES``. CASES is a list in JSON; each case is the name
of a function of this module and its arguments. Prints a list of errors, "" for a case without one.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher
from scipy.cluster.hierarchy import linkage

import hcbench.run.first_use  # noqa: F401 - as the server from which workers are forked
from hcbench import Comparisons, HeightKind, Problem, Tree, load_registry, score
from hcbench.run.inputs import give, make_answers, make_oracle
from hcbench.run.job import Call

REGISTRY = load_registry()
LEVELS = np.repeat(np.arange(8), 15)[:, None]
VECTORS = np.random.default_rng(0).random((120, 5)) + LEVELS
CATERPILLAR = Tree([120, *range(120, 239), *range(121, 239), -1])
MERGES = linkage(VECTORS, "average")


def compiled() -> set[tuple[str, str, str]]:
    """Every loaded kernel, with the signatures for which it is compiled."""
    return {
        (name, kernel.py_func.__name__, str(signature))
        for name, module in list(sys.modules.items())
        if name.startswith("hcbench")
        for kernel in list(vars(module).values())
        if isinstance(kernel, Dispatcher)
        for signature in kernel.signatures
    }


def algorithms(*names: str) -> None:
    """Run algorithms on 12 items, and then on 120."""
    tree, truths = Tree.from_linkage(MERGES), {"caterpillar": CATERPILLAR}
    problem = Problem(n=120, vectors=VECTORS, levels=LEVELS, truths=truths, tree=tree)
    for name in names:
        (use,) = REGISTRY.use_algorithms(name)
        _call(use, problem.take(np.arange(0, 120, 10)))
        new = _call(use, problem)
        assert not new, (name, new)


def _call(use: Any, problem: Problem) -> set[tuple[str, str, str]]:
    """Return what a call compiles."""
    kind = use.spec.accepts[0]
    (asked,) = REGISTRY.use_oracles({"quadruplet-set": "quadruplet-set[p=0.01]"}.get(kind, kind))
    answers = make_answers(Call(asked.spec.function, asked.params), problem, 0, None)
    oracle = make_oracle(answers, None)
    items = give(problem, use.spec.hints_of(use.params))
    function, rng = use.spec.load(), np.random.default_rng(0)
    before = compiled()
    function(oracle, items, rng, **use.params)
    return compiled() - before


def metrics(*variants: tuple[str, dict[str, Any]]) -> None:
    """Compute metrics of trees of 10 items, and then of 300."""
    rng = np.random.default_rng(0)

    def tree(n: int) -> Tree:
        parent, live = [-1] * n, list(range(n))
        while len(live) > 1:
            for _ in range(min(len(live), 3)):
                parent[live.pop(int(rng.integers(len(live))))] = len(parent)
            live.append(len(parent))
            parent.append(-1)
        return Tree(parent, [0.0] * n + list(range(len(parent) - n)), HeightKind.DISTANCE)

    def compute(n: int) -> None:
        result, truth = tree(n), tree(n)
        for name, options in variants:
            score(name, result, truth, **options)

    compute(10)
    before = compiled()
    compute(300)
    assert compiled() == before, compiled() - before


def unique() -> None:
    """Sort answers in order, and then out of order."""
    rows = [[0, 1, 0, 2], [0, 1, 0, 3]]
    assert Comparisons.from_quadruplets(4, rows).unique() is not None
    before = compiled()
    Comparisons.from_quadruplets(4, rows[::-1]).unique()
    assert compiled() == before, compiled() - before


def forked(function: str, *arguments: Any) -> str:
    """Run a case in a separate process, and return its error."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.close(reading)
        with open(writing, "w") as pipe:
            try:
                globals()[function](*arguments)
            except BaseException:
                pipe.write(traceback.format_exc())
        os._exit(0)
    os.close(writing)
    with open(reading) as pipe:
        error = pipe.read()
    _, status = os.wait()
    return error or (f"the process ended with status {status}" if status else "")


if __name__ == "__main__":
    json.dump([forked(*case) for case in json.loads(sys.argv[1])], sys.stdout)
