"""A client of the chat-completions format: retries with back-off, a rate limit, and no secrets.

The key is read from the environment for each request; no attribute and no message holds it. It
belongs to the endpoints that the user names in the environment, not to the URL of a suite, which
may be a stranger's: another endpoint is refused while the key is set.
"""

from __future__ import annotations

import http.client
import json
import math
import os
import queue
import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from hashlib import blake2b
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import SplitResult, urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, Request, build_opener

from hcbench import OracleError, ParameterError

KEY = "HCBENCH_LLM_KEY"
"""The environment variable with the key of the API; unset for endpoints that need none."""
URLS = "HCBENCH_LLM_URL"
"""The environment variable with the URLs that may get the key, separated by spaces."""
DEFAULT_URL = "https://api.openai.com/v1/chat/completions"
"""The endpoint that may get the key if `URLS` is not set."""
PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""Status codes of errors that may pass."""
LOCAL = ("localhost", "127.0.0.1", "::1")
FIRST_PAUSE = 0.5  # seconds
LONGEST_PAUSE = 60.0  # seconds
LARGEST = 1 << 22  # bytes of a response
LONGEST_TEXT = 300  # characters of a server's error
MOST_TOKENS = 10**9  # of one answer; more is a fault of the endpoint


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model has written.

    Attributes
    ----------
    text : str
        "" if it refused.
    prompt_tokens, completion_tokens : int or None
        As the endpoint counts them; None if it does not say.
    seconds : float
        Of the request that succeeded.
    """

    text: str
    prompt_tokens: int | None
    completion_tokens: int | None
    seconds: float


class _NoRedirects(HTTPRedirectHandler):
    """A redirection would send the key to another server."""

    def redirect_request(self, *_args: Any) -> None:
        return None


@dataclass
class ChatClient:
    """Sends requests, from several threads, at most so many per minute.

    Attributes
    ----------
    url : str
        Of the endpoint.
    rate : float
        The most requests per minute; 0 is no limit.
    timeout : float
        Seconds for one request, from its start until the whole response has arrived.
    retries : int
        How often a request is repeated after an error that may pass.

    Raises
    ------
    ParameterError
        If the URL is none, holds a password, would send a key unencrypted, or is not one of those
        that the key belongs to.
    """

    url: str
    rate: float = 0.0
    timeout: float = 60.0
    retries: int = 5
    _next: float = field(default=0.0, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.url)
            # That a port is no number is found when it is read.
            _ = parts.port
        except ValueError as error:
            raise ParameterError(
                f"url: {self.url!r} is not the URL of an endpoint: {error}"
            ) from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ParameterError(f"url: {self.url!r} is not the URL of an endpoint, http(s)://...")
        if parts.username is not None or parts.query:
            raise ParameterError(
                f"url: a password or a query in it would be stored; the key belongs into {KEY}"
            )
        if _secret():
            _check_key_belongs_to(self.url, parts)
        self._opener = _opener_for(parts)

    def complete(self, body: Mapping[str, Any]) -> Completion:
        """Send a request until it succeeds.

        The header ``Idempotency-Key`` is a digest of the body: a server that honours it charges
        equal requests once, also one that is repeated after a crash. What is asked again for a new
        answer must therefore differ, such as by its ``seed``.

        Parameters
        ----------
        body : mapping
            Model, messages and settings.

        Raises
        ------
        OracleError
            If the endpoint refuses it, or if it has failed too often.
        """
        data = json.dumps(body).encode()
        reason = ""
        for attempt in range(self.retries + 1):
            self._wait_for_turn()
            start = time.monotonic()
            # What the endpoint asks for, if it does.
            pause = 0.0
            try:
                return _read(self._send(data), time.monotonic() - start)
            except HTTPError as error:
                with error:
                    reason = _without_key(_explain(error))
                    pause = retry_after(error.headers.get("Retry-After"))
                if error.code not in PASSING:
                    raise OracleError(f"{self.url} refuses the request: {reason}") from None
            except (OSError, http.client.HTTPException, ValueError, RecursionError) as error:
                # RecursionError: JSON that is nested too deeply.
                reason = _without_key(_cause(error))
            # After the last attempt, nothing follows for which to wait.
            if attempt < self.retries:
                self._pause(max(pause, _back_off(attempt)))
        raise OracleError(
            f"{self.url} has failed {self.retries + 1} times, the last time with {reason}; run the "
            "same command again later, which pays for no answer twice"
        )

    def _send(self, data: bytes) -> bytes:
        headers = {"Content-Type": "application/json", "User-Agent": "hcbench"}
        headers["Idempotency-Key"] = blake2b(data, digest_size=16).hexdigest()
        secret = _secret()
        if secret:
            headers["Authorization"] = f"Bearer {secret}"
        request = Request(self.url, data, headers)  # the scheme is checked above
        return _within(self.timeout, lambda: _receive(self._opener, request, self.timeout))

    def _wait_for_turn(self) -> None:
        """Wait until the rate limit allows a request, and as long as the endpoint has asked."""
        with self._lock:
            turn = max(self._next, time.monotonic())
            self._next = turn
            if self.rate:
                self._next += 60.0 / self.rate
        # Outside of the lock, so that other threads get their turns meanwhile.
        time.sleep(max(0.0, turn - time.monotonic()))

    def _pause(self, seconds: float) -> None:
        """Let all threads wait, as they are all refused."""
        with self._lock:
            self._next = max(self._next, time.monotonic() + seconds)


