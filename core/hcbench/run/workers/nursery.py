"""The process that forks workers and buries them.

The main process starts one nursery. It imports what the jobs need once, stays single-threaded and
forks a worker whenever it is told to, so a restart costs a fork instead of an import. It also reaps
the workers, kills whatever they leave behind, and takes them all with it when the main process
ends, be it by ``kill -9``.
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

from hcbench.run.workers.inside import Channels, Worker, isolate
from hcbench.run.workers.messages import (
    CHUNK,
    Born,
    Died,
    Fork,
    Kill,
    Ready,
    Stillborn,
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

_PATIENCE = 2.0  # seconds to wait for what was killed to be gone
_FORK_ATTEMPTS = 50


def main() -> NoReturn:
    """Run the nursery: ``control descriptor, target, preloaded modules...`` are its arguments."""
    descriptor, target, *preload = sys.argv[1:]
    sys.argv[:] = ["hcbench"]
    control = socket.socket(fileno=int(descriptor))
    control.set_inheritable(False)
    for number in (signal.SIGINT, signal.SIGTERM):  # they are the main process's business
        signal.signal(number, signal.SIG_IGN)
    adopt_orphans()
    needed = ["cloudpickle"] if LINUX else ["cloudpickle", "psutil"]
    _import_all([target.partition(":")[0], *needed, *preload])
    gc.collect()
    gc.freeze()  # a collection in a worker would otherwise copy every shared page
    try:
        Nursery(control, target).run()
    except (BrokenPipeError, ConnectionResetError):
        os._exit(0)  # the main process ended
    except BaseException:
        traceback.print_exc()
        os._exit(70)
    os._exit(0)


class Nursery:
    """The loop that forks and buries workers.

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
        self._dead: list[Died] = []

    def run(self) -> None:
        """Serve until the main process closes the connection or ends."""
        bell, self._clapper = os.pipe()
        os.set_blocking(bell, False)
        os.set_blocking(self._clapper, False)
        signal.set_wakeup_fd(self._clapper, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._bell = bell
        sources: list[socket.socket | int] = [self._control, bell]
        try:
            self._say(Ready())
            # A copy of the main process may hold the connection open; the parent's id tells.
            while os.getppid() == self._parent:
                readable, _, _ = select.select(sources, [], [], 1.0)
                if bell in readable:
                    os.read(bell, CHUNK)
                    self._bury()
                if self._control in readable and not self._listen():
                    return
        finally:
            self._end()

    def _say(self, message: NamedTuple) -> None:
        self._control.sendall(pack(message))

    def _listen(self) -> bool:
        data, descriptors, _, _ = socket.recv_fds(self._control, CHUNK, 64)
        self._descriptors += descriptors
        self._inbox += data
        for message in unpack(self._inbox):
            match message:
                case Fork(number):
                    self._bear(number, [self._descriptors.popleft() for _ in range(4)])
                case Kill(pid) if pid in self._workers:
                    kill(pid)
        return bool(data)

    def _bear(self, number: int, descriptors: list[int]) -> None:
        try:
            pid = self._fork()
        except OSError as error:
            self._say(Stillborn(number, str(error)))
        else:
            if pid == 0:
                self._become_worker(*descriptors)
            self._workers.add(pid)
            self._say(Born(number, pid))
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    def _fork(self) -> int:
        # What a dead worker leaves behind may fill the process table for a moment.
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
            for descriptor in (self._bell, self._clapper, *self._descriptors):
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

    def _bury(self) -> None:
        self._reap()
        self._clear()
        for message in self._dead:
            self._say(message)
        self._dead.clear()

    def _reap(self) -> None:
        while (ended := reap_any()) is not None and ended[0] != 0:
            pid, status = ended
            if pid in self._workers:
                self._workers.discard(pid)
                self._dead.append(Died(pid, os.waitstatus_to_exitcode(status)))

    def _clear(self) -> None:
        until = time.monotonic() + _PATIENCE
        while self._kill_leftovers() and time.monotonic() < until:
            time.sleep(0.0005)
            self._reap()

    def _kill_leftovers(self) -> bool:
        # A living worker adopts its own orphans, so an unknown child of ours had a worker that
        # died, whatever session it fled to. Without that (not Linux), its group has to do.
        groups = [kill_group(worker.pid) for worker in self._dead]
        strays = set(children(os.getpid())) - self._workers if LINUX else set()
        for stray in strays:
            kill(stray)
        return any(groups) or bool(strays)

    def _end(self) -> None:
        for worker in self._workers:
            kill(worker)
            self._dead.append(Died(worker, 0))
        self._workers.clear()
        self._clear()


def _import_all(modules: list[str]) -> None:
    for module in modules:
        try:
            importlib.import_module(module)
        except BaseException:
            traceback.print_exc()  # into the nursery's log; a job that needs it will say so
