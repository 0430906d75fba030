"""The process that measures one case per line, for asv and ``hcbench regress``.

``python -P -m hcbench.asv [--data=NAME] [DISTRIBUTION...]`` writes a line of JSON with all cases,
then answers each line ``[name, n, repetition]`` with what it measured. Times are processor times,
so that other processes do not count.
"""

from __future__ import annotations

import json
import os
import sys
from typing import IO, Any

from hcbench import HcbenchError
from hcbench_asv.cases import find_cases
from hcbench_asv.measuring import Measured
from hcbench_asv.quantities import VERSION


def main() -> None:
    """Serve until the input ends."""
    # What plugins print goes to stderr: stdout is for answers.
    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)
        distributions = sys.argv[1:]
        data = ""
        if distributions and distributions[0].startswith("--data="):
            data = distributions.pop(0).removeprefix("--data=")
        measured = Measured(find_cases(distributions, data))
        _write(answers, {"version": VERSION, "cases": measured.cases()})
        for line in sys.stdin:
            name, n, repetition = json.loads(line)
            _write(answers, measured.measure((name, n), repetition))


def _write(stream: IO[str], content: Any) -> None:
    stream.write(json.dumps(content) + "\n")
    stream.flush()


if __name__ == "__main__":
    try:
        main()
    except HcbenchError as error:
        sys.exit(str(error))
