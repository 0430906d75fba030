"""A small, fast plugin file for the tests of the command line, with all kinds of failures."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from hcbench import (
    REQUIRED,
    AlgorithmSpec,
    DatasetSpec,
    MetricSpec,
    OracleSpec,
    Parameter,
    Reference,
    Suite,
    hookimpl,
)

PAPER = Reference(
    "toy2020",
    "article",
    {"author": "Doe, Jane and Roe, Richard", "title": "Toys", "year": "2020"},
)


def comb(_oracle: Any, items: Any, rng: np.random.Generator, *, start: int) -> np.ndarray:
    """Join the items one after another, in a random order."""
    order = np.roll(rng.permutation(items.n), start)
    children = [(order[0], order[1])]
    children += [(items.n + k, order[k + 2]) for k in range(items.n - 2)]
    return np.array(children)


def fail(_oracle: Any, items: Any, _rng: Any, *, how: str) -> object:
    """Fail in the given way."""
    if how == "raise":
        raise ValueError("it\nhurts")
    if how == "crash":
        os._exit(7)
    if how == "hang":
        time.sleep(1000)
    return np.zeros(items.n + 1, dtype=int)


def line(request: Any, *, n: int) -> Any:
    """Points on a line, in two classes."""
    from hcbench import Problem

    points = np.random.default_rng(request.seed).normal(size=(n, 1))
    return Problem(n=n, vectors=points, levels=(points > 0).astype(np.int64))


def bare(request: Any) -> Any:
    """Points without a truth."""
    from hcbench import Problem

    return Problem(n=6, vectors=np.random.default_rng(request.seed).normal(size=(6, 2)))


def read(request: Any) -> Any:
    """Hand out the vectors."""
    problem = request.problem
    from hcbench import Answers

    return Answers(kind="toy", n=problem.n, data=problem.vectors)


def depth(scored: Any) -> float:
    """The number of nodes."""
    return float(len(scored.result.parent))


def height(scored: Any) -> float:
    """A value that depends on the data."""
    return float(np.abs(scored.problem.vectors).mean())


START = Parameter("start", 0, "Where to begin.", interval="[0, 10]")


@hookimpl
def hcbench_algorithms() -> Iterable[AlgorithmSpec]:
    return (
        AlgorithmSpec(
            name="Comb",
            function=comb,
            doc="A caterpillar.",
            accepts=("toy", "vectors"),
            parameters=(START,),
            paper=PAPER,
        ),
        AlgorithmSpec(
            name="Fail",
            function=fail,
            doc="Fails.",
            accepts=("vectors",),
            parameters=(
                Parameter(
                    "how", "raise", "In which way.", choices=("raise", "crash", "hang", "wrong")
                ),
            ),
        ),
        AlgorithmSpec(
            name="Knowing",
            function=comb,
            doc="Needs a truth.",
            accepts=("vectors",),
            needs=("truth",),
            parameters=(START,),
        ),
    )


@hookimpl
def hcbench_datasets() -> Iterable[DatasetSpec]:
    return (
        DatasetSpec(
            name="line",
            function=line,
            doc="Points on a line.",
            parameters=(Parameter("n", 8, "Items.", interval="[2, inf)"),),
            provides=("vectors", "levels", "truth"),
            licence="CC0",
        ),
        DatasetSpec(name="bare", function=bare, doc="No truth.", provides=("vectors",)),
        DatasetSpec(
            name="demanding",
            function=line,
            doc="Wants a parameter.",
            parameters=(Parameter("n", REQUIRED, "Items.", type="int"),),
            provides=("vectors",),
        ),
    )


@hookimpl
def hcbench_oracles() -> Iterable[OracleSpec]:
    return (OracleSpec(name="toy", function=read, doc="Vectors.", kind="toy", needs=("vectors",)),)


@hookimpl
def hcbench_metrics() -> Iterable[MetricSpec]:
    return (
        MetricSpec(
            name="nodes",
            function=depth,
            doc="Number of nodes.",
            direction="lower",
            interval="[0, inf)",
        ),
        MetricSpec(name="size", function=height, doc="Mean of the data.", direction="higher"),
    )


@hookimpl
def hcbench_suites() -> Iterable[Suite]:
    return (
        Suite(
            name="toys",
            doc="All toys.",
            algorithms=("Comb",),
            datasets=("line", "bare"),
            metrics=("nodes", "size"),
            repetitions=2,
        ),
    )
