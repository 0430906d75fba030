"""A plugin file for the tests: algorithms with all kinds of failures, and one with queries."""

import ctypes
import os
import signal
import sys
import time

import numpy as np

from hcbench import (
    AlgorithmSpec,
    Answers,
    DatasetSpec,
    MetricSpec,
    NotApplicableError,
    OracleSpec,
    Parameter,
    Problem,
    Tree,
    hookimpl,
)


def caterpillar(n):
    """Leaf 1 joins leaf 0, then 2, 3, ..."""
    inner = np.arange(n, 2 * n - 1)
    parent = np.empty(2 * n - 1, dtype=np.int64)
    parent[0], parent[1:n] = n, inner
    parent[inner[:-1]], parent[-1] = inner[1:], -1
    return Tree(parent)


def good(oracle, items, rng):
    return caterpillar(items.n)


def draws(oracle, items, rng):
    return caterpillar(items.n).relabel(rng.permutation(items.n))


def raises(oracle, items, rng):
    raise ValueError("this is\nnot right")


def segfault(oracle, items, rng):
    ctypes.string_at(0)


def endless(oracle, items, rng):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while items.n > 12:
        time.sleep(0.01)  # other tests need the processor
    return caterpillar(items.n)


def exits(oracle, items, rng):
    if items.n > 12:
        os._exit(0)
    return caterpillar(items.n)


def calls_sys_exit(oracle, items, rng):
    sys.exit(3)


def forks(oracle, items, rng):
    os.fork()
    return caterpillar(items.n)


def leaves_a_child(oracle, items, rng):
    if items.n > 12 and os.fork() == 0:
        os.setsid()
        time.sleep(1000)
    return caterpillar(items.n)


def hog(oracle, items, rng):
    held = []
    while items.n > 12:
        held.append(np.ones(2**23))  # 64 MiB: not the time limit but this ends it
    return caterpillar(items.n)


def prints(oracle, items, rng):
    print("to stdout")  # noqa: T201
    os.write(1, b"to the descriptor\n")
    return caterpillar(items.n)


def mutates(oracle, items, rng):
    oracle.read()[0, 0] = 1e9
    return caterpillar(items.n)


def wrong_size(oracle, items, rng):
    return caterpillar(items.n + 1)


def invalid(oracle, items, rng):
    return np.full((items.n - 1, 4), np.nan)


def nothing(oracle, items, rng):
    return None


def text(oracle, items, rng):
    return "a tree"


def partition(oracle, items, rng):
    return np.zeros(items.n, dtype=np.int64)


def declines(oracle, items, rng):
    raise NotApplicableError("not for such data")


def killed(oracle, items, rng):
    os.kill(os.getpid(), signal.SIGKILL)


def lacks_a_module(oracle, items, rng):
    import no_such_module  # noqa: F401


def asker(oracle, items, rng, *, questions=100, records=True):
    """Make one query at a time, and record a result before each checkpoint."""
    for number in range(questions):
        if records and oracle.due():
            oracle.record(caterpillar(items.n))
        i, j = number % items.n, (number * 7 + 1) % items.n
        oracle.ask([[i, j, j, (j + 1) % items.n]])
    return caterpillar(items.n)


def numbers(request, *, n=20):
    seed = request.seed
    return Problem(n=n, vectors=np.random.default_rng(seed).normal(size=(n, 3)), levels=_levels(n))


def _levels(n):
    return (np.arange(n) % 4)[:, None].astype(np.int64)


def lies(_request):
    return Problem(n=5, vectors=np.eye(5))


def first_is_closer(request):
    problem = request.problem

    def answer(request):
        questions = request.queries
        return np.where(questions[:, 0] <= questions[:, 2], 1, -1).astype(np.int8)

    return Answers(kind="quadruplet-queries", n=problem.n, arity=4, answer=answer)


def leaves(scored):
    return scored.tree.n


def first_leaf_depth(scored):
    return scored.tree.depths[0]


def broken_metric(scored):
    raise RuntimeError("cannot judge")


KINDS = ("vectors",)
WRONG = {
    "good": good,
    "draws": draws,
    "raises": raises,
    "segfault": segfault,
    "endless": endless,
    "exits": exits,
    "sys-exit": calls_sys_exit,
    "forks": forks,
    "leaves-a-child": leaves_a_child,
    "hog": hog,
    "prints": prints,
    "mutates": mutates,
    "wrong-size": wrong_size,
    "invalid": invalid,
    "nothing": nothing,
    "text": text,
    "partition": partition,
    "declines": declines,
    "killed": killed,
    "lacks-a-module": lacks_a_module,
}


@hookimpl
def hcbench_algorithms():
    asking = AlgorithmSpec(
        name="asker",
        function=asker,
        doc="Asks.",
        accepts=("quadruplet-queries",),
        parameters=(
            Parameter("questions", 100, "How many.", interval="[0, inf)"),
            Parameter("records", True, "Whether it records."),
        ),
        anytime=True,
    )
    plain = [
        AlgorithmSpec(name=name, function=f, doc="Wrong.", accepts=KINDS)
        for name, f in WRONG.items()
    ]
    return [*plain, asking]


@hookimpl
def hcbench_datasets():
    return [
        DatasetSpec(
            name="numbers",
            function=numbers,
            doc="Random.",
            provides=("vectors", "levels", "truth"),
            parameters=(Parameter("n", 20, "Items.", interval="[1, inf)"),),
        ),
        DatasetSpec(name="lies", function=lies, doc="No truth.", provides=("vectors", "truth")),
    ]


@hookimpl
def hcbench_oracles():
    return [
        OracleSpec(
            name="first-is-closer",
            kind="quadruplet-queries",
            function=first_is_closer,
            doc="A rule.",
            needs=("vectors",),
        )
    ]


@hookimpl
def hcbench_metrics():
    return [
        MetricSpec(name="leaves", function=leaves, doc="n.", direction="higher"),
        MetricSpec(name="depth", function=first_leaf_depth, doc="Depth.", direction="lower"),
        MetricSpec(name="broken", function=broken_metric, doc="Raises.", direction="lower"),
    ]
