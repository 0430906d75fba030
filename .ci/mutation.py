"""Mutation testing of the code that counts, times, judges and computes.

mutmut changes one place at a time, and the tests that guard it have to fail. Install it by
``pip install -e ".[mutation]"``; ``python .ci/mutation.py [GROUP ...] [--jobs N] [--folder F]``
prints the share of mutants killed in each group and a diff of each survivor, and exits with 1 where
a share is below `LEAST`. With a folder that an earlier run filled, only its survivors and what
changed since then are tested again. tests/SURVIVORS.md says why the survivors remain.

mutmut runs in a copy of the repository. As it skips decorated functions, in the copy ``@property``
above a function becomes an assignment below it, caches are removed, and numba's kernels are plain
Python functions. Lines that hold nothing but a piece of a message are not mutated.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
LEAST = 0.9
_REMOVED = ("njit", "inner", "cache", "lru_cache")
_MOVED = ("property", "cached_property")
_KILLED = (1, 3, -24, 24, 36, 152, 255, -11)  # a test failed, the time was up, or the process died


@dataclass(frozen=True)
class Group:
    """Modules that are mutated, and the tests that guard them."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]
    options: tuple[str, ...] = ()


_STATISTICS = ("test_intervals.py", "test_statistics.py", "test_statistics_ranks.py")
GROUPS = {
    "ledger": Group(
        tuple(
            f"hcbench/oracle/{name}.py"
            for name in ("oracle", "account", "ledger", "paid", "answers")
        ),
        tuple(
            f"core/oracle/test_{name}.py"
            for name in ("oracle", "draws", "kinds", "paid", "ratings", "reported")
        ),
        ("-k", "not one_store and not make_runs_each and not was_away"),  # these run comparisons
    ),
    "call": Group(
        (
            "hcbench/run/cell.py",
            "hcbench/run/failures.py",
            "hcbench/run/returned.py",
            "hcbench/run/timed_call.py",
        ),
        ("core/run/test_cell.py",),
    ),
    "keys": Group(
        (
            *(f"hcbench/plan/{name}.py" for name in ("cell", "plan", "seeds")),
            "hcbench/registry/fingerprint.py",
        ),
        (
            "core/plan/test_plan.py",
            "core/plan/test_shards.py",
            "core/results/test_truths.py",
            "core/oracle/test_paid.py",
        ),
        # The others start processes or run comparisons.
        ("-k", "not merged and not dry_run and not runs and not one_store and not make_runs_each"),
    ),
    "statistics": Group(
        (
            "hcbench/analysis/statistics.py",
            "hcbench/analysis/block_ranks.py",
            "hcbench/analysis/signed_ranks.py",
            "hcbench/analysis/performance_profiles.py",
            "hcbench/analysis/power_laws.py",
            "hcbench/analysis/intervals.py",
            "hcbench/analysis/simultaneous.py",
        ),
        tuple(f"core/analysis/{name}" for name in _STATISTICS),
    ),
    "verdicts": Group(
        ("hcbench/claims/verdicts.py", "hcbench/claims/measuring.py"),
        ("core/results/test_results.py", "core/claims/test_claims.py"),
    ),
    "kernels": Group(
        ("hcbench_metrics/_purity_kernels.py", "hcbench_metrics/_triplet_kernels.py"),
        ("plugins/metrics/test_purity.py", "plugins/metrics/test_triplets.py"),
        (
            *("-W", "ignore:overflow encountered:RuntimeWarning"),  # hashes are modulo 2**64
            *("-k", "not large_counts"),  # takes minutes as plain Python
        ),
    ),
}

# A cell starts with the environment of its process, of which mutmut's choice of a mutant is a part.
_PROFILE = """
from hypothesis import Phase

from hcbench.run.process_state import Surroundings


@pytest.fixture(autouse=True)
def _the_mutant_stays(monkeypatch):
    monkeypatch.setattr("hcbench.run.cell._surroundings", Surroundings.now())


settings.register_profile(
    "mutation", deadline=None, derandomize=True, max_examples=20,
    phases=[Phase.explicit, Phase.generate],
)
settings.load_profile("mutation")
"""

_SETTINGS = """[mutmut]
source_paths=
  src
only_mutate=
  {modules}
do_not_mutate_patterns=
  ^\\s+f?"[^"]*"$
  ^\\s+raise \\w+\\(f?"[^"]*"\\)$
pytest_add_cli_args=
  -n0
  {options}
pytest_add_cli_args_test_selection=
  {tests}
timeout_multiplier=6
timeout_constant=2
use_git_change_detection=false
"""


