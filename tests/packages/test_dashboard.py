"""The dashboard of a package over five commits, three of which raise a cost."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.environments import Environment

PACKAGE = Path(__file__).with_name("hcbench_changing")
SOURCES = Path("src", "hcbench_changing")
#: What each commit changes: a file, and a line before and after.
COMMITS = {
    "first": ("README.md", "", ""),
    "more queries": (SOURCES / "costs.py", "QUERIES_PER_ITEM = 10", "QUERIES_PER_ITEM = 30"),
    "a slower program": (SOURCES / "child.py", "SECONDS = 0.1", "SECONDS = 0.5"),
    "more memory": (SOURCES / "costs.py", "MEGABYTES = 8", "MEGABYTES = 64"),
    "nothing": ("README.md", "Three methods", "The three methods"),
}
SIZES = (40, 80, 160)


@pytest.mark.nightly
def test_each_planted_regression_is_found_at_its_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))  # asv describes the machine there
    for variable in ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"):
        monkeypatch.setenv(variable, "Somebody")
    for variable in ("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"):
        monkeypatch.setenv(variable, "somebody@example.org")
    repository = shutil.copytree(PACKAGE, tmp_path / "hcbench_changing")
    (repository / ".gitignore").write_text("__pycache__/\n.asv/\nbuild/\n")
    environment = Environment.make(tmp_path)
    # The program runs with a Python that has nothing of hcbench's environment.
    other = tmp_path / "other"
    environment.run("venv", "--without-pip", str(other))
    edit(repository / SOURCES / "child.toml", '"python3"', f'"{other / "bin" / "python3"}"')
    environment.run("asv", "machine", "--yes", cwd=repository)
    git(repository, "init", "-q")
    names = {}
    for subject, (path, before, after) in COMMITS.items():
        edit(repository / path, before, after)
        git(repository, "add", "--all")
        git(repository, "commit", "-q", "-m", subject)
        environment.install(repository)
        names[git(repository, "rev-parse", "HEAD")] = subject
        environment.run("asv", "run", "--quick", "--set-commit-hash", "HEAD", cwd=repository)
    site = tmp_path / "site"
    environment.hcbench(("site", str(site), "--asv", str(repository / ".asv" / "results")))
    found = regressions(site / "regressions.xml", names)
    for subject, benchmark in {
        "more queries": "Asking.track_queries",
        "a slower program": "Child.track_seconds",
        "more memory": "Hungry.track_peak_memory",
    }.items():
        for n in SIZES:
            assert found.pop(f"registered.algorithm_{benchmark} (n={n})") == subject
    # It takes time to fill an array, so that this is no false alarm.
    for n in SIZES:
        later = found.pop(f"registered.algorithm_Hungry.track_seconds (n={n})", "more memory")
        assert later == "more memory"
    assert not found


def edit(path: Path, before: str, after: str) -> None:
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after, 1))


def git(repository: Path, *words: str) -> str:
    command = ["git", "-C", str(repository), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def regressions(feed: Path, names: Mapping[str, str]) -> dict[str, str]:
    """The benchmarks in a feed of regressions, with the subjects of the commits."""
    atom = "{http://www.w3.org/2005/Atom}"
    found = {}
    for entry in ElementTree.parse(feed).iter(f"{atom}entry"):
        title = entry.findtext(f"{atom}title", "")
        text = "".join(entry.itertext())
        (subject,) = (names[commit] for commit in names if commit[:8] in text)
        found[re.sub(r": [^:]*$", "", title)] = subject
    return found
