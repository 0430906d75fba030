"""The process of an algorithm: ``python -m hcbench_strict.child DESCRIPTOR``."""

from __future__ import annotations

import json
import random
import sys
import traceback
from collections.abc import Mapping
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from hcbench import AnswerRequest, Answers, HcbenchError, Oracle
from hcbench.model import collect_notes
from hcbench.oracle import Recorder
from hcbench.run import FirstUses
from hcbench_strict.messages import (
    ASK,
    DONE,
    DRAW,
    FAILED,
    FIRST_USE,
    READ,
    RECORD,
    REPORT,
    pack_result,
)

# Characters of an error that are sent; the end of a traceback tells most.
_MOST_TEXT = 1 << 12
_MOST_TRACEBACK = 1 << 15


class RemoteOracle(Oracle):
    """An oracle that sends all questions to the worker; its own ledger is only for the algorithm.

    Parameters
    ----------
    connection : Connection
    terms : mapping
        ``kind``, ``query_kind``, ``n``, ``budget``, ``checkpoints`` and ``takes_unsure``.
    """

    def __init__(self, connection: Connection, terms: Mapping[str, Any]) -> None:
        query_kind = terms["query_kind"]
        # None if the oracle is only read, as vectors are.
        arity = 0
        answer = None
        if query_kind is not None:
            arity = query_kind.arity
            answer = self._answer
        answers = Answers(
            kind=terms["kind"],
            n=terms["n"],
            query_kind=query_kind,
            arity=arity,
            answer=answer,
            draw=lambda _start, m: self._request(DRAW + str(m).encode()),
        )
        super().__init__(answers, terms["budget"], terms["checkpoints"])
        Recorder(self).prepare(takes_unsure=terms["takes_unsure"])
        self._connection = connection

    def _request(self, message: bytes) -> Any:
        self._connection.send_bytes(message)
        reply = self._connection.recv()
        if isinstance(reply, Exception):
            raise reply
        return reply

    def _answer(self, request: AnswerRequest) -> Any:
        return self._request(ASK + request.queries.tobytes())

    def read(self) -> Any:
        """All that the oracle holds."""
        return self._request(READ)

    def record(self, result: Any) -> None:
        """Keep a result as what the algorithm has at the present number of questions."""
        self._request(RECORD + pack_result(result, []))

    def report(self, **numbers: float) -> None:
        """State numbers about the result."""
        super().report(**numbers)
        # As plain numbers, which json knows.
        plain = {name: float(number) for name, number in numbers.items()}
        self._request(REPORT + json.dumps(plain).encode())

    def report_process(self, *, peak_bytes: int = 0, first_use: bool = False) -> None:
        """State what a process needed; the worker measures the memory of all of them itself."""
        super().report_process(peak_bytes=peak_bytes, first_use=first_use)
        if first_use:
            self._request(FIRST_USE)


def main() -> None:
    """Call the algorithm as often as the worker asks for it."""
    connection = Connection(int(sys.argv[1]))
    sys.argv[:] = ["hcbench"]
    while True:
        try:
            algorithm, items, rng, seed, terms = connection.recv()
        except EOFError:
            return
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002
        oracle = RemoteOracle(connection, terms)
        try:
            with FirstUses() as first_uses, collect_notes() as notes:
                result = algorithm(oracle, items, rng)
            if first_uses.occurred:
                oracle.report_process(first_use=True)
            message = DONE + pack_result(result, list(notes))
        except BaseException as error:
            # Whatever it is, an exit too: the worker decides what it means for the cell.
            message = FAILED + _describe(error)
        connection.send_bytes(message)


def _describe(error: BaseException) -> bytes:
    """An error as JSON, of which the worker makes one; call it while it is handled."""
    text = str(error)
    if not isinstance(error, HcbenchError):
        text = f"{type(error).__name__}: {error}"
    description = {
        "type": type(error).__name__,
        "text": text[:_MOST_TEXT],
        "traceback": traceback.format_exc()[-_MOST_TRACEBACK:],
    }
    return json.dumps(description).encode()


if __name__ == "__main__":
    main()
