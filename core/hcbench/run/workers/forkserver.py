"""The process that starts workers, reaps them and kills what they leave behind.

Each pool starts one. It imports what the jobs need once, stays single-threaded and forks a worker
on request, so that a worker starts in 1 to 3 ms instead of the time of an import. When the main
process ends, even by ``kill -9``, it kills all workers.
"""

from __future__ import annotations

import gc
import importlib
import os
import select
import signal
import socket
import sys
import time
import traceback
from collections import deque
from typing import NamedTuple, NoReturn

from hcbench.run.workers.messages import (
    CHUNK,
    Ended,
    Fork,
    Kill,
    Ready,
    Started,
    StartFailed,
    pack,
    unpack,
)
from hcbench.run.workers.processes import (
    LINUX,
    adopt_orphans,
    children,
    kill,
    kill_group,
    reap_any,
)
from hcbench.run.workers.worker import Channels, Worker, isolate

_KILL_WAIT = 2.0  # seconds to wait for what was killed to be gone
_FORK_ATTEMPTS = 50


def main() -> NoReturn:
    """Run the fork server; its arguments are the descriptor, the target and modules to preload."""
    descriptor, target, *preload = sys.argv[1:]
    sys.argv[:] = ["hcbench"]
    control = socket.socket(fileno=int(descriptor))
    control.set_inheritable(False)
    for number in (signal.SIGINT, signal.SIGTERM):  # the main process handles them
        signal.signal(number, signal.SIG_IGN)
    adopt_orphans()
    needed = ["cloudpickle"] if LINUX else ["cloudpickle", "psutil"]
    _import_all([target.partition(":")[0], *needed, *preload])
    gc.collect()
    gc.freeze()  # a collection in a worker would otherwise copy every shared page
    try:
        ForkServer(control, target).run()
    except (BrokenPipeError, ConnectionResetError):
        os._exit(0)  # the main process ended
    except BaseException:
        traceback.print_exc()
        os._exit(70)
    os._exit(0)


class ForkServer:
    """The loop that starts and reaps workers.

    Parameters
    ----------
    control
        The connection to the main process.
    target
        ``module:function`` that the workers call.
    """

    def __init__(self, control: socket.socket, target: str) -> None:
        self._control = control
        self._target = target
        self._parent = os.getppid()
        self._inbox = bytearray()
        self._descriptors: deque[int] = deque()
        self._workers: set[int] = set()
        self._ended: list[Ended] = []

    def run(self) -> None:
        """Serve until the main process closes the connection or ends."""
        wakeup, self._wakeup_write = os.pipe()
        os.set_blocking(wakeup, False)
        os.set_blocking(self._wakeup_write, False)
        signal.set_wakeup_fd(self._wakeup_write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._wakeup_read = wakeup
        sources: list[socket.socket | int] = [self._control, wakeup]
        try:
            self._send(Ready())
            # A copy of the main process may hold the connection open, but is not the parent.
            while os.getppid() == self._parent:
                readable, _, _ = select.select(sources, [], [], 1.0)
                if wakeup in readable:
                    os.read(wakeup, CHUNK)
                    self._report_ended()
                if self._control in readable and not self._listen():
                    return
        finally:
            self._kill_all()

    def _send(self, message: NamedTuple) -> None:
        self._control.sendall(pack(message))

    def _listen(self) -> bool:
        data, descriptors, _, _ = socket.recv_fds(self._control, CHUNK, 64)
        self._descriptors += descriptors
        self._inbox += data
        for message in unpack(self._inbox):
            match message:
                case Fork(number):
                    self._start(number, [self._descriptors.popleft() for _ in range(4)])
                case Kill(pid) if pid in self._workers:
                    kill(pid)
        return bool(data)

    def _start(self, number: int, descriptors: list[int]) -> None:
        try:
            pid = self._fork()
        except OSError as error:
            self._send(StartFailed(number, str(error)))
        else:
            if pid == 0:
                self._become_worker(*descriptors)
            self._workers.add(pid)
            self._send(Started(number, pid))
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    def _fork(self) -> int:
        # What an ended worker leaves behind may fill the process table for a moment.
        for _ in range(_FORK_ATTEMPTS):
            try:
                return os.fork()
            except BlockingIOError:
                time.sleep(0.02)
                self._reap()
        return os.fork()

    def _become_worker(self, connection: int, phases: int, log: int, draft: int) -> NoReturn:
        try:
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGCHLD, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self._control.close()
            for descriptor in (self._wakeup_read, self._wakeup_write, *self._descriptors):
                os.close(descriptor)
            isolate(log)
            for descriptor in (connection, phases, log, draft):
                os.set_inheritable(descriptor, False)
            channels = Channels(socket.socket(fileno=connection), phases, log, draft)
            Worker(channels, self._target).serve()
        except BaseException:
            traceback.print_exc()
            os._exit(70)
        os._exit(0)

    def _report_ended(self) -> None:
        self._reap()
        self._clear_up()
        for message in self._ended:
            self._send(message)
        self._ended.clear()

    def _reap(self) -> None:
        while (ended := reap_any()) is not None and ended[0] != 0:
            pid, status = ended
            if pid in self._workers:
                self._workers.discard(pid)
                self._ended.append(Ended(pid, os.waitstatus_to_exitcode(status)))

    def _clear_up(self) -> None:
        until = time.monotonic() + _KILL_WAIT
        while self._kill_leftovers() and time.monotonic() < until:
            time.sleep(0.0005)
            self._reap()

    def _kill_leftovers(self) -> bool:
        # A living worker adopts its own orphans, so an unknown child had a worker that ended,
        # whatever its session. Without adoption (not Linux), only its group is killed.
        groups = [kill_group(worker.pid) for worker in self._ended]
        strays = set(children(os.getpid())) - self._workers if LINUX else set()
        for stray in strays:
            kill(stray)
        return any(groups) or bool(strays)

    def _kill_all(self) -> None:
        for worker in self._workers:
            kill(worker)
            self._ended.append(Ended(worker, 0))
        self._workers.clear()
        self._clear_up()


def _import_all(modules: list[str]) -> None:
    for module in modules:
        try:
            importlib.import_module(module)
        except BaseException:
            traceback.print_exc()  # into the log of the fork server; a job that needs it will fail
