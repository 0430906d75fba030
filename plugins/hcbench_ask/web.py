"""``hcbench ask --web``: queries on a local web page, one link with a token for each annotator.

Every request to a page is checked before anything else is read: its Host header, so that no other
site can reach the server by DNS rebinding, and the token of the annotator. Starlette reads the
requests and uvicorn the connections, so that no client, however slow, holds a thread.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import secrets
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Route

from hcbench import DataError
from hcbench_ask.annotators import Annotator
from hcbench_ask.pages import accepted_keys, render
from hcbench_ask.pictures import Pictures

_MOST_BYTES = 256  # of the body of a request
_MOST_CONNECTIONS = 100  # at once; a browser opens about six
_MOST_FIELDS = 4  # of a form
_SECONDS = 10  # for the body of a request to arrive

#: Of every response. A page adds what it needs to the policy.
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
#: Of an SVG picture, which could hold a script.
_PICTURE_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'"


class Server:
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

    Attributes
    ----------
    port : int
        The port on which it listens.
    pictures : Pictures
        Those of the items.

    Raises
    ------
    DataError
        If it cannot listen there.
    """

    def __init__(
        self, annotators: Sequence[Annotator], folder: Path, title: str, host: str, port: int
    ) -> None:
        self.annotators = annotators
        self.host = host
        self.pictures = Pictures(annotators[0].file.header.items, folder)
        self._title = title
        self._is_closed = False  # no answer is stored any more
        # One key at a time: an algorithm's warnings are collected for the whole process.
        self._lock = threading.Lock()
        # Listening from now on, so that the links work as soon as they are printed.
        self._socket = _listen(host, port)
        self.port: int = self._socket.getsockname()[1]

    @contextmanager
    def running(self) -> Iterator[None]:
        """Answer requests, in a thread, until the context ends."""
        server = uvicorn.Server(
            uvicorn.Config(
                self._application(),
                access_log=False,  # addresses may contain tokens
                log_config=None,
                log_level="critical",
                lifespan="off",
                ws="none",
                server_header=False,
                limit_concurrency=_MOST_CONNECTIONS,
                timeout_graceful_shutdown=1,  # second, for clients that are slow
            )
        )
        thread = threading.Thread(target=server.run, kwargs={"sockets": [self._socket]})
        thread.start()
        try:
            yield
        finally:
            server.should_exit = True
            thread.join()
            # A key that arrived late may wait for the lock: its answer would be written to a
            # file that is closed.
            with self._lock:
                self._is_closed = True

    def link(self, annotator: Annotator) -> str:
        """The address of an annotator's page, with the token."""
        host = self.host
        # These stand for all addresses of this machine; a link needs one of them.
        if host in ("0.0.0.0", "::"):
            host = socket.gethostname()
        if ":" in host:
            host = f"[{host}]"
        return f"http://{host}:{self.port}/{annotator.number}/?token={annotator.token}"

    def _application(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/{annotator}/", self._get_page, methods=["GET"]),
                Route("/{annotator}/", self._post_key, methods=["POST"]),
                Route("/{annotator}/picture/{item}", self._get_picture, methods=["GET"]),
            ],
            exception_handlers={HTTPException: _refuse},
        )

    async def _get_page(self, request: Request) -> Response:
        """Send the page of an annotator; a token in the address becomes a cookie first."""
        annotator = self._check(request)
        if request.query_params.get("token"):
            return self._set_cookie(annotator)
        return await run_in_threadpool(self._page, annotator)

    async def _post_key(self, request: Request) -> Response:
        """Take a key, and refer to the page with the next query."""
        annotator = self._check(request)
        # A browser names the page that sends a form, unless that is an old one.
        host = request.headers["host"]
        if request.headers.get("origin", f"http://{host}") != f"http://{host}":
            raise HTTPException(HTTPStatus.FORBIDDEN, "This form is of another site.")
        step, key = _read_form(await _read_body(request))
        await run_in_threadpool(self._press, annotator, step, key)
        return _redirect(annotator)

    async def _get_picture(self, request: Request) -> Response:
        """Send the picture of an item, by the number of the item."""
        self._check(request)
        files = {str(number): file for number, file in self.pictures.files.items()}
        file = files.get(request.path_params["item"])
        if file is None or not file.is_file():
            raise HTTPException(HTTPStatus.NOT_FOUND)
        return FileResponse(file, headers=_headers(_PICTURE_POLICY))

    def _check(self, request: Request) -> Annotator:
        """The annotator of a request that names this server and has the right token.

        Raises
        ------
        HTTPException
            If it does not.
        """
        hosts = request.headers.getlist("host")
        if len(hosts) != 1 or not self._is_this_server(hosts[0]):
            raise HTTPException(
                HTTPStatus.MISDIRECTED_REQUEST, "This is not the address of hcbench ask."
            )
        number = request.path_params["annotator"]
        token = self._token(request, number).encode()
        # The comparison takes as long for any wrong token.
        for annotator in self.annotators:
            is_right = hmac.compare_digest(annotator.token.encode(), token)
            if is_right and number == str(annotator.number):
                return annotator
        raise HTTPException(HTTPStatus.FORBIDDEN, "Open the link that hcbench ask printed.")

    def _is_this_server(self, host: str) -> bool:
        """Whether a Host header names this server: by an address, which needs no DNS, or name."""
        try:
            name = urlsplit(f"//{host}").hostname or ""
            if name in ("localhost", self.host.lower(), socket.gethostname().lower()):
                return True
            return bool(ipaddress.ip_address(name))
        except ValueError:
            return False

    def _token(self, request: Request, number: str) -> str:
        """The token in the address, the Authorization header or the cookie; "" if none."""
        # The address comes first: a new link replaces the cookie of an earlier session.
        token = request.query_params.get("token", "")
        if token:
            return token
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return token
        return request.cookies.get(self._cookie_name(number), "")

    def _cookie_name(self, number: str) -> str:
        return f"hcbench-{self.port}-{number}"

    def _set_cookie(self, annotator: Annotator) -> Response:
        response = _redirect(annotator)
        response.set_cookie(
            self._cookie_name(str(annotator.number)),
            annotator.token,
            # Not sent with the pages of other annotators in the same browser.
            path=f"/{annotator.number}/",
            httponly=True,
            samesite="lax",
        )
        return response

    def _page(self, annotator: Annotator) -> Response:
        # Only the style and the script with this number may run.
        nonce = secrets.token_urlsafe(12)
        with self._lock:
            text = render(annotator, self.annotators, self.pictures, self._title, nonce)
            is_last = annotator.query is None
        policy = (
            "default-src 'none'; img-src 'self' data:; form-action 'self'; base-uri 'none'; "
            f"frame-ancestors 'none'; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'"
        )
        after_sending = None
        if is_last:
            after_sending = BackgroundTask(annotator.last_page_sent.set)
        return HTMLResponse(text, headers=_headers(policy), background=after_sending)

    def _press(self, annotator: Annotator, step: int, key: str) -> None:
        with self._lock:
            if self._is_closed:
                raise HTTPException(HTTPStatus.SERVICE_UNAVAILABLE)
            if annotator.query is not None and key not in accepted_keys(annotator.query):
                raise HTTPException(HTTPStatus.BAD_REQUEST)
            annotator.press(step, key)


