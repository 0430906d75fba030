"""What git knows of the two commits."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from hcbench.errors import DataError

TRAILER = "Accepted-Regression"
"""The line of a commit message that declares a regression: its benchmark, with * and ?."""


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


def check_out(root: Path, commit: Commit, folder: Path) -> None:
    """Write the files of a commit into a folder, with a repository of its own."""
    _git(root, "clone", "--quiet", "--shared", "--no-checkout", str(root), str(folder))
    _git(folder, "checkout", "--quiet", "--detach", commit.hash)


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
