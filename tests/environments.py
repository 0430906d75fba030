"""Fresh environments on top of the running one, with the packages that a test installs."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sysconfig
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

_COMMANDS = """
import json, sys
from click.testing import CliRunner
from hcbench.cli import main
run = CliRunner().invoke
done = [run(main, words, catch_exceptions=False) for words in json.loads(sys.argv[1])]
for each in done:
    assert each.exit_code == 0, each.output
json.dump([each.stdout for each in done], sys.stdout)
"""


@dataclass(frozen=True)
class Environment:
    """A virtual environment on top of the running one.

    Attributes
    ----------
    python : Path
    store : Path
        Store of its hcbench.
    """

    python: Path
    store: Path

    @classmethod
    def make(cls, folder: Path) -> Environment:
        """Create it in a folder."""
        venv.create(folder / "env", with_pip=False, symlinks=True)
        (site,) = (folder / "env" / "lib").glob("python*/site-packages")
        running = sysconfig.get_path("purelib")
        (site / "running.pth").write_text(f"import site; site.addsitedir({running!r})\n")
        return cls(folder / "env" / "bin" / "python", folder / "store.sqlite")

    def install(self, *projects: Path) -> None:
        """Build packages and install them, without an index."""
        for needed in ("hatchling", "pip"):
            if importlib.util.find_spec(needed) is None:
                pytest.skip(f"{needed} is not installed: no package can be built")
        options = ["--no-build-isolation", "--no-deps", "--no-index", "--quiet"]
        self.run("pip", "install", *options, *map(str, projects))

    def hcbench(self, *commands: Sequence[str]) -> list[str]:
        """Run commands one after the other in one process, and return their outputs."""
        printed: list[str] = json.loads(self._python("-c", _COMMANDS, json.dumps(commands)))
        return printed

    def run(self, module: str, *words: str, cwd: Path | None = None) -> str:
        """Run a module as a script, and return its output."""
        return self._python("-m", module, *words, cwd=cwd)

    def _python(self, *words: str, cwd: Path | None = None) -> str:
        done = subprocess.run(
            [str(self.python), *words],
            cwd=cwd or self.store.parent,
            capture_output=True,
            text=True,
            timeout=300,
            env={
                **os.environ,
                "HCBENCH_STORE": str(self.store),
                "COLUMNS": "200",
                "ASV_PYTHONPATH": os.environ.get("PYTHONPATH", ""),  # asv removes the other
            },
        )
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return done.stdout


def quiet_pytest(environment: Environment, *folders: Path) -> str:
    """Run pytest on the folders of packages, and return its last line."""
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-c", "pyproject.toml"]
    printed = environment.run("pytest", *options, *map(str, folders), cwd=folders[0])
    return printed.strip().splitlines()[-1]
