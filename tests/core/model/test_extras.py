"""Data of a plugin's own kind: attached by a data set, read by those that declare it."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hcbench
from hcbench import Problem
from hcbench.errors import InvalidProblemError, InvalidSpecError
from hcbench.registry.specs import AlgorithmSpec

WORDS = "words:strings"
PLUGIN = """
import numpy as np
from hcbench import (
    AlgorithmSpec, Answers, DatasetSpec, MetricSpec, OracleSpec, Problem, Tree, hookimpl
)

WORDS = ("oak", "oaks", "cat", "cats")

def words(seed):
    truth = Tree.from_newick("((0,1),(2,3));")
    return Problem(n=4, truths={"kinds": truth}, extras={"words:strings": WORDS})

def by_first_letter(oracle, items, rng):
    strings = items.hints["words:strings"]
    assert strings == WORDS
    levels = np.array([[ord(string[0])] for string in strings])
    return Tree.from_levels(levels)

def letters(problem, seed, budget):
    strings = problem.extras["words:strings"]
    data = np.array([[float(a[0] == b[0]) for a in strings] for b in strings])
    return Answers(kind="similarities", n=4, data=data)

def longest(scored):
    return float(max(map(len, scored.problem.extras["words:strings"])))

@hookimpl
def hcbench_algorithms():
    return [AlgorithmSpec(
        name="Letters", function=by_first_letter, doc="By first letter.",
        accepts=("vectors", "similarities"), hints=("words:strings",), random=False,
    )]

@hookimpl
def hcbench_datasets():
    return [DatasetSpec(
        name="words", function=words, doc="Four words.", random=False,
        provides=("truth", "words:strings"), truths=("kinds",),
    )]

@hookimpl
def hcbench_oracles():
    return [OracleSpec(
        name="letters", function=letters, doc="First letters.", kind="similarities",
        needs=("words:strings",), random=False,
    )]

@hookimpl
def hcbench_metrics():
    return [MetricSpec(
        name="longest", function=longest, doc="The longest word.", direction="none",
        needs=("words:strings",),
    )]
"""


def with_words(*words: Any) -> Problem:
    return Problem(n=len(words), extras={WORDS: list(words)})


def test_entries_are_those_of_the_items() -> None:
    problem = Problem(
        n=3,
        vectors=np.eye(3),
        extras={WORDS: ["a", "b", "c"], "words:pixels": np.arange(12.0).reshape(3, 4)},
    )
    assert {"vectors", WORDS, "words:pixels"} <= problem.provides
    part = problem.take(np.array([2, 0]))
    assert part.extras[WORDS] == ("c", "a")
    assert part.extras["words:pixels"].tolist() == [[8, 9, 10, 11], [0, 1, 2, 3]]
    with pytest.raises(ValueError, match="read-only"):
        problem.extras["words:pixels"][0, 0] = 1
    again = pickle.loads(pickle.dumps(problem))
    assert again.digest() == problem.digest()
    assert again.extras[WORDS] == ("a", "b", "c")


def test_the_digest_depends_on_all_contents() -> None:
    digests = {
        with_words("a", "b").digest(),
        with_words("b", "a").digest(),
        with_words(b"a", "b").digest(),
        with_words(["a"], "b").digest(),
        with_words({"a": 1.0}, "b").digest(),
        with_words({"a": 2.0}, "b").digest(),
        with_words(np.array([1]), "b").digest(),
        with_words(np.array([1.0]), "b").digest(),
        Problem(n=2).digest(),
        Problem(n=2, extras={"words:others": ["a", "b"]}).digest(),
    }
    assert len(digests) == 10


def test_the_digest_is_the_same_in_another_process() -> None:
    code = (
        "from hcbench import Problem; "
        "print(Problem(n=2, extras={'words:strings': [{'a': 1}, 'b']}).digest())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == with_words({"a": 1}, "b").digest()


@pytest.mark.parametrize(
    ("extras", "message"),
    [
        ({"strings": ["a", "b"]}, "such as 'my-package:strings'"),
        ({WORDS: ["a"]}, "has 1 entries for 2 items"),
        ({WORDS: [object(), "b"]}, "holds a object; give texts, bytes"),
        ({WORDS: np.array([object(), "b"])}, "holds a ndarray"),
    ],
)
def test_other_entries_are_refused(extras: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidProblemError, match=message):
        Problem(n=2, extras=extras)


def test_a_misspelt_need_is_still_refused() -> None:
    with pytest.raises(InvalidSpecError, match="data of your own, such as 'my-package:strings'"):
        AlgorithmSpec(name="A", function="a:b", doc="A.", accepts=("vectors",), needs=("vektors",))


def test_algorithms_oracles_and_metrics_read_them(tmp_path: Path) -> None:
    file = tmp_path / "words.py"
    file.write_text(PLUGIN)
    results = hcbench.compare(
        ["Letters"],
        ["words", "iris[n=12]"],
        oracles=["letters", "vectors"],
        metrics=["AARI", "longest"],
        repetitions=1,
        plugins=[file],
        store=":memory:",
    )
    rows = {row["dataset"]: row for row in results.flat_rows}
    assert rows["words"]["status"] == "ok", rows["words"]["reason"]
    assert (rows["words"]["AARI"], rows["words"]["longest"]) == (1.0, 4.0)
    assert rows["iris[n=12]"]["status"] == "skipped"
    assert "words:strings" in rows["iris[n=12]"]["reason"]
