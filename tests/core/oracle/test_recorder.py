"""An algorithm sees what it may use; what it leaves behind is read by a recorder."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hcbench.oracle import Answers, Oracle, Recorder

#: What an algorithm may use, as the documentation has it.
PUBLIC = {
    *("ask", "read", "run", "draw"),
    *("record", "due", "until_due", "checkpoints"),
    *("report", "report_cost", "report_process"),
    *("kind", "query_kind", "n", "ledger", "details", "takes_unsure", "PATIENCE"),
}


def make_oracle(budget: int | None = None) -> Oracle:
    def answer(request: Any) -> Any:
        return np.ones(len(request.queries), np.int8)

    return Oracle(Answers(kind="pair-queries", n=5, arity=2, answer=answer), budget)


def test_an_oracle_shows_what_an_algorithm_may_use() -> None:
    assert {name for name in dir(Oracle) if not name.startswith("_")} == PUBLIC


def test_an_oracle_does_not_hold_its_recorder() -> None:
    oracle = make_oracle()
    recorder = Recorder(oracle)
    held = [getattr(oracle, name) for name in Oracle.__slots__ if hasattr(oracle, name)]
    assert not any(value is recorder or isinstance(value, Recorder) for value in held)


def test_a_recorder_reads_what_the_algorithm_has_stated() -> None:
    oracle = make_oracle()
    recorder = Recorder(oracle)
    result: Any = object()
    oracle.ask([[0, 1], [1, 2]])
    oracle.record(result)
    oracle.report(iterations=3)
    oracle.report_process(peak_bytes=50, first_use=True)
    oracle.report_process(peak_bytes=40)
    assert [(point.queries, point.result) for point in recorder.trace] == [(2, result)]
    assert recorder.reported == {"iterations": 3.0}
    assert (recorder.child_peak, recorder.first_use) == (50, True)
    assert recorder.is_sound


def _replace_ledger(oracle: Any) -> None:
    oracle.ledger = make_oracle().ledger


def _replace_account(oracle: Any) -> None:
    oracle._account = make_oracle()._account


def _replace_clock(oracle: Any) -> None:
    oracle._clock = lambda: 0.0


def _write_counts(oracle: Any) -> None:
    oracle.ledger._account.counters[0] = 0


def _raise_budget(oracle: Any) -> None:
    other = make_oracle(budget=99)
    oracle.ledger._account = other._account
    oracle._account = other._account


@pytest.mark.parametrize(
    "cheat", [_replace_ledger, _replace_account, _replace_clock, _write_counts, _raise_budget]
)
def test_a_recorder_sees_that_the_oracle_was_changed(cheat: Any) -> None:
    oracle = make_oracle(budget=9)
    recorder = Recorder(oracle)
    oracle.ask([[0, 1], [1, 2]])
    assert recorder.is_sound
    cheat(oracle)
    assert not recorder.is_sound