def _cause(error: BaseException) -> str:
    """The kind and the text of an error; urllib wraps those of the connection."""
    cause: object = error
    if isinstance(error, URLError):
        cause = error.reason
    return f"{type(cause).__name__}: {cause}"


def _back_off(attempt: int) -> float:
    """Seconds to wait after a failed attempt, from 0: twice as long each time.

    A random part keeps threads that failed together from asking together again.
    """
    pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0**attempt)
    return pause * random.uniform(0.5, 1.0)


def _origin(parts: SplitResult) -> tuple[str, str, int]:
    """Scheme, host and port of a URL: what a key belongs to."""
    port = parts.port
    if port is None and parts.scheme == "https":
        port = 443
    elif port is None:
        port = 80
    return parts.scheme, parts.hostname or "", port


def _check_key_belongs_to(url: str, parts: SplitResult) -> None:
    """Refuse an endpoint that the user has not named: a suite or a store may be a stranger's."""
    if parts.scheme == "http" and parts.hostname not in LOCAL:
        raise ParameterError(
            f"url: {url} would get the key in {KEY} unencrypted; use https, or unset {KEY}"
        )
    allowed_urls = os.environ.get(URLS, "").split() or [DEFAULT_URL]
    for allowed_url in allowed_urls:
        try:
            if _origin(urlsplit(allowed_url)) == _origin(parts):
                return
        except ValueError:
            raise ParameterError(
                f"{URLS}: {allowed_url!r} is not a URL; write for example {URLS}={DEFAULT_URL}"
            ) from None
    raise ParameterError(
        f"url: {url} is not an endpoint that the key in {KEY} belongs to; if it may get the key, "
        f"set {URLS}={url}, otherwise unset {KEY}"
    )


def _opener_for(parts: SplitResult) -> OpenerDirector:
    """What opens requests: without redirections, and without a proxy on this machine."""
    if parts.hostname in LOCAL:
        # A proxy would get the request, and its key, unencrypted.
        return build_opener(_NoRedirects(), ProxyHandler({}))
    return build_opener(_NoRedirects())


