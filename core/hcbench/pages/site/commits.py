"""The order of commits, and the places where they can be looked at."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

#: What asv writes for a commit.
_HASH = re.compile(r"[0-9a-f]{7,64}")
#: Seconds for the history of a large repository.
_PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class CommitOrder:
    """The positions of commits.

    Attributes
    ----------
    position : mapping of commit to int
    is_certain : bool
        False if some commits have the same date, and no repository says which of them is first.
    """

    position: Mapping[str, int]
    is_certain: bool


def order_commits(dates: Mapping[str, datetime]) -> CommitOrder:
    """Order commits as in the history of the repository in the current folder, else by date.

    A rebase gives many commits one date, so that dates do not say which of them came first.

    Parameters
    ----------
    dates : mapping of commit to datetime
    """
    history = _history_of(dates)
    if len(history) == len(dates):
        return CommitOrder(_positions(history), is_certain=True)
    by_date = sorted(dates, key=lambda commit: (dates[commit], commit))
    return CommitOrder(_positions(by_date), is_certain=len(set(dates.values())) == len(dates))


def _positions(commits: Iterable[str]) -> dict[str, int]:
    return {commit: position for position, commit in enumerate(commits)}


def _history_of(commits: Iterable[str]) -> list[str]:
    """The commits from the oldest to the newest; empty if the current folder has not all of them.

    It is the user's folder, not that of the results, which may come from a stranger.
    """
    hashes = list(commits)
    if not all(_HASH.fullmatch(commit) for commit in hashes):
        return []
    command = ["git", "rev-list", "--topo-order", "--reverse", "--stdin"]
    try:
        listed = subprocess.run(
            command,
            # A partial clone would fetch what it lacks, by a program that its settings name.
            env={**os.environ, "GIT_ALLOW_PROTOCOL": "none"},
            input="\n".join(hashes),
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        # There is no git, no repository, or another one.
        return []
    measured = set(hashes)
    return [commit for commit in listed.stdout.split() if commit in measured]


def commit_link(base: str, commit: str) -> str:
    """The address of a commit; "" without a base, such as ``https://example.org/me/it/commit/``."""
    if not base:
        return ""
    return base.rstrip("/") + "/" + commit
