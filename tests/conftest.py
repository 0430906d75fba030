"""What holds for all tests."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

from hcbench.run.workers import pool
from tests import shared_fork_server

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
    pool.ServerConnection = shared_fork_server.start_fork_server  # type: ignore[assignment,misc]


@pytest.fixture
def own_fork_server() -> Iterator[None]:
    """Each run of this test starts and ends a fork server of its own."""
    with shared_fork_server.set_apart():
        yield


def _ignore(*_: object) -> None:
    pass
