"""Checks that the page of ``asv publish`` lists every benchmark and every result.

``python .ci/asv_page.py`` reads ``.asv/html`` and ``.asv/results`` in the current directory.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from asv_runner.discovery import disc_benchmarks  # type: ignore[import-untyped]


def read(path: Path) -> Any:
    """JSON as a browser reads it, without NaN and infinity."""
    return json.loads(path.read_text(), parse_constant=_refuse)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def main() -> None:
    """Compare the page with the benchmarks in the code and with the results."""
    html = Path(".asv/html")
    sys.path.insert(0, str(Path.cwd()))
    discovered = {benchmark.name for benchmark in disc_benchmarks("benchmarks")}
    results = Path(".asv/results").glob("*/*-existing-*.json")
    measured = {name for path in results for name in json.loads(path.read_text())["results"]}
    summaries = html.glob("graphs/**/summary.json")
    shown = {row["name"] for path in summaries for row in read(path)}
    graphs = [read(path) for path in html.glob("graphs/**/*.json")]
    assert set(read(html / "index.json")["benchmarks"]) == discovered
    assert shown == measured, shown ^ measured
    assert measured
    print(
        f"asv's page lists {len(discovered)} benchmarks and shows {len(shown)} with results "
        f"in {len(graphs)} graphs"
    )


if __name__ == "__main__":
    main()
