"""The commits of a project: finding and installing them.

`TRAILER` is the line of a commit message that declares a regression, and `INSTALLED` the number of
installed commits on disk.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path

from hcbench import DataError
from hcbench.asv import reproducible_environment

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
        The branch, tag or hash by which a user names it.
    hash : str
        The full hash.
    milliseconds : int
        The time of the commit, since 1970.
    """

    name: str
    hash: str
    milliseconds: int

    @property
    def short(self) -> str:
        """The beginning of the hash, as in the names of asv's files."""
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
        # A name may begin with a hyphen, and a tag may be an object of its own.
        commit_hash = _git(
            root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"
        )
    except DataError as error:
        raise DataError(
            f"{name} is no commit of {root}; is it fetched? (git fetch --unshallow)"
        ) from error
    seconds = int(_git(root, "show", "-s", "--format=%ct", commit_hash))
    return Commit(name=name, hash=commit_hash, milliseconds=1000 * seconds)


def accepted_between(root: Path, base: Commit, head: Commit) -> list[str]:
    """The patterns of regressions that commits of ``base..head`` declare in their messages."""
    trailers = f"--format=%(trailers:key={TRAILER},valueonly)"
    text = _git(root, "log", trailers, f"{base.hash}..{head.hash}")
    return [line.strip() for line in text.splitlines() if line.strip()]


def install(root: Path, commit: Commit, folder: Path) -> Path:
    """Build a commit and install it into a folder, without its dependencies; once.

    Parameters
    ----------
    root : Path
        The top of the repository.
    commit : Commit
    folder : Path
        The folder of such installations, each in a folder named by its commit.

    Returns
    -------
    Path
        The folder of the installed commit.

    Raises
    ------
    DataError
        If it cannot be built.
    """
    target = folder / commit.hash
    if target.is_dir():
        target.touch()  # the last ones that were used are kept
        return target
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as work:
        source = Path(work) / "source"
        installed = Path(work) / "installed"
        _git(root, "clone", "--quiet", "--shared", "--no-checkout", str(root), str(source))
        _git(source, "checkout", "--quiet", "--detach", commit.hash)
        command = [sys.executable, "-P", "-m", "pip", "install", "--quiet", "--no-deps"]
        command += ["--target", str(installed), str(source)]
        environment = dict(reproducible_environment(Path(work)))
        environment["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        if done.returncode:
            lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
            raise DataError(f"{commit.name} cannot be installed: {lines[-1]}")
        # Only a complete installation has the name of a commit.
        installed.rename(target)
    by_use = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)
    for path in by_use[:-INSTALLED]:
        shutil.rmtree(path, ignore_errors=True)
    return target


def installed_distributions(folder: Path) -> list[str]:
    """The packages in a folder that `install` has filled, as ``hcbench plugins`` names them."""
    return sorted({distribution.name for distribution in distributions(path=[str(folder)])})


def _git(folder: Path, *arguments: str) -> str:
    """What git prints.

    Raises
    ------
    DataError
        If git is not installed, or fails.
    """
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True
        )
    except FileNotFoundError as error:
        raise DataError("git is not installed, and regress compares commits") from error
    except subprocess.CalledProcessError as error:
        reason = " ".join(error.stderr.split()) or f"exit code {error.returncode}"
        raise DataError(f"git {arguments[0]}: {reason}") from error
    return done.stdout.strip()
