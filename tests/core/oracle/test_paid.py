"""Oracles whose answers cost money: what the ledger counts, budgets, and what is stored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hcbench
from hcbench import UNSURE, Answers, Oracle, Reply
from hcbench.errors import (
    BudgetExceededError,
    InvalidAnswerError,
    ParameterError,
    UnansweredError,
)
from hcbench.model.cost import read_budget
from hcbench.oracle import Recorder
from hcbench.plan.plan import make_plan
from hcbench.store import Store
from hcbench.store.merge import merge_stores

PLUGIN = """
from hcbench import (Answers, DatasetSpec, OracleError, OracleSpec, Parameter, Problem, Reply,
                     hookimpl)

ASKED, AWAY = [], [float("inf")]

def paid(problem, seed, budget):
    def replies(questions, keys, times):
        for row, items in enumerate(questions.tolist()):
            if len(ASKED) >= AWAY[0]:
                raise OracleError("the server is away")
            ASKED.append(tuple(items))
            yield Reply(row, 2, 0.01, 10, 0.5)

    return Answers(kind="ordinal-queries", n=problem.n, arity=3, replies=replies, timed=False,
                   source="the last one")

def items(seed, *, n):
    return Problem(n=n, names=tuple(map(str, range(n))))

@hookimpl
def hcbench_oracles():
    return [OracleSpec(name="paid", function=paid, doc="Paid.", kind="ordinal-queries",
                       needs=(), currency="USD", price=lambda: 0.01),
            OracleSpec(name="unpriced", function=paid, doc="Paid.", kind="ordinal-queries",
                       needs=(), currency="USD", price=lambda: 0.0)]

@hookimpl
def hcbench_datasets():
    return [DatasetSpec(name="items", function=items, doc="Items.", provides=(),
                        random=False, parameters=(Parameter("n", 6, "Number of items."),))]
