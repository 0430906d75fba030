"""The process that starts workers, reaps them and kills what they leave behind.

One serves all pools of a main process. It imports what their jobs need once, stays single-threaded
and forks a worker on request, so that a worker starts in 1 to 3 ms instead of the time of an
import. When a pool is closed it kills the workers of that pool, and when the main process ends,
even by ``kill -9``, all workers.
"""

from __future__ import annotations

import gc
import importlib
import os
import select
import shutil
import signal
import socket
import sys
import time
import traceback
from collections import deque
from contextlib import suppress
from typing import NoReturn

from hcbench.run.workers.messages import (
    CHUNK,
    Closed,
    Ended,
    Fork,
    Kill,
    Message,
    Open,
    Ready,
    Started,
    StartFailed,
    ToServer,
    pack,
    unpack,
)
from hcbench.run.workers.processes import LINUX, adopt_orphans, children, kill, kill_group, reap_any
from hcbench.run.workers.worker import Worker, isolate

_KILL_WAIT = 2.0  # seconds to wait for what was killed to be gone
_FORK_ATTEMPTS = 50


def main() -> NoReturn:
    """Run the fork server.

    Its arguments are the descriptor through which pools connect, and the folder in which workers
    keep temporary files.
    """
    control = socket.socket(fileno=int(sys.argv[1]))
    folder = sys.argv[2]
    sys.argv[:] = ["hcbench"]
    control.set_inheritable(False)
    for number in (signal.SIGINT, signal.SIGTERM):  # the main process handles them
        signal.signal(number, signal.SIG_IGN)
    adopt_orphans()
    modules = ["cloudpickle"]
    if not LINUX:
        # Elsewhere memory is not read from /proc.
        modules.append("psutil")
    _import_all(modules)
    try:
        ForkServer(control, folder).run()
    except BaseException:
        traceback.print_exc()
        os._exit(70)
    os._exit(0)


