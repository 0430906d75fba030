"""Processes of ours run the code that they should, and get no secrets that they do not need."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

import hcbench
from hcbench import AlgorithmSpec
from hcbench.run.workers.interpreter import is_secret

#: Modules that Python or numpy import at some time, and a user may have beside the results.
SHADOWING = ("json", "random", "signal", "socket", "select", "types", "re", "typing", "enum")


def fill_with_modules(folder: Path) -> Path:
    """Write modules that tell that they ran, and that no program could use."""
    trace = folder / "ran.txt"
    for name in SHADOWING:
        text = f"with open({str(trace)!r}, 'a') as file:\n    file.write('{name} ')\n"
        (folder / f"{name}.py").write_text(text)
    return trace


@pytest.mark.attack("code of the current folder")
@pytest.mark.slow
@pytest.mark.parametrize("executor", ["local", "strict"])
def test_no_file_of_the_current_folder_replaces_a_module(tmp_path: Path, executor: str) -> None:
    trace = fill_with_modules(tmp_path)
    program = str(Path(sys.executable).with_name("hcbench"))
    command = [program, "compare", "--algos", "UPGMA", "--datasets", "iris[n=20]", "-r1"]
    command += ["--executor", executor, "--store", "results.sqlite", "-q", "--format", "csv"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not trace.exists(), trace.read_text()


@pytest.mark.attack("code of the current folder")
@pytest.mark.slow
def test_the_module_form_of_the_program_works_beside_such_files(tmp_path: Path) -> None:
    # Python itself puts the folder first, and reads from it what it needs before us.
    for name in ("json", "random", "socket"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the wrong module')\n")
    command = [sys.executable, "-m", "hcbench", "compare", "--algos", "UPGMA", "-r1", "-q"]
    command += ["--datasets", "iris[n=20]", "--store", "results.sqlite", "--format", "csv"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_module_beside_a_plugin_file_is_imported(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("ANSWER = 1\n")
    plugin = tmp_path / "mine.py"
    plugin.write_text(
        "import numpy as np\nfrom hcbench import AlgorithmSpec, hookimpl\n"
        "def cluster(oracle, items, rng):\n"
        "    import beside\n"
        "    return np.arange(items.n) % (beside.ANSWER + 1)\n"
        "@hookimpl\ndef hcbench_algorithms():\n"
        "    return [AlgorithmSpec(name='mine', function=f'{__name__}:cluster', doc='Mine.',"
        " accepts=('vectors',), returns='partition')]\n"
    )
    for executor in ("local", "strict"):
        store = tmp_path / f"{executor}.sqlite"
        (row,) = hcbench.compare(
            ["mine"],
            datasets=["iris[n=20]"],
            repetitions=1,
            plugins=[plugin],
            executor=executor,
            store=store,
        ).rows
        assert (row["status"], row["reason"]) == ("ok", "")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HCBENCH_LLM_KEY", "sk"),
        ("OPENAI_API_KEY", "sk"),
        ("HF_TOKEN", "hf"),
        ("PGPASSWORD", "p"),
        ("AWS_SECRET_ACCESS_KEY", "a"),
        ("GOOGLE_APPLICATION_CREDENTIALS", "/home/me/key.json"),
        ("apikey", "a"),
        ("DATABASE_URL", "postgresql://me:password@host/results"),
    ],
)
def test_secrets_are_recognised(name: str, value: str) -> None:
    assert is_secret(name, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PATH", "/usr/bin"),
        ("PWD", "/home/me"),
        ("LC_ALL", "C.UTF-8"),
        ("XDG_DATA_HOME", "/home/me/.data"),
        ("OMP_NUM_THREADS", "1"),
        ("TOKENIZERS_PARALLELISM", "false"),
        ("KEYBOARD_LAYOUT", "de"),
        ("DATABASE_URL", "postgresql://me@host/results"),
        ("HTTPS_PROXY", "http://me:password@proxy:8080"),
    ],
)
def test_other_variables_reach_the_workers(name: str, value: str) -> None:
    assert not is_secret(name, value)


def variables_of_a_worker(
    names: Iterable[str], monkeypatch: pytest.MonkeyPatch, secrets: tuple[str, ...] = ()
) -> dict[str, float]:
    """Which variables an algorithm finds in its worker, 1 or 0."""
    for name in names:
        monkeypatch.setenv(name, "secret")

    def look(oracle: object, items: object, rng: object) -> object:
        environment = Path("/proc/self/environ").read_bytes().decode()
        for name in names:
            is_there = name in os.environ or f"{name}=" in environment
            oracle.report(**{name.lower(): float(is_there)})  # type: ignore[attr-defined]
        import numpy as np

        return np.arange(items.n) % 2  # type: ignore[attr-defined]

    spec = AlgorithmSpec(
        name="look",
        function=look,
        doc="Looks.",
        accepts=("vectors",),
        returns="partition",
        secrets=secrets,
    )
    (row,) = hcbench.compare(
        [spec], datasets=["iris[n=20]"], repetitions=1, store=":memory:", metrics=["queries"]
    ).rows
    assert row["status"] == "ok", row["reason"]
    return {name: row["metrics"][f"{name.lower()} (reported)"] for name in names}


@pytest.mark.attack("keys")
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_worker_gets_the_secrets_that_its_specs_declare(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("HCBENCH_LLM_KEY", "PGPASSWORD", "HCBENCH_STORE", "MY_KEY", "MY_VARIABLE")
    monkeypatch.setenv("HCBENCH_STORE", ":memory:")
    found = variables_of_a_worker(names, monkeypatch)
    assert [name for name in names if found[name]] == ["MY_VARIABLE"]
    found = variables_of_a_worker(names, monkeypatch, secrets=("MY_*",))
    assert [name for name in names if found[name]] == ["MY_KEY", "MY_VARIABLE"]
