"""Packages of third parties are built, installed into a fresh environment, and used there."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.environments import Environment, quiet_pytest

HERE = Path(__file__).parent


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    environment = Environment.make(tmp_path_factory.mktemp("packages"))
    environment.install(HERE / "hcbench_paris", HERE / "hcbench_crowd")
    return environment


def compared(environment: Environment, *words: str) -> list[dict[str, Any]]:
    """Run a comparison, check that all cells succeed, and return the rows."""
    rows: list[dict[str, Any]] = json.loads(
        environment.hcbench("compare", *words, "--format", "json", "-q")
    )["cells"]
    assert rows
    assert {row["status"] for row in rows} == {"ok"}
    return rows


def mean(rows: list[dict[str, Any]], metric: str, **wanted: str) -> float:
    values = [
        row["metrics"][metric]
        for row in rows
        if all(row[key] == value for key, value in wanted.items())
    ]
    return float(sum(values) / len(values))


def test_an_algorithm_of_a_library_that_hcbench_does_not_know(environment: Environment) -> None:
    listed = json.loads(environment.hcbench("list", "algorithms", "--format", "json"))["algorithms"]
    ours = [a["name"] for a in listed if a["plugin"] == "hcbench-paris:graphs"]
    assert ours == ["LouvainIteration", "Paris"]
    assert "Bonald et al. 2018" in environment.hcbench("info", "Paris")
    assert "@inproceedings{bonald2018," in environment.hcbench("cite", "Paris")
    rows = compared(
        environment,
        "--algos=Paris,LouvainIteration,Random",
        *("--datasets=iris", "--metrics=AARI", "-r3"),
    )
    for name in ("Paris", "LouvainIteration"):
        assert mean(rows, "AARI", algorithm=name) > mean(rows, "AARI", algorithm="Random") + 0.2


def test_an_oracle_and_a_metric(environment: Environment) -> None:
    plugins = json.loads(environment.hcbench("plugins", "--format", "json"))
    (ours,) = (p for p in plugins["loaded"] if p["plugin"] == "hcbench-crowd:crowd")
    assert set(ours["requires"].removeprefix("hcbench").split(",")) == {">=0.1", "<0.3"}
    assert (ours["oracles"], ours["metrics"]) == (["crowd"], ["variation-of-information"])
    assert not plugins["broken"]
    rows = compared(
        environment,
        "--algos=WDP",
        "--datasets=cut-of[data=iris,tree=Ward]",
        "--oracles=crowd[votes=[1,9],noise=0.3]",
        "--metrics=variation-of-information,ARI",
        "-r4",
    )
    one, nine = (
        mean(rows, "variation-of-information", oracle=f"crowd[votes={votes},noise=0.3]")
        for votes in (1, 9)
    )
    assert nine < one, "more votes, fewer errors, less that is not told"


def test_the_packages_pass_their_own_tests(environment: Environment) -> None:
    for package in ("hcbench_paris", "hcbench_crowd"):
        assert " passed" in quiet_pytest(environment, HERE / package)


def test_hcbench_check_takes_a_package(environment: Environment) -> None:
    exempt = "crowd:noise_rate=of one person"
    told = environment.hcbench("check", "hcbench-crowd", "--exempt", exempt)
    assert " 0 failed" in told or "failed" not in told
    assert "1 exempt" in told


def test_what_is_installed_there_is_not_here() -> None:
    import hcbench

    with pytest.raises(hcbench.HcbenchError):
        hcbench.load_registry().algorithms.find("Paris")
