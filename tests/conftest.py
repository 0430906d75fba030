"""Settings of all tests."""

from __future__ import annotations

import gc
import importlib
import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import settings

import hcbench_ordinal
from hcbench.run import executors
from hcbench.run.workers.connections import ServerProcess
from tests.inline import cells_in_this_process

pytest_plugins = ("tests.attacks",)

# No deadlines: a call may compile a kernel first, and the machine may be busy.
# The same examples are drawn in each run, so that what fails is due to the change at hand; the
# nightly job, with --hypothesis-profile, draws others each night, and many.
for _name, _examples in (("inner loop", 10), ("usual", 30), ("nightly", 300)):
    settings.register_profile(
        _name, deadline=None, max_examples=_examples, derandomize=_name != "nightly"
    )

# Variables that change output, paths or results, here and in processes that tests start.
_OUTSIDE = {
    *("CI", "COLORTERM", "COLUMNS", "FORCE_COLOR", "LINES", "NO_COLOR", "SHELL", "TERM"),
    *("TTY_COMPATIBLE", "TTY_INTERACTIVE", "LANG", "LANGUAGE", "TZ", "MPLBACKEND"),
    *(
        "PYTHONHASHSEED",
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONIOENCODING",
        "PYTHONOPTIMIZE",
        "PYTHONUTF8",
        "PYTHONWARNINGS",
    ),
}
_FAMILIES = ("DASK_", "GIT_", "HCBENCH_", "LC_", "PG", "_HCBENCH_")
# Modules that almost every run imports in its workers.
_USUAL = ("hcbench_metrics", "hcbench_vectors", "sklearn.datasets")
_KEPT = "HCBENCH_DATA"  # the public data sets; tests that need them are skipped without them


def pytest_configure(config: pytest.Config) -> None:
    """Make tests independent of the environment; a test that needs a variable sets it."""
    for name in list(os.environ):
        if name != _KEPT and (name in _OUTSIDE or name.startswith(_FAMILIES)):
            del os.environ[name]
    # The user's results are not touched: a test that stores results says where.
    os.environ["HCBENCH_STORE"] = f"{os.devnull}/store.sqlite"
    # A process started by nohup, or in the background of a script, ignores these signals, and so
    # would its children; a handler, in contrast, is not inherited.
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, _ignore)
    executors.PRELOADED += _USUAL
    settings.load_profile("inner loop" if _in_inner_loop(config) else "usual")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more process than cores, as slow tests wait for other processes."""
    return (os.cpu_count() or 1) + (not _in_inner_loop(config))


def pytest_collection(session: pytest.Session) -> None:
    """Import all kernels and tests; each process of xdist begins with others, to share the work.

    The first to import a kernel compiles it; the first to import a test rewrites its assertions.
    """
    name = os.environ.get("PYTEST_XDIST_WORKER")
    if name is None or session.config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    number, count = int(name.removeprefix("gw")), int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    folder = Path(__file__).parent
    tests = []
    for room in ("core", "plugins"):
        for path in sorted((folder / room).rglob("test_*.py")):
            inside = path.relative_to(folder).with_suffix("")
            tests.append(".".join((__package__, *inside.parts)))
    plugins = Path(hcbench_ordinal.__path__[0]).parent
    kernels = sorted(f"{p.parent.name}.{p.stem}" for p in plugins.glob("hcbench_*/_*kernels.py"))
    for modules in (kernels, tests):
        first = number * len(modules) // count
        for module in modules[first:] + modules[:first]:
            with suppress(Exception, pytest.skip.Exception):  # told when it is collected
                importlib.import_module(module)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with files of slow tests, so that no worker is alone with one at the end.

    Nightly simulations are slow, too: ``-m "not slow"`` replaces the selection that excludes them.
    """
    for item in items:
        if item.get_closest_marker("nightly"):
            item.add_marker(pytest.mark.slow)
    every = Counter(item.path for item in items)
    slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    items.sort(key=lambda item: -slow[item.path] / every[item.path])


def pytest_collection_finish() -> None:
    """Leave what was imported and collected out of garbage collections."""
    gc.freeze()


@pytest.fixture(autouse=True, scope="module")
def own_import_path() -> Iterator[None]:
    """Forget the folders of plugin files that a module's tests loaded in this process."""
    before = list(sys.path)
    yield
    sys.path[:] = before


@pytest.fixture
def own_fork_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Give this test its own fork server, which has imported little."""
    monkeypatch.setattr(executors, "PRELOADED", executors.PRELOADED[: -len(_USUAL)])
    ServerProcess.retire()
    yield
    ServerProcess.retire()


@pytest.fixture
def in_process() -> Iterator[None]:
    """Run cells in this process, for tests of results and not of isolation."""
    with cells_in_this_process():
        yield


def _in_inner_loop(config: pytest.Config) -> bool:
    return bool(config.getoption("markexpr") == "not slow")


def _ignore(*_: object) -> None:
    pass
