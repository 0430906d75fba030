"""What a check comes to, and how its functions say it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NoReturn, TypeAlias

Status: TypeAlias = Literal["passed", "failed", "exempt", "not applicable"]


class CheckFailedError(AssertionError):
    """A plugin does not keep a promise; the message is one sentence that says which, and how."""


class NotCheckedError(Exception):
    """A check does not apply, and why."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check came to.

    Attributes
    ----------
    status : {"passed", "failed", "exempt", "not applicable"}
    reason : str
        In one line; "" if it passed.
    """

    status: Status
    reason: str = ""


def fail(sentence: str, cause: BaseException | None = None) -> NoReturn:
    """Say that a promise is broken."""
    raise CheckFailedError(" ".join(sentence.split())) from cause


def require(kept: bool, sentence: str) -> None:
    """Fail with a sentence unless a promise is kept."""
    if not kept:
        fail(sentence)


def skip(reason: str) -> NoReturn:
    """Say that a check does not apply."""
    raise NotCheckedError(" ".join(reason.split()))
