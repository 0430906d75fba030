"""Messages are data: what is read is what was expected, or an error."""

from __future__ import annotations

import json
import pickle
import random
from contextlib import suppress

import numpy as np
import pytest

from hcbench import HeightKind, Partition, Tree
from hcbench.model.cost import Cost
from hcbench.plan.outcome import Outcome, ScoredPoint, Value
from hcbench.run.executors import read_outcome
from hcbench.run.workers.encoding import EncodingError, decode, encode
from hcbench.run.workers.messages import Limits, Order, Result

TREE = Tree([3, 3, 4, 4, -1], [0, 0, 0, 1, np.inf], HeightKind.DISTANCE, ["a", "\ud800", "\x1b"])
OUTCOME = Outcome(
    seed=10**40,
    budget="5USD",
    status="unanswered",
    reason="\ud800 and \x1b[31m",
    cost=Cost(seconds=np.float64(0.1), peak_bytes=np.int64(3)),  # type: ignore[arg-type]
    load=1e-300,
    notes=("a note", ""),
    points=(
        ScoredPoint(checkpoint=3, queries=5, result=Partition([0, 1, 1])),
        ScoredPoint(
            result=TREE, values={"AARI": Value(0.1 + 0.2), "x": Value(None, "error", "why")}
        ),
    ),
)


def test_outcomes_and_messages_come_back_as_they_were() -> None:
    assert read_outcome(encode(OUTCOME)) == OUTCOME
    assert read_outcome(encode(None)) is None
    order = Order(7, b"\x00\xff", Limits(seconds=0.5, memory=10**12))
    assert decode(encode(order), Order) == order
    returned = decode(encode(Outcome(points=(ScoredPoint(values={"x": Value(np.nan)}),))), Outcome)
    assert np.isnan(returned.points[0].values["x"].value)


@pytest.mark.parametrize(
    "content",
    [
        pickle.dumps(OUTCOME),
        b"",
        encode(Result(1, "done")),
        encode(["Outcome"]),
        encode(Outcome(reason=1)),  # type: ignore[arg-type]
        encode(Outcome(notes="text")),  # type: ignore[arg-type]
        encode(Outcome(status="fine")),  # type: ignore[arg-type]
        encode(Outcome(cost=Cost(seconds="1"))),  # type: ignore[arg-type]
        encode(Outcome(points=(ScoredPoint(values={"x": Value(True)}),))),
        encode(Outcome(points=(ScoredPoint(result=b"no tree"),))),  # type: ignore[arg-type]
        encode(Outcome()).replace(b"]]", b',"a further field"]]'),
        (10**5).to_bytes(8, "big") + b"[" * 10**5,
        (10**4).to_bytes(8, "big") + b"9" * 10**4,
    ],
)
def test_anything_else_is_refused(content: bytes) -> None:
    with pytest.raises(EncodingError):
        read_outcome(content)


def test_changed_bytes_are_an_outcome_or_refused() -> None:
    draw, content = random.Random(0), encode(OUTCOME)
    for _ in range(200):
        changed = bytearray(content)
        for _ in range(draw.randrange(1, 4)):
            changed[draw.randrange(len(changed))] = draw.randrange(256)
        with suppress(EncodingError):
            assert isinstance(read_outcome(bytes(changed)), Outcome | None)


def test_bytes_are_not_in_the_text() -> None:
    content = encode(Result(1, "done", b"\x80" * 1000))
    text = content[8 : 8 + int.from_bytes(content[:8], "big")]
    assert json.loads(text)[1][2] == [0, 1000]
