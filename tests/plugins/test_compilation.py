"""No call is timed with its compilation: a call on few items compiles what one on many needs."""

import subprocess
import sys

import pytest

COMPILED = """
import sys

import numpy as np
from numba.core.dispatcher import Dispatcher

from hcbench import Comparisons, Problem, load_registry
from hcbench.inputs import make_answers, make_oracle
from hcbench.job import Call
from hcbench.problem import give


def compiled():
    return {
        (name, kernel.py_func.__name__, str(signature))
        for name, module in list(sys.modules.items())
        if name.startswith("hcbench")
        for kernel in list(vars(module).values())
        if isinstance(kernel, Dispatcher)
        for signature in kernel.signatures
    }
"""

ALGORITHM = """
registry = load_registry()
(use,) = registry.use_algorithms(sys.argv[1])
levels = np.repeat(np.arange(8), 15)[:, None]
problem = Problem(n=120, vectors=np.random.default_rng(0).random((120, 5)) + levels, levels=levels)
kind = use.spec.accepts[0]
oracle = {"quadruplet-set": "quadruplet-set[p=0.01]"}.get(kind, kind)
(asked,) = registry.use_oracles(oracle)


def call(problem):
    asking = Call(asked.spec.function, asked.params)
    oracle = make_oracle(make_answers(asking, problem, 0, None), None)
    given = give(problem, use.spec.hints_of(use.params))
    function, rng = use.spec.load(), np.random.default_rng(0)
    before = compiled()
    function(oracle, given, rng, **use.params)
    return compiled() - before


call(problem.take(np.arange(0, 120, 10)))
assert not call(problem), call(problem)
"""

UNIQUE = """
rows = [[0, 1, 0, 2], [0, 1, 0, 3]]
assert Comparisons.from_quadruplets(4, rows).unique() is not None
before = compiled()
Comparisons.from_quadruplets(4, rows[::-1]).unique()
assert compiled() == before, compiled() - before
"""


def run(*arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", *arguments], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "name",
    [
        *("4-AL", "4-AL[init=3]", "UPGMA", "HDBSCAN", "Random"),
        *("SL", "SL[ask=merge-sort]", "CL", "CL[ask=merge-sort]", "4K-AL-act"),
    ],
)
def test_many_items_compile_nothing_that_few_do_not(name: str) -> None:
    run(COMPILED + ALGORITHM, name)


def test_answers_out_of_order_compile_nothing_that_those_in_order_do_not() -> None:
    run(COMPILED + UNIQUE)
