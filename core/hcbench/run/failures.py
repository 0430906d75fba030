"""Why a cell has no result: its status, its phase and its reason."""

from __future__ import annotations

import traceback

from hcbench.errors import (
    BudgetExceededError,
    DataNotAvailableError,
    HcbenchError,
    NotApplicableError,
    OracleError,
    UnansweredError,
)
from hcbench.plan.outcome import Outcome, Status
from hcbench.run.workers.encoding import encodable

#: Characters of a reason or a note.
LONGEST = 4096
# Characters of a traceback, of which the end is kept.
_LONGEST_TRACE = 1 << 16


def failed_outcome(error: BaseException) -> Outcome:
    """The outcome of a cell of which something raised."""
    trace = "".join(traceback.format_exception(error))
    return Outcome(
        status=_status_of(error),
        reason=describe(error),
        traceback=encodable(trace[-_LONGEST_TRACE:]),
        phase=_phase_of(error),
    )


def _status_of(error: BaseException) -> Status:
    """The status of a cell of which something raised."""
    if isinstance(error, DataNotAvailableError | NotApplicableError):
        return "skipped"
    if isinstance(error, BudgetExceededError):
        return "budget"
    if isinstance(error, UnansweredError):
        return "unanswered"
    if isinstance(error, MemoryError):
        return "memory"
    return "error"


def _phase_of(error: BaseException) -> str:
    """The phase to which an error belongs, whenever it was raised; "" if any may raise it."""
    if isinstance(error, OracleError):
        return "oracle"
    if isinstance(error, DataNotAvailableError):
        return "data"
    if isinstance(error, ImportError):
        return "imports"
    return ""


def describe(error: BaseException) -> str:
    r"""An error in one line, which is cut; the messages of our own errors need no type.

    Examples
    --------
    >>> describe(ValueError("the matrix has\na negative entry"))
    'ValueError: the matrix has a negative entry'
    >>> describe(hcbench.NotApplicableError("it needs a GPU"))
    'it needs a GPU'
    """
    text = " ".join(str(error).split())
    if not isinstance(error, HcbenchError):
        type_name = type(error).__name__
        if text:
            text = f"{type_name}: {text}"
        else:
            text = type_name
    return encodable(text[:LONGEST])
