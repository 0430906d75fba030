"""A client of the chat-completions format: retries with back-off, a rate limit, and no secrets.

The key is read from the environment for each request; no attribute and no message holds it.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from hashlib import blake2b
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from hcbench import OracleError, ParameterError

KEY = "HCBENCH_LLM_KEY"
"""The environment variable with the key of the API; unset for endpoints that need none."""
PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""Status codes of errors that may pass."""
LOCAL = ("localhost", "127.0.0.1", "::1")
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 60.0  # seconds
LARGEST = 1 << 22  # bytes of a response


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
        Seconds for one request.
    retries : int
        How often a request is repeated after an error that may pass.

    Raises
    ------
    ParameterError
        If the URL is none, holds a password, or would send a key unencrypted.
    """

    url: str
    rate: float = 0.0
    timeout: float = 60.0
    retries: int = 5
    _next: float = field(default=0.0, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ParameterError(f"url: {self.url!r} is not the URL of an endpoint, http(s)://...")
        if parts.username is not None or parts.query:
            raise ParameterError(
                f"url: a password or a query in it would be stored; the key belongs into {KEY}"
            )
        if _secret() and parts.scheme == "http" and parts.hostname not in LOCAL:
            raise ParameterError(
                f"url: {self.url} would get the key in {KEY} unencrypted; use https, or unset {KEY}"
            )
        self._opener = build_opener(_NoRedirects())

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
        for attempt in range(self.retries + 1):
            self._wait_for_turn()
            start = time.monotonic()
            try:
                return _read(self._send(data), time.monotonic() - start)
            except HTTPError as error:
                with error:
                    why = _without_key(_explain(error))
                    asked = retry_after(error.headers.get("Retry-After"))
                if error.code not in PASSING:
                    raise OracleError(f"{self.url} refuses the request: {why}") from None
            except (OSError, http.client.HTTPException, ValueError) as error:
                reason = error.reason if isinstance(error, URLError) else error
                why, asked = _without_key(f"{type(reason).__name__}: {reason}"), 0.0
            pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2**attempt) * random.uniform(0.5, 1.0)
            self._pause(max(asked, pause) if attempt < self.retries else 0.0)
        raise OracleError(
            f"{self.url} has failed {self.retries + 1} times, the last time with {why}; run the "
            "same command again later, which pays for no answer twice"
        )

    def _send(self, data: bytes) -> bytes:
        headers = {"Content-Type": "application/json", "User-Agent": "hcbench"}
        headers["Idempotency-Key"] = blake2b(data, digest_size=16).hexdigest()
        if secret := _secret():
            headers["Authorization"] = f"Bearer {secret}"
        request = Request(self.url, data, headers)  # the scheme is checked above
        with self._opener.open(request, timeout=self.timeout) as response:
            received: bytes = response.read(LARGEST)
            return received

    def _wait_for_turn(self) -> None:
        """Wait until the rate limit allows a request, and as long as the endpoint has asked."""
        with self._lock:
            turn = max(self._next, time.monotonic())
            self._next = turn + (60.0 / self.rate if self.rate else 0.0)
        time.sleep(max(0.0, turn - time.monotonic()))

    def _pause(self, seconds: float) -> None:
        """Let all threads wait, as they are all refused."""
        with self._lock:
            self._next = max(self._next, time.monotonic() + seconds)


def _secret() -> str:
    secret = os.environ.get(KEY, "").strip()
    if not (secret.isascii() and secret.isprintable()):  # http.client would show it
        raise OracleError(f"the key in {KEY} has characters that no header can hold; copy it again")
    return secret


def _without_key(text: str) -> str:
    secret = _secret()
    return " ".join((text.replace(secret, "***") if secret else text).split())[:300]


def _read(received: bytes, seconds: float) -> Completion:
    """Read a response; ValueError if it is not of the format."""
    try:
        response = json.loads(received)
        text = response["choices"][0]["message"]["content"]
        usage = response.get("usage") or {}
        counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise ValueError("a response that is not in the chat-completions format") from error
    numbers = [int(count) if isinstance(count, int | float) else None for count in counts]
    return Completion(text if isinstance(text, str) else "", numbers[0], numbers[1], seconds)


def _explain(error: HTTPError) -> str:
    """The status, and the message in the body; not of a refused key, which may quote it."""
    text = f"{error.code} {error.reason}"
    if error.code in (401, 403):
        return f"{text}; the key belongs into the environment variable {KEY}"
    try:
        message = json.loads(error.read(LARGEST))["error"]
        return f"{text}: {message['message'] if isinstance(message, dict) else message}"
    except (ValueError, KeyError, TypeError, OSError, http.client.HTTPException):
        return text


def retry_after(header: str | None) -> float:
    """Seconds to wait, from a number or a date; 0 if there is none, `LONGEST_PAUSE` at most."""
    if header is None:
        return 0.0
    try:
        seconds = float(header)
    except ValueError:
        try:
            date = parsedate_to_datetime(header)
            seconds = (date - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError):
            return 0.0
    return min(max(seconds, 0.0), LONGEST_PAUSE)
