"""People who answer on web pages: each has a session, a file of answers and a token."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Sequence
from itertools import combinations

from hcbench import AlgorithmSpec, HcbenchError, Tree
from hcbench.registry import Use
from hcbench_ask.agreement import agreement
from hcbench_ask.answers_file import AnswersFile
from hcbench_ask.interview import Interview
from hcbench_ask.session import Query, Session, SessionResult

#: Seconds that the last page may take to be fetched.
_FAREWELL = 10


class _KeyNeeded(BaseException):
    """Raised when a query needs a key of the page: the algorithm stops here.

    No `Exception`, so that an algorithm cannot catch it by mistake.
    """

    def __init__(self, query: Query, message: str) -> None:
        self.query = query
        self.message = message


class Annotator:
    """A person at a browser, with a session and a file of answers.

    A page sends a key, which the `Interview` reads as if it came from a terminal: the algorithm
    runs again from the start up to this query, the answer is stored, and the next query becomes
    the page.

    Parameters
    ----------
    number : int
        From 1; part of the link.
    use : Use
        The algorithm.
    file : AnswersFile
    tree : Tree, optional
        Tree to be cut.

    Attributes
    ----------
    token : str
        Needed in every request.
    step : int
        Number of keys so far; a page that was shown before another key is refused.
    query : Query or None
        The current query; None at the end.
    message : str
        Shown above the query.
    result : SessionResult or None
        At the end.
    error : HcbenchError or None
        Why the session cannot continue.
    finished : threading.Event
        Set when there is no query any more.
    last_page_sent : threading.Event
        Set when the page without a query has been sent.
    """

    def __init__(
        self, number: int, use: Use[AlgorithmSpec], file: AnswersFile, tree: Tree | None
    ) -> None:
        self.number = number
        self.file = file
        self.token = secrets.token_urlsafe(24)
        self.step = 0
        self.query: Query | None = None
        self.message = ""
        self.result: SessionResult | None = None
        self.error: HcbenchError | None = None
        self.finished = threading.Event()
        self.last_page_sent = threading.Event()
        self._label = use.label
        # The key that was pressed and not read yet; "" if there is none.
        self._key = ""
        self._session = Session(use, file, Interview(self._read), tree)
        self._advance()
        if self.query is None:
            # Nobody is asked, so nobody opens a page.
            self.last_page_sent.set()

    def press(self, step: int, key: str) -> None:
        """Answer the current query by a key, unless the page is an old one.

        Parameters
        ----------
        step : int
            `step` of the page on which the key was pressed.
        key : str
        """
        if self.query is None:
            return
        if step != self.step:
            self.message = "The previous page was old, and its answer was not used."
            return
        self._key = key
        self._advance()

    def wait(self) -> None:
        """Wait for the last answer, and then a while for the last page to be fetched."""
        self.finished.wait()
        self.last_page_sent.wait(_FAREWELL)

    def _advance(self) -> None:
        """Run the algorithm up to the next query, or to the end."""
        # Pages that were shown before are old now.
        self.step += 1
        self.query = None
        try:
            self.result = self._session.run()
        except _KeyNeeded as needed:
            self.query = needed.query
            self.message = needed.message
        except HcbenchError as error:
            self.error = error
        except Exception as error:
            # An error of the algorithm would end this request, and the command would wait for ever.
            self.error = self._failure(error)
        if self.query is None:
            self.finished.set()

    def _failure(self, cause: Exception) -> HcbenchError:
        reason = f"{type(cause).__name__}: {cause}"
        error = HcbenchError(
            f"{self._label} failed with {reason}; the answers are stored: report it to its "
            "author, or use another --algo with another --answers FILE"
        )
        error.__cause__ = cause
        return error

    def _read(self, query: Query, message: str) -> str:
        """The key that was pressed; once, as every later query needs another one."""
        if not self._key:
            raise _KeyNeeded(query, message)
        key = self._key
        self._key = ""
        return key


def agreement_lines(annotators: Sequence[Annotator]) -> list[str]:
    """A line for each two annotators, with the share of equal answers."""
    lines = []
    for first, second in combinations(annotators, 2):
        agreeing = agreement(first.file.recorded, second.file.recorded)
        lines.append(f"annotators {first.number} and {second.number} agree on {agreeing}")
    return lines
