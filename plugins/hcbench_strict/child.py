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
from numpy.typing import NDArray

from hcbench import Answers, HcbenchError, Oracle
from hcbench.model import collect_notes
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


class RemoteOracle(Oracle):
    """An oracle that sends all questions to the worker; its own ledger is only for the algorithm.

    Parameters
    ----------
    connection : Connection
    terms : mapping
        ``kind``, ``query_kind``, ``n``, ``budget``, ``checkpoints`` and ``takes_unsure``.
    """

    def __init__(self, connection: Connection, terms: Mapping[str, Any]) -> None:
        kind = terms["query_kind"]
        answers = Answers(
            kind=terms["kind"],
            n=terms["n"],
            query_kind=kind,
            arity=kind.arity if kind else 0,
            answer=self._answer if kind else None,
            draw=lambda _start, m: self._request(DRAW + str(m).encode()),
        )
        super().__init__(answers, terms["budget"], terms["checkpoints"])
        self.takes_unsure = terms["takes_unsure"]
        self._connection = connection

    def _request(self, message: bytes) -> Any:
        self._connection.send_bytes(message)
        reply = self._connection.recv()
        if isinstance(reply, Exception):
            raise reply
        return reply

    def _answer(self, questions: NDArray[np.int64], *_: object) -> Any:
        return self._request(ASK + questions.tobytes())

    def read(self) -> Any:
        """All that the oracle holds."""
        return self._request(READ)

    def record(self, result: Any) -> None:
        """Keep a result as what the algorithm has at the present number of questions."""
        self._request(RECORD + pack_result(result, []))

    def report(self, **numbers: float) -> None:
        """State numbers about the result."""
        super().report(**numbers)
        self._request(REPORT + json.dumps(self.reported).encode())

    def tell_first_use(self) -> None:
        """Say that something was compiled or imported meanwhile."""
        self._request(FIRST_USE)


def main() -> None:
    """Call the algorithm as often as the worker asks for it."""
    connection = Connection(int(sys.argv[1]))
    sys.argv[:] = ["hcbench"]
    while True:
        try:
            algorithm, given, rng, seed, terms = connection.recv()
        except EOFError:
            return
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002
        oracle = RemoteOracle(connection, terms)
        try:
            with FirstUses() as first_uses, collect_notes() as notes:
                result = algorithm(oracle, given, rng)
            if first_uses.found:
                oracle.tell_first_use()
            content = DONE + pack_result(result, [*notes])
        except BaseException as error:
            text = str(error)
            if not isinstance(error, HcbenchError):
                text = f"{type(error).__name__}: {error}"
            failure = {"type": type(error).__name__, "text": text[:4096]}
            trace = traceback.format_exc()[-(1 << 15) :]
            content = FAILED + json.dumps({**failure, "traceback": trace}).encode()
        connection.send_bytes(content)


if __name__ == "__main__":
    main()
