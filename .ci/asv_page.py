"""Checks that the page of ``asv publish`` lists every benchmark and shows every result.

``python .ci/asv_page.py`` reads ``.asv`` in the current directory.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def read(path: Path) -> Any:
    """JSON as a browser reads it, without NaN and infinity."""
    return json.loads(path.read_text(), parse_constant=_refuse)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def main(folder: Path = Path(".asv")) -> None:
    """Compare the page with the benchmarks that asv discovered and with the results."""
    discovered = set(json.loads((folder / "results" / "benchmarks.json").read_text())) - {"version"}
    results = (folder / "results").glob("*/*-*.json")
    measured = {name for path in results for name in json.loads(path.read_text())["results"]}
    html = folder / "html"
    graphs = {path: read(path) for path in html.glob("graphs/**/*.json")}
    shown = {row["name"] for path in graphs if path.name == "summary.json" for row in graphs[path]}
    listed = set(read(html / "index.json")["benchmarks"])
    if listed != discovered or shown != measured or not measured:
        sys.exit(f"asv's page differs in {sorted((listed ^ discovered) | (shown ^ measured))}")
    print(f"asv's page lists {len(listed)} benchmarks and shows results of {len(shown)}")


if __name__ == "__main__":
    main()