def _listen(host: str, port: int) -> socket.socket:
    """A socket that listens, so that no connection is refused before the server has started."""
    family = socket.AF_INET
    if ":" in host:
        family = socket.AF_INET6
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise DataError(
            f"cannot listen on {host}, port {port}: {error.strerror}; use another --host or --port"
        ) from error


def _headers(policy: str) -> Mapping[str, str]:
    return _HEADERS | {"Content-Security-Policy": policy}


def _redirect(annotator: Annotator) -> RedirectResponse:
    address = f"/{annotator.number}/"
    return RedirectResponse(address, status_code=HTTPStatus.SEE_OTHER, headers=_HEADERS)


def _refuse(_request: Request, error: Exception) -> Response:
    """Send the reason of an error, which Starlette raises too, as plain text."""
    assert isinstance(error, HTTPException)
    return PlainTextResponse(f"{error.detail}\n", error.status_code, headers=_HEADERS)


async def _read_body(request: Request) -> str:
    """The body of a request, if it is small and arrives in time.

    Raises
    ------
    HTTPException
        If it does not.
    """
    length = request.headers.get("content-length", "")
    if not (length.isascii() and length.isdigit()):
        raise HTTPException(HTTPStatus.LENGTH_REQUIRED)
    # The length has 20 digits at most, or the connection is refused.
    if int(length) > _MOST_BYTES:
        raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    try:
        body = await asyncio.wait_for(request.body(), _SECONDS)
    except TimeoutError:
        raise HTTPException(HTTPStatus.REQUEST_TIMEOUT) from None
    return body.decode("utf-8", "replace")


def _read_form(body: str) -> tuple[int, str]:
    """The step and the key of a form.

    Raises
    ------
    HTTPException
        If it has none.
    """
    try:
        form = parse_qs(body, max_num_fields=_MOST_FIELDS)
        return int(form["step"][0]), form["key"][0]
    except (KeyError, ValueError):
        raise HTTPException(HTTPStatus.BAD_REQUEST) from None
