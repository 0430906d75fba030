"""``hcbench ask --web``: queries on a local web page, one link with a token for each annotator.

Every request is checked before anything else is read: its Host header, so that no other site can
reach the server by DNS rebinding, and the token of the annotator. A page sends a key, which the
`Interview` of the annotator reads as if it came from a terminal: the algorithm runs again from the
start up to this query, the answer is stored, and the next query becomes the page.
"""

from __future__ import annotations

import hmac
import ipaddress
import mimetypes
import os
import secrets
import shutil
import socket
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import combinations
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

import jinja2

from hcbench import AlgorithmSpec, DataError, HcbenchError, Tree
from hcbench.registry import Use
from hcbench_ask.agreement import agreement
from hcbench_ask.answers_file import AnswersFile
from hcbench_ask.interview import Interview, earlier_text, help_lines, items_with_keys, progress
from hcbench_ask.outline import outline, visible
from hcbench_ask.pictures import picture_file
from hcbench_ask.session import Query, Session, SessionResult

_MOST_BYTES = 256  # of the body of a request
_SECONDS = 10  # for a request to arrive
_SHOWN = frozenset((".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp"))  # by browsers


class _Shown(BaseException):
    """Raised when a query needs a key of the page."""

    def __init__(self, query: Query, message: str) -> None:
        self.query = query
        self.message = message


