"""No call is timed with its compilation: a call on few items compiles what one on many needs."""

import subprocess
import sys

import pytest

COMPILED = """
import sys

import numpy as np
from numba.core.dispatcher import Dispatcher
from scipy.cluster.hierarchy import linkage

from hcbench import Comparisons, Problem, Tree, load_registry
from hcbench.run.inputs import make_answers, make_oracle
from hcbench.run.job import Call
from hcbench.run.given import give


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
levels = np.repeat(np.arange(8), 15)[:, None]
vectors = np.random.default_rng(0).random((120, 5)) + levels
caterpillar = Tree([120, *range(120, 239), *range(121, 239), -1])
truths = {"caterpillar": caterpillar}
tree = Tree.from_linkage(linkage(vectors, "average"))
problem = Problem(n=120, vectors=vectors, levels=levels, truths=truths, tree=tree)


def call(use, problem):
    kind = use.spec.accepts[0]
    oracle = {"quadruplet-set": "quadruplet-set[p=0.01]"}.get(kind, kind)
    (asked,) = registry.use_oracles(oracle)
    asking = Call(asked.spec.function, asked.params)
    oracle = make_oracle(make_answers(asking, problem, 0, None), None)
    given = give(problem, use.spec.hints_of(use.params))
    function, rng = use.spec.load(), np.random.default_rng(0)
    before = compiled()
    function(oracle, given, rng, **use.params)
    return compiled() - before


for name in sys.argv[1:]:
    (use,) = registry.use_algorithms(name)
    call(use, problem.take(np.arange(0, 120, 10)))
    assert not (new := call(use, problem)), (name, new)
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
        *("InsertionClustering[separator=exact]", "InsertionClustering", "QuickClustering"),
        *("Bottom-up", "Build"),
        *("BF", "OTS", "WDP", "N-WDP", "NR", "NR[K=20]", "ERM", "ERM[K=20]", "BEST", "BEST[K=20]"),
        *("NoisyInsertion[p=0.9]", "NoisyInsertion[p=0.9, strategy=paper]"),
    ],
)
def test_many_items_compile_nothing_that_few_do_not(name: str) -> None:
    run(COMPILED + ALGORITHM, name)


def test_nor_do_other_ways_through_the_same_kernels() -> None:
    run(
        COMPILED + ALGORITHM,
        "InsertionClustering[separator=topdown]",
        "QuickClustering[merge=binary-search]",
        "Build[count=50, on_conflict=star]",
        "NoisyInsertion[p=0.9, wrong=random]",
        "NoisyInsertion[p=0.9, strategy=repeat]",
        "NoisyInsertion[p=0.9, strategy=repeat, stop=lead]",
        "NoisyInsertion[p=0.9, strategy=paper, repetitions=binomial, skip=false]",
    )


def test_nor_do_other_searches_nor_cuts_without_asking() -> None:
    run(
        COMPILED + ALGORITHM,
        "BF[votes=3]",
        "BF[votes=binomial, stop=decided, undecided=apart]",
        "WDP[prior=0.3, undecided=together]",
        "WDP[prior=bands]",
        "N-WDP[votes=3, prior=bands]",
        "NR[constants=literal]",
        "NR[constants=literal, K=20]",
        "cut-at-K",
        "largest-gap",
    )


def test_answers_out_of_order_compile_nothing_that_those_in_order_do_not() -> None:
    run(COMPILED + UNIQUE)
