"""What holds for all tests."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

from hcbench.run import executors
from hcbench.run.workers.connections import ServerProcess
from tests.inline import cells_in_this_process

# A call may compile a kernel first, and other work may run on the machine: no test has a deadline.
# Each run draws other examples.
settings.register_profile("any machine", deadline=None, max_examples=50)
settings.load_profile("any machine")

# What changes how things are printed, found or computed, here and in processes that tests start.
_OUTSIDE = {
    *("CI", "COLORTERM", "COLUMNS", "FORCE_COLOR", "LINES", "NO_COLOR", "SHELL", "TERM"),
    *("TTY_COMPATIBLE", "TTY_INTERACTIVE", "LANG", "LANGUAGE", "TZ", "MPLBACKEND"),
    *("PYTHONHASHSEED", "PYTHONIOENCODING", "PYTHONOPTIMIZE", "PYTHONUTF8", "PYTHONWARNINGS"),
}
_FAMILIES = ("DASK_", "GIT_", "HCBENCH_", "LC_", "PG", "_HCBENCH_")
# What almost every run imports in its workers.
_USUAL = ("hcbench_metrics", "hcbench_vectors", "sklearn.datasets")
_KEPT = "HCBENCH_DATA"  # the public data sets: what needs them skips where they are not


def pytest_configure() -> None:
    """Let no test depend on who runs it where; a test that wants a variable sets it."""
    for name in list(os.environ):
        if name != _KEPT and (name in _OUTSIDE or name.startswith(_FAMILIES)):
            del os.environ[name]
    # Nobody's own results are touched: a test that keeps some says where.
    os.environ["HCBENCH_STORE"] = f"{os.devnull}/store.sqlite"
    # Started by nohup, or in the background of a script, a process ignores these signals, and so
    # would all that it starts; unlike that, a handler is not inherited.
    for number in (signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, _ignore)
    executors.PRELOADED += _USUAL


@pytest.fixture
def own_fork_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This test starts and ends a fork server of its own, which has imported little."""
    monkeypatch.setattr(executors, "PRELOADED", executors.PRELOADED[: -len(_USUAL)])
    ServerProcess.retire()
    yield
    ServerProcess.retire()


@pytest.fixture
def in_process() -> Iterator[None]:
    """Cells run in this process, for tests of what comes out and not of how it is isolated."""
    with cells_in_this_process():
        yield


def _ignore(*_: object) -> None:
    pass
