"""The two commits: what git knows of them, and how they are installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from hcbench.authoring.asv.process import reproducible_environment
from hcbench.errors import DataError

TRAILER = "Accepted-Regression"
"""The line of a commit message that declares a regression: its benchmark, with * and ?."""

INSTALLED = 10
"""Installed commits on disk; with its compiled kernels each takes some 20 MB."""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit of the project.

    Attributes
    ----------
    name : str
        As it was asked for.
    hash : str
    milliseconds : int
        When it was committed, since 1970.
    """

    name: str
    hash: str
    milliseconds: int

    @property
    def short(self) -> str:
        """As asv's file names have it."""
        return self.hash[:8]


def find_root(folder: Path) -> Path:
    """The top of the repository that holds a folder.

    Raises
    ------
    DataError
        If there is none.
    """
    return Path(_git(folder, "rev-parse", "--show-toplevel"))


def find_commit(root: Path, name: str) -> Commit:
    """The commit that a branch, a tag or a hash names.

    Raises
    ------
    DataError
        If there is none of that name.
    """
    try:
        found = _git(
            root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"
        )
    except DataError as error:
        raise DataError(
            f"{name} is no commit of {root}; is it fetched? (git fetch --unshallow)"
        ) from error
    return Commit(name, found, 1000 * int(_git(root, "show", "-s", "--format=%ct", found)))


def accepted_between(root: Path, base: Commit, head: Commit) -> list[str]:
    """The patterns of regressions that commits of ``base..head`` declare in their messages."""
    text = _git(
        root, "log", f"--format=%(trailers:key={TRAILER},valueonly)", f"{base.hash}..{head.hash}"
    )
    return [line.strip() for line in text.splitlines() if line.strip()]


def install(root: Path, commit: Commit, folder: Path) -> Path:
    """Build a commit and install it into a folder, without its dependencies; once.

    Parameters
    ----------
    root : Path
        Of the repository.
    commit : Commit
    folder : Path
        Of such installations, each in a folder named by its commit.

    Raises
    ------
    DataError
        If it cannot be built.
    """
    target = folder / commit.hash
    if target.is_dir():
        target.touch()
        return target
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as work:
        source, installed = Path(work) / "source", Path(work) / "installed"
        _git(root, "clone", "--quiet", "--shared", "--no-checkout", str(root), str(source))
        _git(source, "checkout", "--quiet", "--detach", commit.hash)
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
        done = subprocess.run(
            [*command, str(installed), str(source)],
            capture_output=True,
            text=True,
            env={**reproducible_environment(Path(work)), "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
        )
        if done.returncode:
            said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
            raise DataError(f"{commit.name} cannot be installed: {said[-1]}")
        installed.rename(target)
    _remove_old(folder)
    return target


def _remove_old(folder: Path) -> None:
    """Remove all but the most recently used installations."""
    used = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)
    for path in used[:-INSTALLED]:
        shutil.rmtree(path, ignore_errors=True)


def _git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True
        )
    except FileNotFoundError as error:
        raise DataError("git is not installed, and regress compares commits") from error
    except subprocess.CalledProcessError as error:
        said = " ".join(error.stderr.split()) or f"exit code {error.returncode}"
        raise DataError(f"git {arguments[0]}: {said}") from error
    return done.stdout.strip()
