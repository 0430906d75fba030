"""The measuring process of one commit in ``hcbench regress``: measures one case per line.

``python -P -m hcbench.asv [DISTRIBUTION...]`` writes a line of JSON with all cases, then answers
each line ``[name, n, repetition]`` with what it measured. Times are processor times, so that other
processes do not count.
"""

from __future__ import annotations

import json
import os
import sys
from typing import IO, Any

from hcbench.authoring.asv import VERSION
from hcbench.authoring.asv.cases import Cases, find_cases
from hcbench.authoring.asv.measuring import Measured
from hcbench.errors import HcbenchError


def main() -> None:
    """Serve until the input ends."""
    # What plugins print goes to stderr: stdout is for answers.
    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)
        cases = find_cases(sys.argv[1:])
        _write(answers, {"version": VERSION, "cases": _in_order(cases)})
        measured = Measured(cases)
        for line in sys.stdin:
            name, n, repetition = json.loads(line)
            _write(answers, measured.measure((name, n), repetition))


def _in_order(cases: Cases) -> list[tuple[str, int]]:
    """Cases with the same data and oracle are adjacent, as both are cached."""

    def place(case: tuple[str, int]) -> tuple[int, str]:
        cells = cases.cells.get(case)
        return case[1], cells[0].oracle.label if cells else ""

    return sorted(cases.all, key=place)


def _write(stream: IO[str], content: Any) -> None:
    stream.write(json.dumps(content) + "\n")
    stream.flush()


if __name__ == "__main__":
    try:
        main()
    except HcbenchError as error:
        sys.exit(str(error))