def copy(group: Group, folder: Path) -> None:
    """Fill a folder with what mutmut runs in; files that are the same there stay as they are."""
    for source, target in _copied():
        text = source.read_bytes()
        relative = str(target)
        if target.suffix == ".py" and any(target.match(f"src/{m}") for m in group.modules):
            text = undecorate(text.decode()).encode()
        elif relative == "tests/conftest.py":
            text += _PROFILE.encode()
        target = folder / target
        if not target.exists() or target.read_bytes() != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text)
    tests = sorted(
        str(found.relative_to(ROOT))
        for pattern in group.tests
        for found in (ROOT / "tests").glob(pattern)
    )
    (folder / "setup.cfg").write_text(
        _SETTINGS.format(
            modules="\n  ".join(f"src/{name}" for name in group.modules),
            options="\n  ".join(group.options),
            tests="\n  ".join(tests),
        )
    )


def _copied() -> Iterator[tuple[Path, Path]]:
    """Files, and where each goes: mutmut expects packages in a folder src."""
    for folder, target in (("core", "src"), ("plugins", "src"), ("tests", "tests")):
        for found in (ROOT / folder).rglob("*"):
            if found.is_file() and "__pycache__" not in found.parts:
                yield found, target / found.relative_to(ROOT / folder)
    yield ROOT / "pyproject.toml", Path("pyproject.toml")


def undecorate(source: str) -> str:
    """Remove the decorators of functions and methods, or put them below as assignments."""
    lines = source.splitlines()
    edits: list[tuple[int, int, str]] = []
    tree = ast.parse(source)
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    for node in [*tree.body, *(child for owner in classes for child in owner.body)]:
        for decorator in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            name = called.id if isinstance(called, ast.Name) else ""
            if name in (*_REMOVED, *_MOVED):
                indent = " " * node.col_offset
                below = f"{indent}{node.name} = {name}({node.name})" if name in _MOVED else ""
                edits.append((decorator.lineno, node.end_lineno or 0, below))
    for at, end, below in sorted(edits, reverse=True):
        lines.insert(end, below)
        del lines[at - 1]
    return "\n".join(lines) + "\n"


def run(folder: Path, jobs: int) -> dict[str, int | None]:
    """Let mutmut test what is not tested yet; the exit code of the tests by mutant."""
    (folder / "mutants/mutmut-stats.json").unlink(missing_ok=True)
    for path in _results(folder):
        result = json.loads(path.read_text())
        codes = result["exit_code_by_key"]
        result["exit_code_by_key"] = {k: c if c in _KILLED else None for k, c in codes.items()}
        path.write_text(json.dumps(result))
    # Python does not import from a folder that was not there when it started.
    (folder / "mutants/src").mkdir(parents=True, exist_ok=True)
    before = os.environ.get("PYTHONPATH")
    path = os.pathsep.join(filter(None, (str(folder / "mutants/src"), before)))
    command = [sys.executable, "-m", "mutmut", "run", "--max-children", str(jobs)]
    with (folder / "mutmut.log").open("w") as log:
        done = subprocess.run(
            command, cwd=folder, env={**os.environ, "PYTHONPATH": path}, stdout=log, stderr=log
        )
    if done.returncode:
        sys.exit((folder / "mutmut.log").read_text()[-5000:])
    return {
        name: code
        for path in _results(folder)
        for name, code in json.loads(path.read_text())["exit_code_by_key"].items()
    }


def _results(folder: Path) -> list[Path]:
    return sorted((folder / "mutants/src").rglob("*.meta"))


def tell(name: str, folder: Path, codes: dict[str, int | None]) -> bool:
    """Print the share killed and the survivors; whether they are few enough."""
    survivors = [mutant for mutant, code in codes.items() if code not in _KILLED]
    killed = len(codes) - len(survivors)
    print(f"\n{name}: {killed} of {len(codes)} mutants killed, {killed / len(codes):.1%}")
    os.chdir(folder)
    from mutmut.mutation.diff_apply import get_diff_for_mutant

    for mutant in survivors:
        diff = get_diff_for_mutant(mutant).splitlines()[3:]
        print(f"\n{mutant} ({codes[mutant]})")
        print("\n".join(line for line in diff if line.startswith(("-", "+"))))
    return killed >= LEAST * len(codes)


def main() -> None:
    """Test the groups that the command line names, else all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("groups", nargs="*", help=", ".join(GROUPS))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--folder", type=Path)
    chosen = parser.parse_args()
    work = chosen.folder or Path(tempfile.mkdtemp())
    enough = True
    for name in chosen.groups or GROUPS:
        folder = (work / name).resolve()
        copy(GROUPS[name], folder)
        enough &= tell(name, folder, run(folder, chosen.jobs))
    if chosen.folder is None:
        shutil.rmtree(work)
    sys.exit(0 if enough else 1)


if __name__ == "__main__":
    main()
