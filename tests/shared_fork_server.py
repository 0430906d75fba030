"""One process that forks workers for all runs of a test session, instead of one for each run.

Its imports take most of the time of a small run. Each run still forks its own workers.
"""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from hcbench.run.workers import pool
from hcbench.run.workers.connections import ServerConnection, WorkerConnection
from hcbench.run.workers.messages import Ended, Started, StartFailed

# What almost every run imports in its workers.
PRELOADED = (
    *("numpy", "scipy.cluster.hierarchy", "numba", "cloudpickle", "hcbench.run.cell"),
    *("hcbench_metrics", "hcbench_vectors", "sklearn.datasets"),
)
# Tests set these, and no worker reads them.
_UNREAD = {"COLUMNS", "HCBENCH_DEBUG", "HCBENCH_STORE", "NO_COLOR", "PYTEST_CURRENT_TEST", "TERM"}

_idle: dict[object, SharedForkServer] = {}


class SharedForkServer(ServerConnection):
    """A fork server that waits for the next pool when its own is closed."""

    def __init__(self, target: str, needs: object) -> None:
        super().__init__(target, PRELOADED)
        self._needs = needs
        self._starting = 0
        self._living: set[int] = set()
        self._ended = False

    def fork(self, number: int) -> WorkerConnection:
        self._starting += 1
        return super().fork(number)

    def read(self) -> list[object] | None:
        messages = super().read()
        self._ended = messages is None
        for message in messages or ():
            match message:
                case Started(_, pid):
                    self._starting -= 1
                    self._living.add(pid)
                case StartFailed():
                    self._starting -= 1
                case Ended(pid, _):
                    self._living.discard(pid)
        return messages

    def close(self) -> tuple[int, str]:
        """End the workers only."""
        while not self._ended and (self._starting or self._living):
            for pid in self._living:
                self.kill(pid)
            select.select([self.control], [], [])
            self.read()
        if self._ended:
            return super().close()
        _end_idle()
        _idle[self._needs] = self
        return 0, ""


def start_fork_server(target: str, preload: Sequence[str]) -> ServerConnection:
    """The fork server that waits, if it was started under the same circumstances, or a new one."""
    if target != "hcbench.run.cell:run_packed":
        return ServerConnection(target, preload)
    settings = {name: value for name, value in os.environ.items() if name not in _UNREAD}
    needs = (os.getcwd(), tuple(sys.path), tuple(sorted(settings.items())))
    return _idle.pop(needs, None) or SharedForkServer(target, needs)


@contextmanager
def set_apart() -> Iterator[None]:
    """Let each run start and end a fork server of its own, as runs do outside of tests."""
    _end_idle()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "ServerConnection", ServerConnection)
        yield


def _end_idle() -> None:
    while _idle:
        ServerConnection.close(_idle.popitem()[1])
