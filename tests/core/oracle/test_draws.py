"""Drawn pairs: counted, free, stored; and the oracle's answers for metrics."""

from __future__ import annotations

import csv
import io
from itertools import combinations_with_replacement, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit

import hcbench
from hcbench import Answers, Oracle, Partition, Problem, compiled
from hcbench.errors import InvalidQueryError
from hcbench.model import AnswerMatrix
from hcbench.model.cost import Cost
from hcbench.oracle import _kernels as naming
from hcbench.oracle.compiled import UNLIMITED
from hcbench.registry.suite import Suite
from hcbench.results.results import Results
from hcbench.run.cell import rescore_job, run_job
from hcbench.run.job import Call, Job, RescoreJob


@njit(cache=True)
def is_even(floats, ints, i, j, k, l, key, time):  # noqa: E741
    """Whether the sum of the items is even."""
    return np.int64((i + j + k + l) % 2 == 0)


def pairs_of(n: int, **kwargs: Any) -> Oracle:
    return Oracle(Answers(kind="pair-queries", n=n, arity=2, compiled=is_even), **kwargs)


# ---- The oracle ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_draws_are_free_and_counted() -> None:
    oracle = pairs_of(9, budget=2)
    drawn = oracle.draw(1000)
    assert drawn.shape == (1000, 2)
    assert (drawn[:, 0] != drawn[:, 1]).all()
    assert set(drawn.ravel().tolist()) == set(range(9))
    assert (oracle.ledger.draws, oracle.ledger.queries, oracle.ledger.left) == (1000, 0, 2)
    oracle.ask(drawn[:2])
    assert (oracle.ledger.draws, oracle.ledger.queries) == (1000, 2)
    assert oracle.ledger.is_sound


def test_pairs_can_be_drawn_from_a_callable() -> None:
    asked = hcbench.ask_oracle("pair-queries", lambda i, j: i == j, n=9)
    assert (asked.draw(50) == pairs_of(9).draw(50)).all()


def test_an_oracle_may_have_its_own_distribution() -> None:
    def draw(start: int, m: int) -> Any:
        return np.column_stack([np.arange(start, start + m), np.zeros(m, np.int64)])

    oracle = Oracle(Answers(kind="pair-queries", n=99, arity=2, compiled=is_even, draw=draw))
    assert oracle.draw(2).tolist() == [[0, 0], [1, 0]]
    assert oracle.draw(1).tolist() == [[2, 0]]
    assert oracle.draw(0).shape == (0, 2)
    assert oracle.draw(1).tolist() == [[3, 0]]


def test_draws_continue_and_are_timed() -> None:
    ticks = iter([0.0, 1.0, 10.0, 13.0])
    oracle = pairs_of(9, clock=lambda: next(ticks))
    parts = [oracle.draw(m) for m in (5, 7)]
    assert oracle.ledger.seconds == 1 + 3
    stream = np.empty((12, 2), np.int64)
    compiled.draw_pairs(0, 9, 0, stream)
    assert np.concatenate(parts).tolist() == stream.tolist()


def test_one_item_and_other_kinds_have_no_draws() -> None:
    ordinal = Oracle(Answers(kind="ordinal-queries", n=5, arity=3, compiled=is_even))
    for oracle in (pairs_of(1), ordinal):
        assert oracle.ledger.draws is None
        with pytest.raises(InvalidQueryError, match="no pairs can be drawn"):
            oracle.draw(1)
    with pytest.raises(InvalidQueryError, match="-1 pairs"):
        pairs_of(3).draw(-1)


def test_until_due_leads_to_the_next_checkpoint_and_to_the_end() -> None:
    oracle = pairs_of(9, budget=7, checkpoints=(2, 5))
    found = []
    while oracle.until_due:
        found.append(oracle.until_due)
        oracle.ask([[0, 1]])
    assert found == [2, 1, 3, 2, 1, 2, 1]
    assert pairs_of(9, checkpoints=(0,)).due()
    assert pairs_of(9, checkpoints=(0, 1)).until_due == 1
    assert pairs_of(9).until_due == UNLIMITED


@pytest.mark.slow
@pytest.mark.parametrize(("arity", "kind"), [(2, "pair-queries"), (3, "ordinal-queries")])
@pytest.mark.parametrize("timed", [True, False])
def test_each_set_of_items_is_one_query(arity: int, kind: str, timed: bool) -> None:
    n = 7
    sets = list(combinations_with_replacement(range(n), arity))
    questions = [order for items in sets for order in permutations(items)]
    answers = Answers(kind=kind, n=n, arity=arity, compiled=is_even, timed=timed)
    oracle = Oracle(answers)
    oracle.ask(questions)
    assert oracle.ledger.distinct_queries == len(sets)
    assert oracle.ledger.is_sound


