"""Answers that are numbers, what oracles tell of an answer, and queries about many items."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from hcbench import QUERY_KINDS, UNSURE, Answers, Oracle, QueryKind, Reply, ask_oracle
from hcbench.errors import InvalidAnswerError, InvalidQueryError, UnansweredError
from hcbench.oracle import Choice, Recorder
from hcbench.run.inputs import synthetic_answers

FIVE = QueryKind(
    name="odd-of-five",
    arity=5,
    symmetry="unordered",
    argument="",
    text="Which is the odd one out?",
    choices=tuple(Choice(str(k), k) for k in range(5)),
)
CLOSEST = replace(FIVE, name="closest-to-first", symmetry="ordered")


def test_ratings_are_numbers_that_are_counted_once_for_both_orders_of_a_pair() -> None:
    oracle = ask_oracle("rating-queries", lambda i, j: 9 / (1 + abs(i - j)), n=5)
    ratings = oracle.ask([(0, 1), (1, 0), (2, 2), (0, 2)])
    assert ratings.dtype == np.float64
    assert ratings.tolist() == [4.5, 4.5, 9.0, 3.0]
    assert (oracle.ledger.queries, oracle.ledger.distinct_queries) == (4, 3)


@pytest.mark.parametrize("wrong", [9.5, -0.1, "high", 1j])
def test_a_rating_outside_of_its_scale_is_refused(wrong: Any) -> None:
    oracle = ask_oracle("rating-queries", lambda *_: wrong, n=5)
    with pytest.raises(InvalidAnswerError, match=r"\[3, 1\] was .* number from 0 to 9, or NaN"):
        oracle.ask([(3, 1)])


@pytest.mark.parametrize("nothing", [UNSURE, np.nan])
def test_a_rating_that_is_missing_is_asked_for_again_or_nan(nothing: float) -> None:
    answers = [[3.5, nothing, 1.0], [7.0]]
    oracle = ask_oracle("rating-queries", lambda *_: answers.pop(0), n=4, vectorized=True)
    assert oracle.ask([(0, 1), (0, 2), (0, 3)]).tolist() == [3.5, 7.0, 1.0]
    assert oracle.ledger.queries == 4
    never = ask_oracle("rating-queries", lambda *_: nothing, n=4)
    with pytest.raises(UnansweredError, match=r"no answer to \[0, 1\], asked 5 times"):
        never.ask([(0, 1)])
    Recorder(never).prepare(takes_unsure=True)
    assert np.isnan(never.ask([(0, 2)])).all()


def test_no_scale_contains_the_code_of_no_answer() -> None:
    with pytest.raises(InvalidQueryError, match="the scale from -5 to 5 contains -2"):
        replace(QUERY_KINDS["rating-queries"], name="my-kind", scale=(-5.0, 5.0))


def test_what_an_oracle_tells_of_its_answers() -> None:
    told = [[(0, 0.5, 3), (UNSURE, 0.0, 4)], [(1, 1.0, 5)]]

    def answer(*_: object) -> Any:
        fields = [("code", "i1"), ("confidence", "f4"), ("annotator", "i4")]
        return np.array(told.pop(0), fields)

    oracle = Oracle(Answers(kind="pair-queries", n=4, arity=2, answer=answer))
    assert oracle.details is None
    assert oracle.ask([(0, 1), (0, 2)]).tolist() == [0, 1]
    assert oracle.details is not None
    assert oracle.details.tolist() == [(0.5, 3), (1.0, 5)]
    told.append([(1, 1.5, 0)])
    with pytest.raises(InvalidAnswerError, match="a confidence is a number from 0 to 1"):
        oracle.ask([(0, 1)])


def test_paid_ratings_are_stored_with_their_details_and_bought_once() -> None:
    asked = []

    def replies(queries: Any, *_: object) -> Any:
        for row, (i, j) in enumerate(queries.tolist()):
            asked.append((i, j))
            code = np.nan if j == 3 else 2.5 * j
            yield Reply(row, code, price=0.1, confidence=0.75, annotator=i)

    answers = Answers(kind="rating-queries", n=4, arity=2, replies=replies, timed=False, source="x")
    first = Oracle(answers)
    Recorder(first).prepare(takes_unsure=True)
    np.testing.assert_array_equal(first.ask([(2, 1), (1, 2), (0, 3)]), [5.0, 5.0, np.nan])
    assert first.details is not None
    assert first.details.tolist() == [(0.75, 1), (0.75, 1), (0.75, 0)]
    assert asked == [(1, 2), (0, 3)]
    again = Oracle(answers)
    Recorder(again).prepare(takes_unsure=True)
    Recorder(again).stored = Recorder(first).stored
    np.testing.assert_array_equal(again.ask([(1, 2), (3, 0)]), [5.0, np.nan])
    assert len(asked) == 2
    assert again.ledger.expenses["saved"] == pytest.approx(0.2)


def test_queries_about_five_items_are_counted_by_their_sets_or_by_their_order() -> None:
    for kind, distinct in ((FIVE, 1), (CLOSEST, 120)):
        oracle = ask_oracle(kind, lambda *items: items.index(max(items)), n=9)
        queries = list(permutations((8, 1, 2, 3, 4)))
        codes = oracle.ask(queries)
        assert [query[code] for query, code in zip(queries, codes, strict=True)] == [8] * 120
        assert (oracle.ledger.queries, oracle.ledger.distinct_queries) == (120, distinct)
        assert oracle.ledger.is_sound
        oracle.ask([(8, 1, 2, 3, 5), (0, 1, 2, 3, 4)])
        assert oracle.ledger.distinct_queries == distinct + 2


def test_the_codes_of_an_own_kind_are_checked() -> None:
    with pytest.raises(InvalidAnswerError, match="was answered by 5; answer with 0 or 1 or 2"):
        ask_oracle(FIVE, lambda *_: 5, n=9).ask([range(5)])


def test_paid_answers_about_five_items_are_those_of_the_set() -> None:
    def replies(queries: Any, *_: object) -> Any:
        for row, items in enumerate(queries.tolist()):
            assert items == sorted(items)
            yield Reply(row, items.index(3))

    oracle = Oracle(Answers(kind=FIVE.name, query_kind=FIVE, n=9, arity=5, replies=replies))
    assert oracle.ask([(3, 8, 1, 0, 2), (8, 0, 3, 1, 2)]).tolist() == [0, 2]
    assert len(Recorder(oracle).stored) == 2, "timed: the second is asked again"


def test_algorithms_warm_up_on_numbers_and_on_many_items() -> None:
    ratings = Oracle(synthetic_answers(Answers(kind="rating-queries", n=9, arity=2), 6))
    assert ratings.ask([(0, 1), (5, 1)]).tolist() == [7.5, 1.5]
    odd = Oracle(synthetic_answers(Answers(kind="odd", query_kind=FIVE, n=9, arity=5), 6))
    assert odd.ask([(0, 5, 1, 2, 3)]).tolist() == [1]


def test_both_ends_of_a_scale_are_answers() -> None:
    oracle = ask_oracle("rating-queries", lambda i, j: 9 * (j - i - 1), n=3)
    assert oracle.ask([(0, 1), (0, 2)]).tolist() == [0, 9]


def test_a_kind_of_ones_own_is_asked_by_its_name_and_in_its_order() -> None:
    oracle = ask_oracle(CLOSEST, lambda *items: items.index(max(items)), n=9)
    assert oracle.kind == "closest-to-first"
    assert oracle.ask([(8, 0, 1, 2, 3), (0, 8, 1, 2, 3)]).tolist() == [0, 1]
    assert oracle.ledger.distinct_queries == 2
    assert CLOSEST.orders == ((0, 1, 2, 3, 4),)
    assert CLOSEST.canonical("edcba") == (tuple("edcba"), (0, 1, 2, 3, 4))
    assert FIVE.canonical("edcba") == (tuple("abcde"), (4, 3, 2, 1, 0))
    assert len(FIVE.orders) == 120


def test_a_no_beside_an_unsure_answer_is_no_tie() -> None:
    answers = iter([False, UNSURE, True, True])
    oracle = ask_oracle("quadruplet-queries", lambda *_: next(answers), n=9)
    Recorder(oracle).prepare(takes_unsure=True)
    queries = [(0, 1, 2, 3), (0, 1, 2, 4), (0, 1, 2, 5)]
    assert oracle.ask(queries).tolist() == [-1, UNSURE, 1]


def test_nothing_was_drawn_before_anything_is_read() -> None:
    oracle = ask_oracle("rating-queries", lambda *_: 1, n=3)
    assert oracle.ledger.drawn == (0.0, 0)