class Client:
    """A pool that is connected."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.inbox = bytearray()
        self.descriptors: deque[int] = deque()
        self.target = ""

    def send(self, message: Message) -> None:
        """Send it a message."""
        with suppress(BrokenPipeError, ConnectionResetError):  # it is gone, as reading will tell
            self.connection.sendall(pack(message))


class ForkServer:
    """The loop that starts and reaps workers.

    Parameters
    ----------
    control
        The connection to the main process, which sends the connections of its pools.
    folder
        For temporary files; it is removed at the end, by the main process if this one was killed.
    """

    def __init__(self, control: socket.socket, folder: str) -> None:
        self._control = control
        self._folder = folder
        self._parent = os.getppid()
        self._clients: dict[int, Client] = {}  # by descriptor
        self._workers: dict[int, Client] = {}  # by process id
        self._ended: list[tuple[Client, Ended]] = []

    def run(self) -> None:
        """Serve until there is no pool and the main process closes the connection, or it ends."""
        wakeup, self._wakeup_write = os.pipe()
        os.set_blocking(wakeup, False)
        os.set_blocking(self._wakeup_write, False)
        signal.set_wakeup_fd(self._wakeup_write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._wakeup_read = wakeup
        control = [self._control.fileno()]
        try:
            # A copy of the main process may hold the connection open, but is not the parent.
            while os.getppid() == self._parent and (control or self._clients):
                readable, _, _ = select.select([wakeup, *control, *self._clients], [], [], 1.0)
                if wakeup in readable:
                    os.read(wakeup, CHUNK)
                    self._report_ended()
                for descriptor in readable:
                    if descriptor in self._clients:
                        self._listen(self._clients[descriptor])
                if self._control.fileno() in readable and not self._accept():
                    control.clear()
        finally:
            self._kill(list(self._workers))
            shutil.rmtree(self._folder, ignore_errors=True)

    def _accept(self) -> bool:
        data, descriptors, _, _ = socket.recv_fds(self._control, CHUNK, 64)
        for descriptor in descriptors:
            self._clients[descriptor] = Client(socket.socket(fileno=descriptor))
        return bool(data)

    def _listen(self, client: Client) -> None:
        try:
            data, descriptors, _, _ = socket.recv_fds(client.connection, CHUNK, 64)
        except ConnectionResetError:  # the pool's process was killed
            data = b""
            descriptors = []
        client.descriptors += descriptors
        client.inbox += data
        for message in unpack(client.inbox, ToServer):
            match message:
                case Open(target, preload):
                    client.target = target
                    _import_all([target.partition(":")[0], *preload])
                    client.send(Ready())
                case Fork(number):
                    descriptors = [client.descriptors.popleft() for _ in range(4)]
                    self._start(client, number, descriptors)
                case Kill(pid) if self._workers.get(pid) is client:
                    kill(pid)
        if not data:
            self._dismiss(client)

    def _dismiss(self, client: Client) -> None:
        self._kill([pid for pid, owner in self._workers.items() if owner is client])
        client.send(Closed())
        del self._clients[client.connection.fileno()]
        client.connection.close()

    def _start(self, client: Client, number: int, descriptors: list[int]) -> None:
        try:
            pid = self._fork()
        except OSError as error:
            client.send(StartFailed(number, str(error)))
        else:
            if pid == 0:
                self._become_worker(client, *descriptors)
            self._workers[pid] = client
            client.send(Started(number, pid))
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

    def _become_worker(
        self, client: Client, connection: int, phases: int, log: int, draft: int
    ) -> NoReturn:
        try:
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGCHLD, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self._control.close()
            # What belongs to the server, and to other workers, must not stay open in this one.
            for other_client in self._clients.values():
                other_client.connection.close()
                for descriptor in other_client.descriptors:
                    os.close(descriptor)
            for descriptor in (self._wakeup_read, self._wakeup_write):
                os.close(descriptor)
            folder = self._folder_of(os.getpid())
            isolate(log, folder)
            for descriptor in (connection, phases, log, draft):
                os.set_inheritable(descriptor, False)
            main = socket.socket(fileno=connection)
            Worker(main, phases, log, draft, client.target, folder).serve()
        except BaseException:
            traceback.print_exc()
            os._exit(70)
        os._exit(0)

    def _report_ended(self) -> None:
        self._reap()
        self._clear_up()
        for client, message in self._ended:
            shutil.rmtree(self._folder_of(message.pid), ignore_errors=True)
            client.send(message)
        self._ended.clear()

    def _folder_of(self, worker: int) -> str:
        return os.path.join(self._folder, str(worker))

    def _reap(self) -> None:
        while True:
            ended = reap_any()
            if ended is None or ended[0] == 0:
                return  # there are no children, or all live
            pid, status = ended
            client = self._workers.pop(pid, None)
            if client is not None:
                code = os.waitstatus_to_exitcode(status)
                self._ended.append((client, Ended(pid, code)))

    def _clear_up(self) -> None:
        until = time.monotonic() + _KILL_WAIT
        while self._kill_leftovers() and time.monotonic() < until:
            time.sleep(0.0005)
            self._reap()

    def _kill_leftovers(self) -> bool:
        # A living worker adopts its own orphans, so an unknown child had a worker that ended,
        # whatever its session. Without adoption (not Linux), only its group is killed.
        is_any_left = False
        for _, worker in self._ended:
            if kill_group(worker.pid):
                is_any_left = True
        if LINUX:
            for child in children(os.getpid()):
                if child not in self._workers:
                    kill(child)
                    is_any_left = True
        return is_any_left

    def _kill(self, pids: list[int]) -> None:
        """Kill workers, and wait until they and all that they started are gone."""
        for pid in pids:
            kill(pid)
            client = self._workers.pop(pid)
            self._ended.append((client, Ended(pid, -signal.SIGKILL)))
        self._report_ended()


def _import_all(modules: list[str]) -> None:
    before = len(sys.modules)
    for module in modules:
        try:
            importlib.import_module(module)
        except BaseException:
            traceback.print_exc()  # into the log of the fork server; a job that needs it will fail
    if len(sys.modules) > before:
        gc.collect()
        gc.freeze()  # a collection in a worker would otherwise copy every shared page
