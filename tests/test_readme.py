"""The examples in the README and the documentation work.

Blocks of ``sh`` are run; commands of ``console`` must exist. Blocks of ``python`` are plugin
files if they implement hooks, otherwise the script of their page.
"""

import ast
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import hcbench
from hcbench.cli import main

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "core" / "docs").glob("*.md")),
    ROOT / "plugins" / "hcbench_ask" / "README.md",
]
SETUP = ("python3 -m venv", ". .venv")

pytestmark = pytest.mark.slow


def blocks(page: Path, language: str) -> list[str]:
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def commands(page: Path) -> list[str]:
    lines = [line for block in blocks(page, "sh") for line in block.splitlines()]
    return [line for line in lines if not line.startswith(SETUP)]


def plugin_files() -> dict[str, str]:
    """The plugins in the pages, each of which begins with the name of its file."""
    shown = [code for page in PAGES for code in blocks(page, "python") if "hookimpl" in code]
    return {code.split("\n", 1)[0].removeprefix("# "): code for code in shown}


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The current folder, with the files of the pages, and a store with a run."""
    tmp_path = tmp_path_factory.mktemp("reader")
    suites = [code for page in PAGES for code in blocks(page, "toml") if "claims" in code]
    (tmp_path / "closer.toml").write_text(suites[0])
    for name, code in plugin_files().items():
        (tmp_path / name).write_text(code)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        patch.setenv("HCBENCH_STORE", str(tmp_path / "store.sqlite"))
        patch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
        run("hcbench example plants")
        run("hcbench compare --algos UPGMA --datasets iris --metrics AARI -r 1 -q")
        yield tmp_path


@pytest.fixture
def folder(reader: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same, with a store of its own."""
    shutil.copy(reader / "store.sqlite", tmp_path)
    monkeypatch.setenv("HCBENCH_STORE", str(tmp_path / "store.sqlite"))
    return reader


def run(command: str) -> str:
    """Run a command, hcbench in this process, and return its output."""
    printed = ""
    for part in command.split(" && "):
        if part.startswith("hcbench "):
            result = CliRunner().invoke(main, shlex.split(part)[1:])
            assert result.exit_code == 0, f"{part}\n{result.output}"
            printed += result.stdout
        else:
            done = subprocess.run(["bash", "-euc", part], capture_output=True, text=True)
            assert done.returncode == 0, f"{part}\n{done.stderr}"
            printed += done.stdout
    return printed


def test_each_kind_of_plugin_takes_at_most_twenty_statements() -> None:
    for kind in ("algorithms", "metrics", "datasets", "oracles"):
        shown = [code for code in plugin_files().values() if f"def hcbench_{kind}" in code]
        assert shown
        for code in shown:
            # A call whose arguments have a line each is one statement.
            statements = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.stmt)]
            assert len(statements) <= 20, kind


@pytest.mark.parametrize("page", [p for p in PAGES if commands(p)], ids=lambda page: page.stem)
def test_each_command_of_a_page_works(page: Path, folder: Path) -> None:
    for command in commands(page):
        assert run(command) or " -o " in command, command


def test_each_command_that_is_not_run_exists() -> None:
    for page in PAGES:
        for line in "".join(blocks(page, "console")).splitlines():
            for part in line.removeprefix("$ ").split(" && "):
                if line.startswith("$ ") and part.startswith("hcbench "):
                    words = shlex.split(part, comments=True)[1:]
                    result = CliRunner().invoke(main, [*words, "--help"])
                    assert result.exit_code == 0, f"{part}\n{result.output}"


@pytest.mark.parametrize("page", ["README.md", "core/docs/python.md"])
def test_the_python_of_a_page_works(
    page: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = "\n".join(c for c in blocks(ROOT / page, "python") if "hookimpl" not in c)
    exec(compile(code, page, "exec"), {"__name__": "__main__"})
    printed = capsys.readouterr().out
    assert "| UPGMA |" in printed
    if page.endswith("python.md"):
        assert "(0,1)" in printed, "the pair that is preferred most merges first"


def test_links_lead_to_files() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_readme_is_short_and_ci_runs_its_commands() -> None:
    readme = ROOT / "README.md"
    lines = readme.read_text(encoding="utf-8").splitlines()
    assert len(lines) < 150, "what a newcomer reads"
    assert sum(line.startswith(SETUP) for line in "".join(blocks(readme, "sh")).splitlines()) == 2
    assert "readme_command 2" in (ROOT / ".ci" / "run").read_text()


def test_the_forest_of_the_documentation_is_that_of_connected_components(
    folder: Path,
) -> None:
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial.distance import pdist, squareform

    registry = hcbench.load_registry([folder / "within.py"])
    X = np.random.default_rng(0).normal(size=(30, 2))
    apart = squareform(pdist(X))
    for distance, expected in ((0.0, 30), (0.3, None), (9.0, 1)):
        (within,) = registry.use_algorithms(f"Within[distance={distance}]")
        tree = hcbench.fit(within, X)
        count, labels = connected_components(apart <= distance, directed=False)
        assert expected in (None, count)
        assert tree.cut(count) == hcbench.Partition(labels)
        assert np.isinf(tree.height[tree.root]) == (count > 1)


# ---- Types ---------------------------------------------------------------------------------------

#: The options of each type checker; the workflow installs the last two.
CHECKERS = {
    "mypy": ("--ignore-missing-imports", "--check-untyped-defs"),
    "basedpyright": ("--level", "error", "--pythonpath", sys.executable),
    "ty": ("check", "--ignore", "import-not-found", "--python", sys.prefix),
}

# Rules that are stricter than those of pyright are a matter of taste, and packages of others, such
# as genieclust, need not be installed.
PYRIGHT = {"typeCheckingMode": "standard", "reportMissingImports": False}


@pytest.mark.parametrize("checker", CHECKERS)
def test_type_checkers_find_no_mistake_in_the_examples(checker: str, tmp_path: Path) -> None:
    """What users of hcbench write passes their checkers, without a cast or an ignored line."""
    if find_spec(checker) is None:
        pytest.skip(f"{checker} is not installed")
    for page in [*PAGES, *sorted((ROOT / "plugins").glob("*/README.md"))]:
        folder = page.parent.name.replace("-", "_")
        script = []
        for number, code in enumerate(blocks(page, "python")):
            if "hookimpl" in code:
                # A plugin, which is a file of its own.
                (tmp_path / f"plugin_{folder}_{page.stem}{number}.py").write_text(code)
            else:
                script.append(code)
        if script:
            (tmp_path / f"page_{folder}_{page.stem}.py").write_text("\n".join(script))
    files = sorted(file.name for file in tmp_path.glob("*.py"))
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(PYRIGHT))
    command = [sys.executable, "-m", checker, *CHECKERS[checker], *files]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
