"""The outcome of a check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NoReturn, TypeAlias

Status: TypeAlias = Literal["passed", "failed", "exempt", "not applicable"]


class CheckFailedError(AssertionError):
    """A plugin breaks a promise; the message says in one sentence which, and how."""


class NotCheckedError(Exception):
    """A check does not apply; the message says why."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of a check.

    Attributes
    ----------
    status : {"passed", "failed", "exempt", "not applicable"}
    reason : str
        In one line; "" if the check passed.
    """

    status: Status
    reason: str = ""


def fail(sentence: str, cause: BaseException | None = None) -> NoReturn:
    """Report a broken promise; the sentence follows the name of the plugin."""
    raise CheckFailedError(" ".join(sentence.split())) from cause


def require(kept: bool, sentence: str) -> None:
    """Fail with a sentence unless a promise is kept."""
    if not kept:
        fail(sentence)


def skip(reason: str) -> NoReturn:
    """Report that a check does not apply."""
    raise NotCheckedError(" ".join(reason.split()))
