"""Progress of a run: finished, failed, remaining and running cells, and time."""

from __future__ import annotations

import errno
import io
import math
from typing import Any

import pytest
from rich.console import Console

from hcbench.cli.progress import Bar, Lines, RunProgress, display
from hcbench.plan import Outcome


class Clock:
    """A clock that a test advances."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def outcome(algorithm: str, dataset: str = "iris", **fields: Any) -> Outcome:
    return Outcome(
        key="k", algorithm=algorithm, dataset=dataset, oracle="", repetition=0, seed=0, **fields
    )


def test_the_remaining_time_accounts_for_slow_cells(clock: Clock) -> None:
    progress = RunProgress(Lines(clock), clock)
    progress.started(24, 2, {("quick", "iris"): 11, ("slow", "iris"): 11})
    assert progress.seconds_left == math.inf
    for _ in range(10):
        progress.finished(outcome("quick"), 1.0)
    progress.finished(outcome("slow"), 100.0)
    clock.now += 55.0  # two at a time
    # One quick cell of 1 s and ten slow ones of 100 s, at that pace; the mean of all finished
    # ones gives 11 * 5 s instead.
    assert progress.seconds_left == pytest.approx((1 + 10 * 100) / 2)
    assert str(progress) == "13 of 24 cells, 11 left, about 8:20 min"


def test_unseen_cells_are_estimated_by_the_algorithm_then_by_all(clock: Clock) -> None:
    progress = RunProgress(Lines(clock), clock)
    progress.started(5, 0, {("a", "iris"): 1, ("a", "wine"): 1, ("b", "iris"): 2, ("c", "iris"): 1})
    progress.finished(outcome("a"), 2.0)
    progress.finished(outcome("b"), 6.0)
    clock.now += 8.0
    assert progress.seconds_left == math.inf  # the first cells include compilation
    progress.finished(outcome("b"), 4.0)
    clock.now += 4.0
    assert progress.seconds_left == pytest.approx(2.0 + (2.0 + 6.0 + 4.0) / 3)
    progress.finished(outcome("a", "wine"), 2.0)
    progress.finished(outcome("c"), 2.0)
    assert progress.seconds_left == 0.0
    assert str(progress) == "5 of 5 cells"


def test_progress_lines_show_failures_and_running_cells(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = RunProgress(Lines(clock), clock)
    lines.started(1003, 2, {("a", "iris"): 1001})
    now = [("a on iris", "algorithm", 3.0), ("a on wine", "metrics", 61.0)]
    for _ in range(100):
        clock.now += 0.25
        lines.finished(outcome("a", status="error", reason="no"), 0.5)
        lines.running(now)
    told = capsys.readouterr().err.splitlines()
    assert told == [
        "hcbench: 1,003 cells, 2 of them stored already",
        "hcbench: a on iris, repetition 0: error: no",
        "hcbench: 6 of 1,003 cells, 4 failed, 997 left, about 4:09 min; "
        "now a on wine (metrics, 1:01 min)",
        "hcbench: 46 of 1,003 cells, 44 failed, 957 left, about 3:59 min; "
        "now a on wine (metrics, 1:01 min)",
        "hcbench: 86 of 1,003 cells, 84 failed, 917 left, about 3:49 min; "
        "now a on wine (metrics, 1:01 min)",
    ]


def test_progress_lines_tell_what_is_new_in_the_first_minute(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = RunProgress(Lines(clock), clock)
    lines.started(2, 0, {("a", "iris"): 2})
    capsys.readouterr()

    def told_after(seconds: float, phase: str) -> str:
        clock.now += seconds
        lines.running([("a on iris", phase, 3.0)])
        return capsys.readouterr().err.rpartition("now ")[2]

    assert told_after(0.5, "import") == ""
    assert told_after(0.5, "import") == "a on iris (import, 3 s)\n"
    assert told_after(2.0, "import") == ""
    assert told_after(0.1, "data") == "a on iris (data, 3 s)\n"
    assert told_after(0.1, "oracle") == ""
    assert told_after(9.9, "data") == "a on iris (data, 3 s)\n"
    assert told_after(60.0, "oracle") == "a on iris (oracle, 3 s)\n"
    assert told_after(2.0, "metrics") == ""


def test_a_terminal_has_a_bar_and_continuous_integration_lines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # rich takes stderr for a terminal then.
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("CI", raising=False)
    with display(quiet=False) as shown:
        assert isinstance(shown, Bar)
    monkeypatch.setenv("CI", "true")
    with display(quiet=False) as shown:
        assert isinstance(shown, Lines)
    with display(quiet=True) as shown:
        assert shown is None


class ClosingTerminal(io.StringIO):
    """A terminal that is closed, and whose signal arrives while the next text is made."""

    def __init__(self) -> None:
        super().__init__()
        self.is_closed = False
        self.signals = 0

    @property
    def encoding(self) -> str:  # type: ignore[override]
        if self.signals:
            self.signals -= 1
            raise KeyboardInterrupt
        return "utf-8"

    def write(self, text: str) -> int:
        if self.is_closed:
            raise OSError(errno.EIO, "Input/output error")
        return super().write(text)


def test_the_signal_of_a_closed_terminal_is_not_lost_in_the_bar() -> None:
    terminal = ClosingTerminal()
    bar = Bar(Console(file=terminal, force_terminal=True))
    bar.show(1, 5, lambda: ["1 of 5"])
    drawn = terminal.getvalue()
    assert "1 of 5" in drawn
    terminal.is_closed = True
    bar.tell("nobody reads this, and nothing ends")
    terminal.signals = 1
    with pytest.raises(KeyboardInterrupt):
        bar.tell("a failure")
    bar.close()
    assert terminal.getvalue() == drawn
