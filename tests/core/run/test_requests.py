"""The one argument that data sets, oracles and answers get, and the forms that came before it."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hcbench
from hcbench import (
    AnswerRequest,
    Answers,
    DataRequest,
    DatasetSpec,
    OracleRequest,
    Problem,
)
from hcbench.errors import UnknownNameError
from hcbench.oracle.requests import as_taking_request, takes_request
from hcbench.run import Call, make_answers, make_problem

OF_A_FILE = """
import numpy as np
from hcbench import AlgorithmSpec, DatasetSpec, Problem, Tree, hookimpl


def towns(request):
    rng = np.random.default_rng(request.seed)
    levels = np.arange(30)[:, None] % 3
    vectors = 9.0 * levels + rng.normal(size=(30, 6))
    return Problem(n=30, vectors=vectors, levels=levels)


def in_order(oracle, items, rng):
    return Tree.from_levels(np.arange(items.n)[:, None] // 2)


@hookimpl
def hcbench_datasets():
    yield DatasetSpec(
        name="towns",
        function=towns,
        doc="Towns.",
        provides=("vectors", "levels", "truth"),
    )


@hookimpl
def hcbench_algorithms():
    yield AlgorithmSpec(
        name="InOrder", function=in_order, doc="Pairs.", accepts=("vectors",), random=False
    )
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "towns.py"
    path.write_text(OF_A_FILE)
    return path


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda request: 0, True),
        (lambda _request: 0, True),
        (lambda request, n=3: 0, True),
        (lambda seed: 0, False),
        (lambda problem, seed, budget: 0, False),
        (lambda *arguments: 0, False),
        (lambda: 0, False),
        (min, False),
    ],
)
def test_which_functions_take_a_request(function: Any, expected: bool) -> None:
    assert takes_request(function) == expected


def points(seed: int) -> Problem:
    return Problem(n=5, vectors=np.random.default_rng(seed).random((5, 2)))


def points_of_request(request: DataRequest) -> Problem:
    return points(request.seed)


def test_a_data_set_of_the_earlier_form_gives_the_same_data_and_a_note() -> None:
    provides = frozenset({"vectors"})
    data = make_problem(Call(points_of_request, {}), 3, provides)
    with pytest.warns(hcbench.ModelWarning, match="points has no argument 'request'"):
        earlier = make_problem(Call(points, {}), 3, provides)
    assert earlier.digest() == data.digest()


def noisy(problem: Problem, seed: int, budget: int | None) -> Answers:
    def answer(queries: Any, keys: Any, times: Any) -> Any:
        return (keys + times.astype(np.uint64) + np.uint64(seed)) % 3

    return Answers(kind="ordinal-queries", n=problem.n, arity=3, answer=answer, size=budget)


def noisy_by_request(request: OracleRequest) -> Answers:
    seed = request.seed

    def answer(request: AnswerRequest) -> Any:
        return (request.keys + request.times.astype(np.uint64) + np.uint64(seed)) % 3

    n = request.problem.n
    return Answers(kind="ordinal-queries", n=n, arity=3, answer=answer, size=request.budget)


def test_an_oracle_of_the_earlier_form_gives_the_same_answers_and_two_notes() -> None:
    problem = points(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answers = make_answers(Call(noisy_by_request, {}), problem, 4, 7)
    with pytest.warns(hcbench.ModelWarning) as told:
        earlier = make_answers(Call(noisy, {}), problem, 4, 7)
    notes = [str(warning.message).partition(":")[0] for warning in told]
    assert [note.partition(" has")[0] for note in notes] == ["noisy", "noisy.<locals>.answer"]
    assert earlier.size == answers.size == 7
    queries = [[0, 1, 2], [2, 1, 0], [1, 3, 4]] * 2
    assert hcbench.Oracle(earlier).ask(queries).tolist() == (
        hcbench.Oracle(answers).ask(queries).tolist()
    )


def test_answers_of_the_earlier_form_get_the_fields_in_order() -> None:
    request = AnswerRequest(np.zeros((1, 3), int), np.ones(1, np.uint64), np.full(1, 2))
    assert as_taking_request(lambda *fields: fields)(request) == (
        request.queries,
        request.keys,
        request.times,
    )


def test_a_function_of_one_argument_answers_a_request_whatever_its_name() -> None:
    answers = Answers(
        kind="ordinal-queries", n=3, arity=3, answer=lambda asked: [2] * len(asked.queries)
    )
    assert hcbench.Oracle(answers).ask([[0, 1, 2]]).tolist() == [2]


@pytest.mark.slow
def test_data_sets_that_are_made_of_others_know_those_of_plugin_files(
    file: Path, tmp_path: Path
) -> None:
    datasets = ["subsample[of=towns]", "cut-of[data=towns,tree=InOrder,law=top-k,k=3]"]
    results = hcbench.compare(
        "UPGMA",
        datasets=datasets[:1],
        metrics="AARI",
        plugins=file,
        repetitions=2,
        store=tmp_path / "s.sqlite",
    )
    assert {outcome.status for outcome in results.outcomes} == {"ok"}
    cuts = hcbench.compare(
        "WDP",
        datasets=datasets[1],
        plugins=file,
        repetitions=1,
        store=tmp_path / "s.sqlite",
    )
    assert {outcome.status for outcome in cuts.outcomes} == {"ok"}


def test_a_part_must_be_one_data_set(file: Path) -> None:
    registry = hcbench.load_registry(file)
    (use,) = registry.use_datasets("subsample[of='planted[N0=[3,4]]']")
    with pytest.raises(hcbench.ParameterError, match="means 2 data sets"):
        use.provides  # noqa: B018
    with pytest.raises(UnknownNameError):
        registry.use_datasets("subsample[of=villages]")[0].provides  # noqa: B018


def test_a_data_set_that_is_made_of_a_file_is_not_installed(file: Path) -> None:
    """A process that has made it has run the code of the file."""
    (use,) = hcbench.load_registry(file).use_datasets("subsample[of=towns]")
    assert use.plugin.is_installed
    assert not use.is_installed
    assert use.plugin_files == (str(file),)
    (installed,) = hcbench.load_registry(file).use_datasets("subsample[of=iris]")
    assert installed.is_installed


def test_a_spec_without_a_registry_cannot_be_made_of_others() -> None:
    spec = DatasetSpec(
        name="other",
        function=points_of_request,
        doc="",
        provides=lambda params, parts: parts[0].provides,
        parts=lambda params: {"datasets": ["iris"]},
    )
    use = hcbench.registry.make_use(spec, hcbench.registry.Plugin("x", "x", ""), {})
    with pytest.raises(hcbench.HcbenchError, match="there is no registry"):
        use.provides  # noqa: B018
    with_registry = hcbench.registry.make_use(
        spec, hcbench.registry.Plugin("x", "x", ""), {}, hcbench.load_registry()
    )
    assert "vectors" in with_registry.provides