def test_queries_are_numbered_without_gaps() -> None:
    """One number for each multiset, up to the 2^30 that have a bit each."""
    numbers = {
        naming._tetrahedron(i, j, k) for i, j, k in combinations_with_replacement(range(9), 3)
    }
    assert numbers == set(range(9 * 10 * 11 // 6))
    for arity, most in ((2, 46_340), (3, 1859)):
        assert naming.numbering(naming.UNORDERED, arity, most)[1] <= 2**30
        assert naming.numbering(naming.UNORDERED, arity, most + 1) == (naming.NOT, 0)
    assert naming.numbering(naming.ORDERED, 2, 5) == (naming.NOT, 0)


def test_fit_draws_from_a_callable() -> None:
    """All algorithms draw from the same stream."""
    seen = []

    def draws(oracle: Any, items: Any, rng: Any) -> Partition:
        seen.append(oracle.draw(5))
        return Partition(np.zeros(items.n, np.int64))

    oracle = hcbench.ask_oracle("pair-queries", lambda i, j: True, n=6)
    draws(oracle, Problem(n=6), None)
    assert (seen[0] == pairs_of(6).draw(5)).all()


# ---- Cells ---------------------------------------------------------------------------------------


def even_or_odd(_request: Any) -> Problem:
    return Problem(n=6, levels=np.array([[0], [1]] * 3))


def parity(request: Any) -> Answers:
    problem = request.problem
    seed = request.seed
    truth = Partition(np.arange(problem.n) % 2)
    return Answers(
        kind="pair-queries",
        n=problem.n,
        arity=2,
        compiled=is_even,
        matrix=AnswerMatrix(truth, noise=seed / 400),
    )


def draws_and_asks(oracle: Any, items: Any, rng: Any) -> Partition:
    oracle.ask(oracle.draw(4)[:3])
    return Partition(np.zeros(items.n, np.int64))


def heard(scored: hcbench.Scored) -> float:
    assert scored.answers is not None
    assert scored.answers is scored.answers, "made once"
    assert isinstance(scored.result, Partition)
    return scored.answer_matrix.disagreements(scored.result)


def drawn(scored: hcbench.Scored) -> float:
    return float(scored.cost.draws or 0)


def make_job(**changes: Any) -> Job:
    values: dict[str, Any] = {
        "dataset": Call(even_or_odd, {}),
        "oracle": Call(parity, {}),
        "algorithm": Call(draws_and_asks, {}),
        "data_key": "even or odd",
        "data_seed": 1,
        "noise_seed": 100,
        "algorithm_seed": 3,
        "provides": frozenset({"levels"}),
        "hints": (),
        "returns": "partition",
        "budget": None,
        "checkpoints": (),
        "metrics": {"heard": Call(heard, {}), "drawn": Call(drawn, {})},
    }
    return Job(**{**values, **changes})


@pytest.mark.slow
def test_a_metric_gets_the_answers_of_the_algorithm() -> None:
    done = run_job(make_job())
    assert done.status == "ok", done.reason
    assert (done.cost.queries, done.cost.draws) == (3, 4)
    values = {name: value.value for name, value in done.points[0].values.items()}
    assert values == {"heard": 9 * 0.75 + 6 * 0.25, "drawn": 4.0}, "9 pairs of 15; noise: the seed"


def test_stored_results_are_scored_with_the_same_answers() -> None:
    first = run_job(make_job())
    again = rescore_job(RescoreJob(make_job(), first.cost, first.points))
    assert again.points[0].values == first.points[0].values


# ---- The store -----------------------------------------------------------------------------------


def test_draws_are_stored_shown_and_exported(tmp_path: Path) -> None:
    from hcbench.plan.outcome import Outcome, ScoredPoint
    from hcbench.store import Store

    outcome = Outcome(
        key="0" * 32,
        algorithm="a",
        dataset="d",
        oracle="pair-queries",
        repetition=0,
        seed=0,
        cost=Cost(queries=3, draws=2**40),
        points=(ScoredPoint(queries=3),),
    )
    with Store(tmp_path / "store.sqlite") as store:
        run = store.begin_run(command="c", suite="s", environment={})
        store.save(run, [outcome], {})
        (found,) = store.find([outcome.key], {})
    assert (found.cost.draws, found.cost.queries) == (2**40, 3)
    results = Results([found], (), Suite(name="s"))
    assert [row["draws"] for row in results.rows] == [2**40]
    (row,) = csv.DictReader(io.StringIO(results.to_csv()))
    assert row["draws"] == str(2**40)
