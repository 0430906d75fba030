"""Outcomes in columns: each is the outcome that was given, whatever was chosen or joined."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from hcbench.model.cost import Cost
from hcbench.plan import Outcome
from hcbench.plan.columns import Outcomes
from hcbench.plan.outcome import ScoredPoint, Value
from hcbench.plan.values import Coded

MISSING = Value(None, "skipped", "needs a truth")
LOST = Value(None, "error", "its worker ended", final=False)
GIVEN = [
    Outcome(
        key=f"k{i}",
        algorithm="AB"[i % 2],
        dataset="D",
        repetition=i // 2,
        budget=(5, "5USD", None)[i % 3],
        cost=Cost(seconds=i / 8, queries=i),
        notes=("one", "two")[: i % 3],
        points=points,
        status=status,  # type: ignore[arg-type]
    )
    for i, (status, points) in enumerate(
        [
            ("ok", (ScoredPoint(values={"M": Value(0.5), "N": MISSING}),)),
            ("ok", (ScoredPoint(checkpoint=3, queries=2, values={"M": Value(math.inf)}),)),
            ("error", ()),
            (
                "ok",
                (
                    ScoredPoint(checkpoint=3, queries=3, values={"M": LOST}),
                    ScoredPoint(checkpoint=9, queries=8, values={"M": Value(0.25)}),
                    ScoredPoint(
                        values={"N": Value(1.0, "ok", "see M"), "x (reported)": Value(2.0)}
                    ),
                ),
            ),
        ]
    )
]


def test_outcomes_come_back_from_columns() -> None:
    columns = Outcomes.of(GIVEN)
    assert [*columns] == GIVEN
    assert columns[-1] == GIVEN[-1]
    assert [*columns[1:3]] == GIVEN[1:3]
    assert [*columns.take([3, 0])] == [GIVEN[3], GIVEN[0]]
    assert [*columns.take(columns.failed)] == [GIVEN[2]]
    assert [*columns.where("budget", {"5USD", None})] == [GIVEN[1], GIVEN[2]]
    assert Outcomes.of(columns) is columns
    assert [*Outcomes.of([])] == []


def test_equal_objects_of_different_types_remain_different() -> None:
    objects = [1, True, "1", 1.0, None, (1,), 1, "1"]
    column = Coded.of(objects)
    taken = column.take(np.arange(len(objects))).tolist()
    assert [*map(repr, taken)] == [*map(repr, objects)]
    assert column.objects.size == 6
    assert Coded.of([]).take(np.arange(0)).size == 0


def test_parts_are_joined_in_their_order() -> None:
    parts = [Outcomes.of(GIVEN[2:]).take([1, 0]), Outcomes.of([]), Outcomes.of(GIVEN[:2])]
    assert [*Outcomes.joined(parts)] == [GIVEN[3], GIVEN[2], GIVEN[0], GIVEN[1]]
    assert [*Outcomes.joined(parts[1:2])] == []


def test_points_are_listed_by_checkpoint_and_the_end_holds_what_came_nowhere() -> None:
    listed = {count: places.tolist() for count, places in Outcomes.of(GIVEN).points}
    assert listed == {3: [1, 3], 9: [3], None: [0, 2, 3]}
    assert [*listed] == [3, 9, None]
    alone = Outcomes.of(GIVEN[2:3])
    assert [(count, places.tolist()) for count, places in alone.points] == [(None, [0])]


def test_values_are_numbers_or_reasons_or_were_not_computed() -> None:
    columns = Outcomes.of(GIVEN)
    at_three = columns.values("M", 3)
    assert at_three.present.tolist() == [False, True, False, True]
    assert at_three.has_number.tolist() == [True, True, True, False]
    assert at_three[1] == Value(math.inf)
    assert at_three[3] == at_three[-1] == LOST
    assert at_three[1::2] == [Value(math.inf), LOST]
    with pytest.raises(IndexError):
        at_three[4]
    assert columns.values("N", None)[3] == Value(1.0, "ok", "see M")
    assert columns.metric_failed.tolist() == [False, False, False, True]
    assert columns.labels == ["M", "N", "x (reported)"]
    nan = Outcomes.of([replace(GIVEN[0], points=(ScoredPoint(values={"M": Value(math.nan)}),))])
    assert nan.values("M", None).has_number.tolist() == [True]
    assert math.isnan(nan[0].points[0].values["M"].value or 0.0)


def test_costs_at_a_checkpoint_are_the_queries_until_then() -> None:
    columns = Outcomes.of(GIVEN)
    assert columns.costs("queries", 3).tolist() == [None, 2, None, 3]
    assert columns.costs("seconds", 3).tolist() == [None] * 4
    assert columns.costs("seconds", None).tolist() == [0, 1 / 8, 2 / 8, 3 / 8]


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 1, 0]])
def test_labels_and_values_are_replaced_in_those_that_are_named(order: list[int]) -> None:
    columns = Outcomes.of(GIVEN).take(order)
    renamed = columns.renamed({"k3": ("C", "E", "o"), "unknown": ("", "", "")})
    changed = replace(GIVEN[3], algorithm="C", dataset="E", oracle="o")
    assert [*renamed] == [changed if i == 3 else GIVEN[i] for i in order]
    see = columns.with_value("M", MISSING, np.array([i == 3 for i in order]))
    points = tuple(replace(p, values={**p.values, "M": MISSING}) for p in GIVEN[3].points)
    assert [*see] == [replace(GIVEN[3], points=points) if i == 3 else GIVEN[i] for i in order]
    assert [*columns] == [GIVEN[i] for i in order]
    assert np.array_equal(columns.places, order)
