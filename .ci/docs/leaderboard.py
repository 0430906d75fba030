"""The leaderboards of the standard suites, from the results in ``benchmarks/results``."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from contents import ROOT

RESULTS = ROOT / "benchmarks" / "results"
#: The folder of the leaderboards in the site.
FOLDER = "leaderboard"
#: What shows them on a page beside their folder.
FRAME = f"""<iframe src="../{FOLDER}/index.html" title="Leaderboards" loading="lazy"></iframe>
<p><a href="../{FOLDER}/index.html">Open the leaderboards alone</a></p>"""


def write_leaderboard(html: Path, results: Path = RESULTS) -> None:
    """Make the leaderboards by the commands of ``benchmarks/results/README.md``.

    Parameters
    ----------
    html : Path
        The folder of the site.
    results : Path
        A folder of results for each suite.
    """
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "board.sqlite")
        for suite in sorted(path for path in results.iterdir() if path.is_dir()):
            _hcbench("results", "import", str(suite), "--store", store)
        # Trees are no part of the results.
        options = ["--title", "Standard suites", "--trees", "0", "--store", store]
        _hcbench("site", str(html / FOLDER), *options)


def _hcbench(*arguments: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "hcbench", *arguments], check=True, capture_output=True, text=True
    )