"""


def caterpillar(asked: list[Any], price: float = 0.25, **settings: Any) -> Answers:
    """Of three items the last is the odd one out; the answers arrive in reverse order."""

    def replies(request: Any) -> Iterator[Reply]:
        questions = request.queries
        times = request.times
        for row in range(len(questions) - 1, -1, -1):
            asked.append((questions[row].tolist(), int(times[row])))
            yield Reply(row, 2, price, 100, 0.5)

    return Answers(
        kind="ordinal-queries", n=9, arity=3, replies=replies, **{"timed": False, **settings}
    )


def test_a_question_is_paid_once_however_its_items_stand() -> None:
    asked: list[Any] = []
    oracle = Oracle(caterpillar(asked))
    assert oracle.ask([[0, 1, 2], [2, 1, 0], [5, 4, 3]]).tolist() == [2, 0, 0]
    assert oracle.ask([[1, 2, 0]]).tolist() == [1]
    assert asked == [([3, 4, 5], 0), ([0, 1, 2], 0)]
    ledger = oracle.ledger
    assert (ledger.queries, ledger.distinct_queries, ledger.rounds) == (4, 2, 2)
    assert ledger.expenses == {"price": 0.5, "tokens": 200, "latency": 1.0, "saved": 0}
    assert ledger.is_sound


def test_answers_that_depend_on_how_often_they_are_asked_are_paid_each_time() -> None:
    asked: list[Any] = []
    oracle = Oracle(caterpillar(asked, timed=True))
    oracle.ask([[0, 1, 2], [0, 1, 2]])
    assert sorted(asked) == [([0, 1, 2], 0), ([0, 1, 2], 1)]
    assert oracle.ledger.expenses["price"] == 0.5


def test_stored_answers_count_as_saved() -> None:
    asked: list[Any] = []
    first = Oracle(caterpillar(asked))
    first.ask([[0, 1, 2], [0, 1, 3]])
    second = Oracle(caterpillar(asked))
    Recorder(second).stored = Recorder(first).stored
    second.ask([[3, 1, 0], [0, 1, 4]])
    assert len(asked) == 3
    assert second.ledger.expenses["price"] == 0.5
    assert second.ledger.expenses["saved"] == 0.25


@pytest.mark.parametrize("stored", [False, True])
def test_a_budget_of_money_is_kept_whether_answers_are_stored_or_not(stored: bool) -> None:
    asked: list[Any] = []
    known = Oracle(caterpillar(asked))
    if stored:
        known.ask([[0, 1, k] for k in range(2, 9)])
    oracle = Oracle(caterpillar(asked), budget="1USD")
    Recorder(oracle).stored = Recorder(known).stored
    assert oracle.ledger.left is None, "no price is known yet"
    oracle.ask([[0, 1, 2], [0, 1, 3]])
    assert (oracle.ledger.left, oracle.until_due) == (2, 2)
    with pytest.raises(BudgetExceededError, match=r"3 more ordinal-queries exceed .* 1USD: 2 left"):
        oracle.ask([[0, 1, 4], [0, 1, 5], [0, 1, 6]])
    assert oracle.ledger.queries == 2, "a batch that is refused costs nothing"
    oracle.ask([[0, 1, 4], [0, 1, 5]])
    assert oracle.ledger.expenses["price"] == 1.0
    assert oracle.due()
    with pytest.raises(BudgetExceededError):
        oracle.ask([[0, 1, 6]])


def test_a_budget_of_money_refuses_no_query_whose_answer_is_paid() -> None:
    oracle = Oracle(caterpillar([]), budget="1USD")
    oracle.ask([[0, 1, k] for k in range(2, 6)])
    assert oracle.ledger.left == 0
    assert oracle.ask([[1, 2, 0], [0, 1, 5]]).tolist() == [1, 2]
    assert oracle.ledger.expenses["price"] == 1.0
    with pytest.raises(BudgetExceededError, match="1 more ordinal-queries exceed"):
        oracle.ask([[0, 1, 2], [0, 1, 6]])


def test_a_budget_of_money_refuses_no_query_that_is_made_again_for_want_of_an_answer() -> None:
    def replies(request: Any) -> Iterator[Reply]:
        queries = request.queries
        yield from (Reply(row, UNSURE, 0.25) for row in range(len(queries)))

    unsure = replace(caterpillar([]), replies=replies)
    oracle = Oracle(unsure, budget="1USD")
    with pytest.raises(UnansweredError, match="asked 5 times"):
        oracle.ask([[0, 1, 2], [0, 1, 3], [0, 1, 4]])
    assert oracle.ledger.expenses["price"] == 0.75


def test_a_first_batch_beyond_the_budget_costs_one_answer() -> None:
    asked: list[Any] = []
    oracle = Oracle(caterpillar(asked, price=0.1), budget="0.3USD")
    with pytest.raises(BudgetExceededError, match="6 more"):
        oracle.ask([[0, 1, k] for k in [2, 3, 4, 5, 6, 7, 8, 2]])
    assert len(asked) == 1
    assert oracle.ask([[0, 1, 3], [0, 1, 4]]).tolist() == [2, 2], "0.1 + 0.1 + 0.1 are 0.3"


def test_answers_that_become_dearer_end_at_the_budget() -> None:
    asked: list[int] = []

    def dearer(request: Any) -> Iterator[Reply]:
        questions = request.queries
        for row in range(len(questions)):
            asked.append(row)
            yield Reply(row, 2, 0.0, tokens=10.0 * len(asked))

    answers = Answers(kind="ordinal-queries", n=9, arity=3, replies=dearer)
    oracle = Oracle(answers, budget="100tokens")
    with pytest.raises(BudgetExceededError):
        oracle.ask([[0, 1, k] for k in range(2, 9)])
    assert len(asked) <= 5, "10 + 20 + 30 + 40 are all"
    assert oracle.ledger.refused


def test_with_a_budget_of_money_a_batch_is_asked_in_parts_of_twice_the_size() -> None:
    sizes: list[int] = []

    def replies(request: Any) -> Iterator[Reply]:
        queries = request.queries
        keys = request.keys
        times = request.times
        sizes.append(len(queries))
        assert len(set(keys.tolist())) == len(queries)
        assert times.tolist() == [0] * len(queries)
        yield from (Reply(row, 2, 0.1) for row in range(len(queries)))

    oracle = Oracle(replace(caterpillar([]), replies=replies), budget="5USD")
    assert oracle.ask([[0, k, 8] for k in range(1, 8)]).tolist() == [2] * 7
    assert sizes == [1, 2, 4]
    assert (oracle.ledger.queries, oracle.ledger.distinct_queries) == (7, 7)
    without = Oracle(replace(caterpillar([]), replies=replies))
    without.ask([[0, k, 8] for k in range(1, 8)])
    assert sizes == [1, 2, 4, 7]


def test_replies_in_flight_are_stored_when_the_budget_is_exceeded() -> None:
    sent: list[int] = []

    def three_at_a_time(request: Any) -> Iterator[Reply]:
        queries = request.queries
        for start in range(0, len(queries), 3):
            in_flight = list(range(start, min(start + 3, len(queries))))
            sent.extend(in_flight)
            # The first answer is cheap, so that the others are believed to be.
            price = 0.1 if len(sent) == 1 else 0.9
            stopping = False
            for row in in_flight:
                try:
                    yield Reply(row, 2, price)
                except BudgetExceededError:
                    stopping = True
            if stopping:
                return

    oracle = Oracle(replace(caterpillar([]), replies=three_at_a_time), budget="1.5USD")
    oracle.ask([[0, 1, 2]])
    with pytest.raises(BudgetExceededError):
        oracle.ask([[0, k, 8] for k in range(1, 8)])
    assert len(Recorder(oracle).stored) == len(sent)
    assert oracle.ledger.expenses["price"] == pytest.approx(0.1 + 0.9 * (len(sent) - 1))


@pytest.mark.parametrize("cost", [-0.5, float("nan"), float("inf")])
@pytest.mark.parametrize("name", ["price", "tokens", "seconds"])
def test_a_reply_that_gives_money_back_is_refused(name: str, cost: float) -> None:
    def replies(_request: Any) -> Iterator[Reply]:
        yield replace(Reply(0, 2, 0.25), **{name: cost})

    oracle = Oracle(replace(caterpillar([]), replies=replies), budget="1USD")
    with pytest.raises(InvalidAnswerError, match=f"a reply has {name} .*at least 0"):
        oracle.ask([[0, 1, 2]])
    assert oracle.ledger.expenses["price"] == 0
    assert not Recorder(oracle).stored


def test_prices_that_jump_end_at_the_answer_that_exceeds_the_budget() -> None:
    prices = [0.1, 0.5, 0.6, 0.7, 0.8]
    asked: list[int] = []

    def replies(request: Any) -> Iterator[Reply]:
        queries = request.queries
        for row in range(len(queries)):
            asked.append(row)
            yield Reply(row, 2, prices[len(asked) - 1])

    oracle = Oracle(replace(caterpillar([]), replies=replies), budget="1USD")
    with pytest.raises(BudgetExceededError, match="the budget of 1USD is used up"):
        oracle.ask([[0, 1, k] for k in range(2, 7)])
    assert len(asked) == 3, "0.1 + 0.5 + 0.6 are more than 1"
    assert oracle.ledger.refused is True
    assert oracle.ledger.left == 0
    assert len(Recorder(oracle).stored) == 3, "what is paid is kept"


def test_a_stored_answer_is_counted_once() -> None:
    first = Oracle(caterpillar([]))
    first.ask([[0, 1, 2]])
    second = Oracle(caterpillar([]))
    Recorder(second).stored = Recorder(first).stored
    for _ in range(2):
        second.ask([[0, 1, 2]])
    assert second.ledger.expenses == {"price": 0.25, "tokens": 100, "latency": 0.5, "saved": 0.25}


def test_a_missing_number_is_stored_as_unsure() -> None:
    def replies(request: Any) -> Iterator[Reply]:
        queries = request.queries
        yield from (Reply(row, np.nan if row else 3.5) for row in range(len(queries)))

    kind = hcbench.QUERY_KINDS["rating-queries"]
    oracle = Oracle(Answers(kind=kind.name, n=9, arity=2, query_kind=kind, replies=replies))
    Recorder(oracle).prepare(takes_unsure=True)
    np.testing.assert_array_equal(oracle.ask([[0, 1], [0, 2]]), [3.5, np.nan])
    assert [reply.code for reply in Recorder(oracle).stored.values()] == [3.5, UNSURE]


def test_invalid_and_missing_replies_are_errors_and_are_not_stored() -> None:
    def replies(request: Any) -> Iterator[Reply]:
        questions = request.queries
        if questions[0, 2] == 3:
            yield Reply(0, 7)

    oracle = Oracle(Answers(kind="ordinal-queries", n=9, arity=3, replies=replies))
    with pytest.raises(InvalidAnswerError, match="was answered by 7"):
        oracle.ask([[0, 1, 3]])
    with pytest.raises(InvalidAnswerError, match=r"no reply to \[0, 1, 2\]"):
        oracle.ask([[2, 1, 0]])
    assert not Recorder(oracle).stored


def test_quadruplets_and_own_kinds_are_stored_in_their_first_order() -> None:
    def replies(request: Any) -> Iterator[Reply]:
        questions = request.queries
        for row, items in enumerate(questions.tolist()):
            yield Reply(row, UNSURE if 8 in items else 1)

    oracle = Oracle(Answers(kind="quadruplet-queries", n=9, arity=4, replies=replies))
    asked = [[0, 1, 2, 3], [3, 2, 1, 0], [3, 2, 0, 1]]
    assert oracle.ask(asked).tolist() == [1, -1, -1]
    Recorder(oracle).prepare(takes_unsure=True)
    assert oracle.ask([[8, 1, 2, 3]]).tolist() == [UNSURE]
    own = Oracle(Answers(kind="mine", n=9, arity=2, symmetry="ordered", replies=replies))
    assert own.ask([[1, 0], [0, 1]]).tolist() == [1, 1]
    assert list(Recorder(own).stored) == [((1, 0), 0), ((0, 1), 0)]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("1000", 1000),
        (7, 7),
        ("5USD", "5USD"),
        (" 0.50 eur", "0.5EUR"),
        ("5.00 USD", "5USD"),
        ("20000tokens", "20000tokens"),
        (500.0, 500),
        ("2000token", "2000tokens"),
    ],
)
def test_budgets_are_read(written: Any, read: Any) -> None:
    assert read_budget(written) == read
    assert type(read_budget(written)) is type(read)
    assert read_budget(read) == read


@pytest.mark.parametrize("wrong", [500.5, True, None, float("nan"), float("inf")])
def test_a_budget_from_python_is_a_whole_number_of_queries(wrong: Any) -> None:
    with pytest.raises(ParameterError, match="a budget is a number of queries, such as 500; got"):
        read_budget(wrong)


@pytest.mark.parametrize("written", ["5x", "USD", "1k", "-5USD", "1e3USD", ""])
def test_other_budgets_are_refused(written: str) -> None:
    with pytest.raises(ParameterError, match="is not a number of queries"):
        read_budget(written)


@pytest.fixture
def plugin(tmp_path: Path, in_process: None) -> Any:
    """A plugin file with a paid oracle; its module."""
    from hcbench.registry.plugin_files import import_file

    path = tmp_path / "paid.py"
    path.write_text(PLUGIN)
    return import_file(path)


def run(plugin: Any, store: Path, **changes: Any) -> Any:
    settings = {
        "algos": ["InsertionClustering", "QuickClustering"],
        "datasets": ["items"],
        "oracles": ["paid"],
        "metrics": ["queries", "price", "tokens", "latency"],
        "repetitions": 2,
    }
    return hcbench.compare(
        **{**settings, **changes}, plugins=[plugin.__file__], store=store, progress=False
    )


def test_a_budget_of_money_needs_a_price(plugin: Any, tmp_path: Path) -> None:
    """Else it limits nothing: answers cost 0, and real ones are paid without an end."""
    for budget in ("0.001USD", "5USD"):
        with pytest.raises(
            ParameterError, match=r"unpriced: its answers have no price.*5000tokens"
        ):
            run(plugin, tmp_path / "s.sqlite", oracles=["unpriced"], budget=budget)
    run(plugin, tmp_path / "s.sqlite", oracles=["unpriced"], budget="5000tokens")


@pytest.mark.slow
def test_no_answer_is_paid_twice_with_one_store(plugin: Any, tmp_path: Path) -> None:
    store = tmp_path / "results.sqlite"
    outcomes = run(plugin, store).outcomes
    assert {o.status for o in outcomes} == {"ok"}
    assert len(plugin.ASKED) == len(set(plugin.ASKED)), "by two algorithms in two repetitions"
    for outcome in outcomes:
        values = {label: value.value for label, value in outcome.points[-1].values.items()}
        distinct = outcome.cost.distinct_queries
        assert values["price"] == pytest.approx(0.01 * distinct)
        assert values["tokens"] == 10 * distinct
        assert values["latency"] == 0.5 * distinct
    paid = sum(o.cost.price - o.cost.saved for o in outcomes)
    assert paid == pytest.approx(0.01 * len(plugin.ASKED))
    before = len(plugin.ASKED)
    again = run(plugin, store, fresh=True).outcomes
    assert len(plugin.ASKED) == before
    assert [o.cost.price for o in again] == [o.cost.price for o in outcomes]
    assert [o.cost.saved for o in again] == [o.cost.price for o in outcomes]
    run(plugin, store, datasets=["items[n=5]"])
    assert len(plugin.ASKED) > before, "other items are other questions"


@pytest.mark.slow
def test_budgets_of_money_make_runs_each(plugin: Any, tmp_path: Path) -> None:
    results = run(
        plugin, tmp_path / "s.sqlite", budget=["0.05USD", 1000], repetitions=1, metrics=["price"]
    )
    ends = {(o.algorithm, o.budget): o.status for o in results.outcomes}
    assert ends == {
        ("InsertionClustering", "0.05USD"): "budget",
        ("InsertionClustering", 1000): "ok",
        ("QuickClustering", "0.05USD"): "budget",
        ("QuickClustering", 1000): "ok",
    }
    table = results.table
    assert set(table["budget"]) == {"0.05USD", 1000}
    with pytest.raises(ParameterError, match=r"paid is paid in USD, not in EUR: write .* 5USD"):
        run(plugin, tmp_path / "s.sqlite", budget="5EUR")


@pytest.mark.slow
def test_a_cell_whose_oracle_was_away_is_resumed(plugin: Any, tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    plugin.AWAY[0] = 4
    failed = run(plugin, store, algos=["InsertionClustering"], repetitions=1).outcomes[0]
    assert (failed.status, failed.phase, failed.reason) == ("error", "oracle", "the server is away")
    plugin.AWAY[0] = np.inf
    resumed = run(plugin, store, algos=["InsertionClustering"], repetitions=1).outcomes[0]
    assert resumed.status == "ok"
    assert len(plugin.ASKED) == len(set(plugin.ASKED))
    assert resumed.cost.saved == pytest.approx(0.04)


def test_merging_stores_takes_their_answers(tmp_path: Path) -> None:
    query = ((0, 1, 2), 0)
    with Store(tmp_path / "a.sqlite") as source, Store(tmp_path / "b.sqlite") as target:
        source.save_reply("source", query, (2, 0.5, 10, 1.5, 0.9, 7))
        target.save_reply("other", query, (1, 0.25, 5, 1.0, 0.8, -1))
        merge_stores(target, [source])
        assert target.replies("source") == {query: (2, 0.5, 10, 1.5, 0.9, 7)}
        assert target.replies("other") == {query: (1, 0.25, 5, 1.0, 0.8, -1)}


@pytest.mark.parametrize(
    ("algorithm", "budget", "price"),
    [
        ("Bottom-up", None, 0.01 * 20),  # all triples of six items
        ("Bottom-up", 7, 0.07),
        ("Bottom-up", "0.05USD", 0.05),
        ("Bottom-up", "5USD", 0.2),
        ("QuickClustering", None, None),
        ("QuickClustering", "5USD", 5.0),
        ("QuickClustering", "100tokens", None),
    ],
)
def test_the_price_is_bounded_by_the_budget_and_by_the_number_of_queries(
    plugin: Any, algorithm: str, budget: Any, price: float | None
) -> None:
    suite = hcbench.Suite(
        name="",
        algorithms=(algorithm,),
        datasets=("items",),
        oracles=("paid",),
        budgets=() if budget is None else (budget,),
        repetitions=1,
    )
    (cell,) = make_plan(suite, hcbench.load_registry([Path(plugin.__file__)])).cells
    assert cell.expected_price == (None if price is None else pytest.approx(price))
