"""Messages are data: what is read is what was expected, or an error."""

from __future__ import annotations

import pickle
import random
from contextlib import suppress

import numpy as np
import pytest

from hcbench import HeightKind, Partition, Tree
from hcbench.model.cost import Cost
from hcbench.plan.outcome import Outcome, ScoredPoint, Value
from hcbench.run.executors import read_outcome
from hcbench.run.workers.encoding import EncodingError, OutcomeMessage, decode, encodable, encode
from hcbench.run.workers.messages import (
    Finished,
    Fork,
    FromServer,
    Limits,
    Order,
    Ready,
    Started,
    ToServer,
)

TREE = Tree([3, 3, 4, 4, -1], [0, 0, 0, 1, np.inf], HeightKind.DISTANCE, ["a", "\ud800", "\x1b"])
OUTCOME = Outcome(
    seed=2**63,
    budget="5USD",
    status="unanswered",
    reason=encodable("\ud800 and \x1b[31m"),
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
    returned = read_outcome(encode(Outcome(points=(ScoredPoint(values={"x": Value(np.nan)}),))))
    assert returned is not None
    assert np.isnan(returned.points[0].values["x"].value)


@pytest.mark.parametrize(
    "content",
    [
        pickle.dumps(OUTCOME),
        b"",
        encode(Finished(1, "done")),
        encode(["Outcome"]),
        encode(Outcome(reason=1)),  # type: ignore[arg-type]
        encode(Outcome(notes="text")),  # type: ignore[arg-type]
        encode(Outcome(status="fine")),  # type: ignore[arg-type]
        encode(Outcome(cost=Cost(seconds="1"))),  # type: ignore[arg-type]
        encode(Outcome(points=(ScoredPoint(values={"x": Value(True)}),))),
        encode(Outcome(points=(ScoredPoint(result=TREE),))).replace(b"parent", b"tnerap"),
        encode(Outcome()) + b"\x00",
        b"\x91" * 10**5,
        b"\xdd\xff\xff\xff\xff",
        encode(OutcomeMessage(Outcome(points=(ScoredPoint(result="a tree"),)))),  # type: ignore[arg-type]
        b"\xc7\x03\x02abc",
        b"\xc7\x03\x01abc",
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


def test_messages_are_told_apart_by_their_names() -> None:
    assert decode(encode(Ready()), FromServer) == Ready()
    assert decode(encode(Started(1, 2)), FromServer) == Started(1, 2)
    with pytest.raises(EncodingError):
        decode(encode(Fork(1)), FromServer)
    with pytest.raises(EncodingError):
        decode(encode(Started(1, 2)), ToServer)


def test_lone_surrogates_are_written_out() -> None:
    assert encodable("a\ud800b") == "a\\ud800b"
    assert encodable("añ\U0001f600") == "añ\U0001f600"