def _receive(opener: OpenerDirector, request: Request, timeout: float) -> bytes:
    """Send a request and read the response, of limited size, in limited time.

    The timeout of a socket limits each of its reads, so that a server that sends a byte now and
    then would never end; here the time of all of them is limited.
    """
    deadline = time.monotonic() + timeout
    received = bytearray()
    with opener.open(request, timeout=timeout) as response:
        while chunk := response.read1(1 << 16):
            received += chunk
            # A server could otherwise fill the memory.
            if len(received) > LARGEST:
                raise ValueError(f"a response of more than {LARGEST} bytes")
            if time.monotonic() > deadline:
                raise TimeoutError(f"no whole response within {timeout:g} s")
    return bytes(received)


def _within(timeout: float, receive: Callable[[], bytes]) -> bytes:
    """Call a function in a thread, and wait for it so many seconds.

    Headers that arrive byte by byte are read by the standard library, which limits their number
    and the time of each read, but not the time of all; nor is that of looking up a name limited.
    """
    outcomes: queue.SimpleQueue[bytes | Exception] = queue.SimpleQueue()

    def run() -> None:
        try:
            outcomes.put(receive())
        except Exception as error:  # raised again by the thread that waits
            outcomes.put(error)

    # A daemon: nothing waits for a server that does not end.
    threading.Thread(target=run, daemon=True).start()
    try:
        outcome = outcomes.get(timeout=timeout)
    except queue.Empty:
        raise TimeoutError(f"no whole response within {timeout:g} s") from None
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def _secret() -> str:
    """The key, as the environment has it now; "" if it has none."""
    secret = os.environ.get(KEY, "").strip()
    # Else http.client would show it in its error.
    if not (secret.isascii() and secret.isprintable()):
        raise OracleError(f"the key in {KEY} has characters that no header can hold; copy it again")
    return secret


def _without_key(text: str) -> str:
    """A text of a server in one line of limited length, which does not hold the key."""
    secret = _secret()
    if secret:
        text = text.replace(secret, "***")
    return " ".join(text.split())[:LONGEST_TEXT]


def _read(received: bytes, seconds: float) -> Completion:
    """Read a response; ValueError if it is not of the format."""
    try:
        response = json.loads(received)
        text = response["choices"][0]["message"]["content"]
        usage = response.get("usage") or {}
        prompt_tokens = _count(usage.get("prompt_tokens"))
        completion_tokens = _count(usage.get("completion_tokens"))
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise ValueError("a response that is not in the chat-completions format") from error
    if not isinstance(text, str):
        text = ""  # the model has refused
    return Completion(text, prompt_tokens, completion_tokens, seconds)


def _count(value: object) -> int | None:
    """A number of tokens; None if the endpoint does not say it.

    Raises
    ------
    ValueError
        If it is negative, NaN or absurd, which would give money back or end any budget.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not 0 <= value <= MOST_TOKENS:  # False for NaN
        raise ValueError(f"a response that counts {value} tokens")
    return int(value)


def _explain(error: HTTPError) -> str:
    """The status, and the message in the body; not of a refused key, which may quote it."""
    text = f"{error.code} {error.reason}"
    if error.code in (401, 403):
        return f"{text}; the key belongs into the environment variable {KEY}"
    try:
        message = json.loads(error.read(LARGEST))["error"]
        # Some endpoints write a text, most an object with it.
        if isinstance(message, dict):
            message = message["message"]
        return f"{text}: {message}"
    except (ValueError, KeyError, TypeError, OSError, RecursionError, http.client.HTTPException):
        return text


def retry_after(header: str | None) -> float:
    """Seconds to wait, from a number or a date; 0 if there is none, `LONGEST_PAUSE` at most."""
    if header is None:
        return 0.0
    try:
        seconds = float(header)
    except ValueError:
        # HTTP allows a date as well.
        try:
            date = parsedate_to_datetime(header)
            seconds = (date - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError, OverflowError):
            return 0.0
    if math.isnan(seconds):
        return 0.0
    return min(max(seconds, 0.0), LONGEST_PAUSE)
