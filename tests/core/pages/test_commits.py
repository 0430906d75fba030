"""The order of commits, links to them, and the feed of regressions."""

from __future__ import annotations

import json
import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

import pytest

from hcbench.pages.report.sections import Sections
from hcbench.pages.site.commits import commit_link, order_commits
from hcbench.pages.site.feed import make_feed
from hcbench.pages.site.histories import History, Measurement, read_histories, shown_environment
from hcbench.pages.site.performance import make_overview, steps_table

DATE = datetime(2026, 3, 1, tzinfo=UTC)
COLUMNS = ["result", "params", "version", "started_at", "duration"]
URL = "https://example.org/me/it/commit/"


def git(folder: Path, *words: str) -> str:
    environment = dict(os.environ, GIT_CONFIG_GLOBAL=os.devnull)
    for role in ("AUTHOR", "COMMITTER"):
        environment[f"GIT_{role}_DATE"] = DATE.isoformat()
        environment[f"GIT_{role}_NAME"] = "A"
        environment[f"GIT_{role}_EMAIL"] = "a@example.org"
    command = ["git", "-C", str(folder), *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def commits(tmp_path: Path) -> list[str]:
    """Twelve commits of one date, as a rebase makes them, from the oldest to the newest."""
    git(tmp_path, "init", "-q")
    made = []
    for number in range(12):
        git(tmp_path, "commit", "-q", "--allow-empty", "-m", f"Step {number}")
        made.append(git(tmp_path, "rev-parse", "HEAD"))
    return made


def test_commits_of_one_date_are_in_the_order_of_the_history(
    commits: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    order = order_commits(dict.fromkeys(sorted(commits), DATE))
    assert order.is_certain
    assert sorted(commits, key=order.position.__getitem__) == commits
    some = commits[::3]
    order = order_commits(dict.fromkeys(sorted(some), DATE))
    assert list(order.position) == some


def test_without_their_repository_commits_are_in_the_order_of_their_dates(
    commits: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    dates = {commit: DATE.replace(day=28 - k) for k, commit in enumerate(commits)}
    order = order_commits(dates)
    assert order.is_certain
    assert list(order.position) == commits[::-1]
    assert not order_commits(dict.fromkeys(commits, DATE)).is_certain
    # Options are no commits.
    assert not order_commits(dict.fromkeys(["--all", "--output=x"], DATE)).is_certain
    assert not list(elsewhere.iterdir())


def write_results(folder: Path, values: dict[str, float], environment: str = "py") -> Path:
    place = folder / "results" / "vm"
    place.mkdir(parents=True)
    (place / "machine.json").write_text("{}")
    for number, (commit, value) in enumerate(values.items()):
        file = {
            "commit_hash": commit,
            "date": DATE.timestamp() * 1000,
            "env_name": environment,
            "result_columns": COLUMNS,
            "results": {"b.track_queries": [[value], [], "v"]},
        }
        (place / f"{number:03}.json").write_text(json.dumps(file))
    described = {"b.track_queries": {"unit": "queries", "param_names": []}, "version": 2}
    (folder / "results" / "benchmarks.json").write_text(json.dumps(described))
    return folder / "results"


def test_a_planted_regression_is_found_at_its_commit_and_nothing_else(
    commits: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = dict.fromkeys(commits[:7], 100.0) | dict.fromkeys(commits[7:], 300.0)
    folder = write_results(tmp_path, dict(sorted(values.items())))
    monkeypatch.chdir(tmp_path)
    (history,) = read_histories(folder)
    assert [step.at.commit for step in history.regressions] == [commits[7]]
    assert history.is_in_order


def test_the_path_of_a_python_is_not_shown(tmp_path: Path) -> None:
    name = "existing-py_home_me_secret_bin_python"
    shown = shown_environment(f"vm/{name}")
    assert shown.startswith("vm/existing-")
    assert "secret" not in shown
    assert shown != shown_environment("vm/existing-py_home_you_bin_python"), "two environments"
    assert shown_environment("vm/virtualenv-py3.11-numpy") == "vm/virtualenv-py3.11-numpy"
    folder = write_results(tmp_path, {"a" * 40: 1.0, "b" * 40: 2.0}, name)
    assert {history.environment for history in read_histories(folder)} == {shown}


def slower(*, is_in_order: bool = True) -> History:
    measured = []
    for position, value in enumerate((0.0, 0.0, 5.0, 5.0, 10.0, 10.0)):
        measured.append(Measurement(f"{position:040x}", DATE, value, position))
    return History("b.it", "n=3 <&>", "queries", "vm/py", tuple(measured), is_in_order)


def test_commits_of_regressions_are_links() -> None:
    rows = steps_table([slower()], URL)["rows"]
    assert [row[4][2]["href"] for row in rows] == [f"{URL}{4:040x}", f"{URL}{2:040x}"]
    assert [row[8][0] for row in rows] == ["2.00", "from 0"]
    assert steps_table([slower()])["rows"][0][4] == "00000000"
    assert commit_link("https://example.org/c", "ab") == "https://example.org/c/ab"
    assert commit_link("", "ab") == ""


def test_an_unknown_order_is_told() -> None:
    first, *_ = make_overview(Sections("x"), [slower(is_in_order=False)])
    assert "their order is not known" in first["lines"][-1]
    first, *_ = make_overview(Sections("x"), [slower()])
    assert len(first["lines"]) == 2


def test_the_feed_has_each_regression_once() -> None:
    text = make_feed([slower()], "My <site>", URL)
    feed = ElementTree.fromstring(text)
    name = "{http://www.w3.org/2005/Atom}"
    assert feed.findtext(f"{name}title") == "My <site>: regressions"
    assert feed.findtext(f"{name}updated") == DATE.isoformat()
    entries = feed.findall(f"{name}entry")
    assert [entry.findtext(f"{name}title") for entry in entries] == [
        "b.it (n=3 <&>): 5.000 -> 10.000",
        "b.it (n=3 <&>): 0.000 -> 5.000",
    ]
    assert "(2.00 times)" in str(entries[0].findtext(f"{name}summary"))
    assert "times" not in str(entries[1].findtext(f"{name}summary"))
    assert len({entry.findtext(f"{name}id") for entry in entries}) == 2
    link = entries[0].find(f"{name}link")
    assert link is not None
    assert link.get("href") == f"{URL}{4:040x}"
    assert make_feed([slower()], "My <site>", URL) == text, "the same site has the same feed"
    assert "entry" not in make_feed([], "Empty")