class Annotator:
    """A person at a browser, with a session and a file of answers.

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
    result : SessionResult or None
        At the end.
    error : HcbenchError or None
        Why the session cannot continue.
    finished : threading.Event
        Set when there is no query any more.
    left : threading.Event
        Set when the last page has been sent.
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
        self.left = threading.Event()
        self._label = use.label
        self._key = ""
        self._session = Session(use, file, Interview(self._read), tree)
        self._advance()
        if self.query is None:
            self.left.set()

    def press(self, step: int, key: str) -> None:
        """Answer the current query by a key, unless the page is an old one."""
        if step == self.step and self.query is not None:
            self._key = key
            self._advance()
        elif self.query is not None:
            self.message = "The previous page was old, and its answer was not used."

    def _advance(self) -> None:
        self.step += 1
        self.query = None
        try:
            self.result = self._session.run()
        except _Shown as shown:
            self.query, self.message = shown.query, shown.message
        except HcbenchError as error:
            self.error = error
        except Exception as error:
            # Of the algorithm: it would end this request, and the command would wait for ever.
            reason = f"{type(error).__name__}: {error}"
            self.error = HcbenchError(
                f"{self._label} failed with {reason}; the answers are stored: report it to its "
                "author, or use another --algo with another --answers FILE"
            )
            self.error.__cause__ = error
        if self.query is None:
            self.finished.set()

    def wait(self) -> None:
        """Wait for the last answer, and then a while for the last page to be fetched."""
        self.finished.wait()
        self.left.wait(_SECONDS)

    def _read(self, query: Query, message: str) -> str:
        key, self._key = self._key, ""
        if not key:
            raise _Shown(query, message)
        return key


class Server(ThreadingHTTPServer):
    """Serves the pages of annotators, and the pictures among their items.

    Parameters
    ----------
    annotators : sequence of Annotator
    folder : Path
        Folder to which the paths of pictures are relative.
    title : str
        Shown above each query.
    host : str
        Address to listen on.
    port : int
        0 for any free one.

    Raises
    ------
    DataError
        If it cannot listen there.
    """

    # Nobody waits for clients that are slow; an annotator tells when the last page has been sent.
    daemon_threads = True

    def __init__(
        self, annotators: Sequence[Annotator], folder: Path, title: str, host: str, port: int
    ) -> None:
        self.annotators = annotators
        self.items = annotators[0].file.header.items
        self.folder = folder
        self.title = title
        self.host = host
        self.is_closed = False  # no answer is stored any more
        self.lock = threading.Lock()  # the algorithm's warnings are collected for the whole process
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            super().__init__((host, port), _Handler)
        except OSError as error:
            raise DataError(
                f"cannot listen on {host}, port {port}: {error.strerror}; use another --host or "
                "--port"
            ) from error

    def server_bind(self) -> None:
        """Bind without looking up the name of the host."""
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = self.host, self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that leave or are slow."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def link(self, annotator: Annotator) -> str:
        """The address of an annotator's page, with the token."""
        host = self.host
        if host in ("0.0.0.0", "::"):
            host = socket.gethostname()
        host = f"[{host}]" if ":" in host else host
        return f"http://{host}:{self.server_port}/{annotator.number}/?token={annotator.token}"

    def is_own(self, host: str) -> bool:
        """Whether a Host header names this server: by an address, which needs no DNS, or name."""
        try:
            name = urlsplit(f"//{host}").hostname or ""
            if name in ("localhost", self.host.lower(), socket.gethostname().lower()):
                return True
            return bool(ipaddress.ip_address(name))
        except ValueError:
            return False

    def picture(self, item: int) -> Path | None:
        """The file of an item that is a picture that browsers show, if it exists."""
        file = picture_file(self.items[item], self.folder)
        shown = file is not None and file.suffix.lower() in _SHOWN and os.path.isfile(file)
        return file if shown else None

    def agreements(self) -> list[str]:
        """A line for each two annotators."""
        return [
            f"annotators {a.number} and {b.number} agree on "
            f"{agreement(a.file.recorded, b.file.recorded)}"
            for a, b in combinations(self.annotators, 2)
        ]

    @contextmanager
    def running(self) -> Iterator[None]:
        """Answer requests until the context ends."""
        thread = threading.Thread(target=self.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield
        finally:
            self.shutdown()
            thread.join()
            # A thread may still read a request: its answer would be written to a closed file.
            with self.lock:
                self.is_closed = True
            self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server_version = "hcbench"
    sys_version = ""
    timeout = _SECONDS

    @property
    def _server(self) -> Server:
        return cast(Server, self.server)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Log nothing: addresses may contain tokens."""

    def do_GET(self) -> None:
        """Send a page or a picture."""
        self._respond("")

    def do_POST(self) -> None:
        """Take a key, and refer to the page with the next query."""
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            self._refuse(HTTPStatus.LENGTH_REQUIRED)
        elif len(length) > 6 or int(length) > _MOST_BYTES:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        else:
            self._respond(self.rfile.read(int(length)).decode("utf-8", "replace"))

    def _respond(self, body: str) -> None:
        try:
            url = urlsplit(self.path)
        except ValueError:  # such as http://[/
            return self._refuse(HTTPStatus.BAD_REQUEST)
        _, number, *rest = f"{url.path}/".split("/")
        hosts = self.headers.get_all("Host", [])
        if len(hosts) != 1 or not self._server.is_own(hosts[0]):
            return self._refuse(HTTPStatus.MISDIRECTED_REQUEST, "This is not the server's address.")
        given = parse_qs(url.query).get("token", [""])[0]
        annotator = self._annotator(number, given or self._token(number))
        if annotator is None:
            return self._refuse(HTTPStatus.FORBIDDEN, "Open the link that hcbench ask printed.")
        if self.command == "POST":
            return self._press(annotator, body, hosts[0])
        if given:
            return self._redirect(annotator, given)
        if rest == ["", ""]:
            return self._page(annotator)
        if len(rest) == 3 and rest[0] == "picture" and rest[2] == "":
            return self._picture(rest[1])
        return self._refuse(HTTPStatus.NOT_FOUND)

    def _annotator(self, number: str, token: str) -> Annotator | None:
        """The annotator with this number and token."""
        found = None
        for annotator in self._server.annotators:
            right = hmac.compare_digest(annotator.token.encode(), token.encode())
            if right and number == str(annotator.number):
                found = annotator
        return found

    def _token(self, number: str) -> str:
        """The token in the Authorization header or the cookie."""
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return token
        try:
            cookie = SimpleCookie(self.headers.get("Cookie", "")).get(self._cookie(number))
        except CookieError:
            return ""
        return cookie.value if cookie else ""

    def _cookie(self, number: str) -> str:
        return f"hcbench-{self._server.server_port}-{number}"

    def _redirect(self, annotator: Annotator, token: str = "") -> None:
        self.send_response(HTTPStatus.SEE_OTHER)
        self.send_header("Location", f"/{annotator.number}/")
        if token:
            name = self._cookie(str(annotator.number))
            path = f"Path=/{annotator.number}/; HttpOnly; SameSite=Lax"
            self.send_header("Set-Cookie", f"{name}={token}; {path}")
        self._end("", b"")

    def _press(self, annotator: Annotator, body: str, host: str) -> None:
        if self.headers.get("Origin", f"http://{host}") != f"http://{host}":
            return self._refuse(HTTPStatus.FORBIDDEN, "This form is of another site.")
        try:
            form = parse_qs(body, max_num_fields=4)
            step, key = int(form["step"][0]), form["key"][0]
        except (KeyError, ValueError):
            return self._refuse(HTTPStatus.BAD_REQUEST)
        with self._server.lock:
            if self._server.is_closed:
                return self._refuse(HTTPStatus.SERVICE_UNAVAILABLE)
            if annotator.query and key not in dict([*_choices(annotator.query), *_ACTIONS]):
                return self._refuse(HTTPStatus.BAD_REQUEST)
            annotator.press(step, key)
        return self._redirect(annotator)

    def _page(self, annotator: Annotator) -> None:
        nonce = secrets.token_urlsafe(12)
        with self._server.lock:
            text = _render(self._server, annotator, nonce)
            is_last = annotator.query is None
        self.send_response(HTTPStatus.OK)
        rules = (
            "default-src 'none'; img-src 'self' data:; form-action 'self'; base-uri 'none'; "
            f"frame-ancestors 'none'; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'"
        )
        self._end("text/html; charset=utf-8", text.encode(), rules)
        if is_last:
            annotator.left.set()

    def _picture(self, item: str) -> None:
        number = int(item) if item.isascii() and item.isdigit() and len(item) < 10 else -1
        known = 0 <= number < len(self._server.items)
        file = self._server.picture(number) if known else None
        if file is None:
            return self._refuse(HTTPStatus.NOT_FOUND)
        with file.open("rb") as data:
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", mimetypes.guess_type(file.name)[0] or "image/webp")
            self.send_header("Content-Length", str(os.fstat(data.fileno()).st_size))
            self._end_headers("sandbox; default-src 'none'; style-src 'unsafe-inline'")
            shutil.copyfileobj(data, self.wfile)
        return None

    def _refuse(self, status: HTTPStatus, text: str = "") -> None:
        self.send_response(status)
        self._end("text/plain; charset=utf-8", f"{text or status.phrase}\n".encode())

    def _end(self, kind: str, body: bytes, rules: str = "default-src 'none'") -> None:
        if kind:
            self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self._end_headers(rules)
        self.wfile.write(body)

    def _end_headers(self, rules: str) -> None:
        self.send_header("Content-Security-Policy", rules)
        self.send_header("Cache-Control", "no-store")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Referrer-Policy", "same-origin")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()


_ACTIONS = (("d", "defer"), ("z", "undo"))


def _choices(query: Query) -> Iterator[tuple[str, str]]:
    """The keys that answer a query, with their texts; "" for those of items."""
    for choice in query.kind.offered(neither=query.takes_neither):
        yield choice.key, choice.text
    if query.may_be_unsure:
        yield "u", "unsure"


def _cards(server: Server, query: Query) -> list[tuple[str, list[dict[str, Any]]]]:
    """The items of each choice, with its key; "" if they have none."""
    cards: list[tuple[str, list[dict[str, Any]]]] = []
    pairs = query.kind.symmetry == "quadruplet"
    for at, (key, text) in enumerate(items_with_keys(query)):
        number = server.items.index(text)
        item = {
            "text": visible(text),
            "picture": number if server.picture(number) else None,
            "alt": f"Picture {at + 1}",
        }
        if pairs and at % 2:
            cards[-1][1].append(item)
        else:
            cards.append((key, [item]))
    return cards


@cache  # which compiles the template once
def _environment() -> jinja2.Environment:
    """The template of the page; its arguments are escaped."""
    return jinja2.Environment(
        loader=jinja2.PackageLoader("hcbench_ask", "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _render(server: Server, annotator: Annotator, nonce: str) -> str:
    """The page of an annotator."""
    page: dict[str, Any] = {"title": server.title, "nonce": nonce, "step": annotator.step}
    query, result = annotator.query, annotator.result
    page |= {"query": None, "error": annotator.error}
    if query is not None:
        page |= {
            "query": query,
            "progress": progress(query),
            "share": query.answered / (query.answered + max((query.remaining or (0,))[0], 1)),
            "earlier": earlier_text(query),
            "message": annotator.message,
            "cards": _cards(server, query),
            "choices": [(key, text) for key, text in _choices(query) if text],
            "actions": [action for action in _ACTIONS if action[0] != "z" or query.may_undo],
            "help": [line for line in help_lines(query) if not line.startswith("q:")],
        }
    elif result is not None:
        everyone_ends = all(other.query is None for other in server.annotators)
        page |= {
            "drawn": "\n".join(outline(result.result, server.items)),
            "number": len(annotator.file.recorded.answers),
            "agreements": server.agreements() if everyone_ends else [],
        }
    return _environment().get_template("page.html").render(page)
