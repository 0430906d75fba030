"""The worker's side: it has the data, the ledger and the clock, and answers the algorithm."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tempfile
import warnings
from contextlib import suppress
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

import numpy as np

import hcbench
from hcbench import HcbenchError, Items, ModelWarning, Oracle
from hcbench.run import children, folders_of_code, python_command
from hcbench_strict.key import machine_key
from hcbench_strict.messages import (
    ASK,
    DONE,
    DRAW,
    FAILED,
    FIRST_USE,
    READ,
    RECORD,
    REPORT,
    unpack_result,
)
from hcbench_strict.sandbox import algorithm_environment, enclosed, sandbox_program

#: The errors of an algorithm that decide the status of its cell.
_STATUSES = ("BudgetExceededError", "NotApplicableError", "UnansweredError")


class _Child:
    """A Python that has nothing of the cell but what it is sent.

    Parameters
    ----------
    number : int
        Of the cell, whose process it is.
    algorithm : callable
        What it will be sent.
    """

    def __init__(self, number: int, algorithm: Any) -> None:
        self.number = number
        self.first_use = False
        self.connection, theirs = Pipe()
        # Below the folder of this worker, which is emptied after the cell.
        self.folder = Path(tempfile.mkdtemp(prefix="strict-"))
        command = python_command("hcbench_strict.child", str(theirs.fileno()))
        self.is_enclosed = sandbox_program() is not None
        # Of the group of this worker, whose limits and end hold for it.
        self.process = subprocess.Popen(
            enclosed(command, self.folder, folders_of_code(algorithm)),
            env=algorithm_environment(self.folder),
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
        )
        theirs.close()

    def memory(self, name: str) -> int:
        """Its memory now (VmRSS) or at its peak (VmHWM), in bytes; 0 if that is unknown."""
        with suppress(OSError, IndexError):
            status = Path(f"/proc/{self._pid()}/status").read_text()
            return 1024 * int(status.split(f"{name}:")[1].split()[0])
        return 0

    def reset_peak(self) -> None:
        """Begin to measure its peak."""
        with suppress(OSError, IndexError):
            Path(f"/proc/{self._pid()}/clear_refs").write_text("5")

    def _pid(self) -> int:
        """The number of the Python process; IndexError while bubblewrap has not started it."""
        pid = self.process.pid
        if self.is_enclosed:
            # The program of the sandbox, the first process inside, then Python.
            for _ in range(2):
                pid = children(pid)[0]
        return pid

    def close(self) -> None:
        """Wait for its end, after it was killed or not."""
        self.process.kill()
        self.connection.close()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


#: The process of the last call: it stays between the warm-up of a cell and its timed call.
_last: _Child | None = None


def call(
    oracle: Oracle, items: Items, rng: np.random.Generator, *, algorithm: Any, number: int
) -> Any:
    """Call an algorithm in another process, which ends afterwards.

    The first call of a cell is the warm-up, on a few items: the process stays for the second one,
    which is timed, so that neither its start nor its imports are. It stays for a third one if the
    second used something for the first time, and is repeated.

    Raises
    ------
    HcbenchError
        What the algorithm raises, with its text and its traceback as a note; or if its process
        ends, or sends something else than it should.
    """
    global _last
    child = _last
    if child is None or child.number != number or child.process.returncode is not None:
        # The first call of a cell. The process of the cell before has ended, or was killed.
        if child is not None:
            child.close()
        _last = _Child(number, algorithm)
        return _serve(_last, oracle, algorithm, items, rng)
    try:
        return _serve(child, oracle, algorithm, items, rng)
    finally:
        if not child.first_use:
            child.number = -1
            child.process.kill()  # to wait for its end would take time from the call


def _unrelated_seed(rng: np.random.Generator) -> tuple[np.random.Generator, int]:
    """A generator, and a seed of the global ones, that say nothing about the seeds of the cell.

    From the seed that an ordinary worker uses, an algorithm could tell which data set, repetition
    and base seed it belongs to, and make the data again, with their truth.
    """
    digest = hashlib.blake2b(rng.bytes(32), key=machine_key(), digest_size=32).digest()
    generator = np.random.default_rng(int.from_bytes(digest[:28], "big"))
    return generator, int.from_bytes(digest[28:], "big")


def _serve(
    child: _Child, oracle: Oracle, algorithm: Any, items: Items, rng: np.random.Generator
) -> Any:
    """Send the algorithm with what it is given, and answer until there is a result."""
    generator, seed = _unrelated_seed(rng)
    terms = {
        "kind": oracle.kind,
        "query_kind": oracle.query_kind,
        "n": oracle.n,
        "budget": oracle.ledger.budget,
        "checkpoints": oracle.checkpoints,
        "takes_unsure": oracle.takes_unsure,
    }
    child.first_use = False
    child.reset_peak()
    memory_before = child.memory("VmRSS")
    try:
        child.connection.send((algorithm, items, generator, seed, terms))
        kind, content = _answer_until_end(child, oracle)
    except (EOFError, OSError):
        code = child.process.wait()
        raise HcbenchError(f"the process of the algorithm ended with code {code}") from None
    oracle.report_process(peak_bytes=child.memory("VmHWM") - memory_before)
    try:
        if kind == FAILED:
            raise _failure(json.loads(content))
        result, notes = unpack_result(content)
    except (ValueError, KeyError, TypeError) as error:
        raise HcbenchError(f"the process of the algorithm sent no result: {error}") from error
    for note in notes:
        warnings.warn(note, ModelWarning, 2)
    return result


def _answer_until_end(child: _Child, oracle: Oracle) -> tuple[bytes, bytes]:
    """Answer the messages of an algorithm; returns the kind and content of its last one."""
    while True:
        message = child.connection.recv_bytes()
        kind = message[:1]
        content = message[1:]
        if kind == FIRST_USE:
            child.first_use = True
        if kind in (DONE, FAILED):
            return kind, content
        try:
            reply = reply_to(oracle, kind, content)
        except HcbenchError as error:
            # The algorithm gets it, as if the oracle were in its process.
            reply = error
        child.connection.send(reply)


def reply_to(oracle: Oracle, what: bytes, content: bytes) -> Any:
    """Answer a message of the process of an algorithm."""
    if what == ASK:
        return _answers_to(oracle, content)
    if what == DRAW:
        return oracle.draw(int(content))
    if what == READ:
        return oracle.read()
    if what == RECORD:
        oracle.record(unpack_result(content)[0])
        return None
    if what == REPORT:
        oracle.report(**json.loads(content))
        return None
    if what == FIRST_USE:
        oracle.report_process(first_use=True)
        return None
    raise HcbenchError(f"the process of the algorithm sent {what!r}")


def _answers_to(oracle: Oracle, content: bytes) -> Any:
    """The answers to queries, with what the oracle knows of each if it has such details."""
    arity = 0
    if oracle.query_kind is not None:
        arity = oracle.query_kind.arity
    if not arity or len(content) % (8 * arity):
        raise HcbenchError("the process of the algorithm sent no questions")
    codes = oracle.ask(np.frombuffer(content, np.int64).reshape(-1, arity))
    if oracle.details is None:
        return codes
    fields = [("code", codes.dtype)] + oracle.details.dtype.descr
    answers = np.empty(len(codes), fields)
    answers["code"] = codes
    answers["confidence"] = oracle.details["confidence"]
    answers["annotator"] = oracle.details["annotator"]
    return answers


def _failure(description: Any) -> Exception:
    """The error of an algorithm, which its process has described."""
    name = str(description["type"])
    text = str(description["text"])
    failure: Exception = HcbenchError(text)
    if name in _STATUSES:
        failure = getattr(hcbench, name)(text)
    elif name == "MemoryError":
        failure = MemoryError(text)
    failure.add_note(str(description["traceback"]))
    return failure
