"""The oracle that asks a language model, against a server of this machine."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import hcbench
from hcbench import (
    QUERY_KINDS,
    UNSURE,
    Oracle,
    OracleError,
    OracleRequest,
    ParameterError,
    Problem,
    load_registry,
)
from hcbench.cli import main
from hcbench.errors import BudgetExceededError, NotApplicableError
from hcbench.oracle import Recorder
from hcbench.store import Store
from hcbench_llm import client as http, oracles
from hcbench_llm.client import KEY, URLS, ChatClient

SECRET = "sk-not-to-be-seen-0123456789"
NAMES = ("oak", "fir", "elm", "cat", "dog")
PRICES = {"input_price": 1000.0, "output_price": 2000.0}
PRICE = (50 * 1000 + 1 * 2000) / 1e6


class Model(ThreadingHTTPServer):
    """A language model that knows trees from animals; a test may let it fail first."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/v1/chat/completions"
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.failures: list[tuple[int, dict[str, str], Any]] = []
        self.before: Callable[[], object] = lambda: None
        self.says: Callable[[list[str]], str] = odd_one
        self.answered: Counter[frozenset[str]] = Counter()
        self.charged: dict[str, Any] = {}  # responses by their Idempotency-Key, each charged once
        self.lock = threading.Lock()


def odd_one(shown: list[str]) -> str:
    kinds = [name in ("cat", "dog") for name in shown]
    return next((str(i + 1) for i in range(3) if kinds.count(kinds[i]) == 1), "3")


class _Handler(BaseHTTPRequestHandler):
    server: Model

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        model = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with model.lock:
            model.bodies.append(body)
            model.headers.append(dict(self.headers))
            failure = model.failures.pop(0) if model.failures else None
        if failure is not None:
            self.reply(*failure)
            return
        model.before()
        content = body["messages"][1]["content"]
        text = content if isinstance(content, str) else content[0]["text"]
        shown = re.findall(r"^\d: (.*)$", text, re.MULTILINE)
        message = {"role": "assistant", "content": model.says(shown)}
        usage = {"prompt_tokens": 50, "completion_tokens": 1, "total_tokens": 51}
        response = {"choices": [{"index": 0, "message": message}], "usage": usage}
        with model.lock:
            model.answered[frozenset(shown)] += 1
            response = model.charged.setdefault(self.headers["Idempotency-Key"], response)
        self.reply(200, {}, response)

    def reply(self, status: int, headers: dict[str, str], body: Any) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        with suppress(ConnectionError):  # the client has stopped waiting
            self.wfile.write(data)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[Model]:
    monkeypatch.setattr(http, "FIRST_PAUSE", 0.001)
    monkeypatch.setenv(KEY, SECRET)
    with Model() as server:
        monkeypatch.setenv(URLS, server.url)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def ask(model: Model, kind: str = "ordinal", **changes: Any) -> Oracle:
    values: dict[str, Any] = {
        "model": "m",
        "url": model.url,
        "context": "",
        "temperature": 0.0,
        "max_tokens": 16,
        "concurrency": 4,
        "rate": 0.0,
        "timeout": 5.0,
        "retries": 3,
        "pictures": "",
        **PRICES,
    }
    problem = Problem(n=len(NAMES), names=NAMES)
    return Oracle(
        getattr(oracles, f"ask_{kind}")(
            OracleRequest(problem=problem, seed=7), **{**values, **changes}
        )
    )


TRIPLES = [[0, 1, 3], [0, 3, 1], [3, 1, 2], [3, 4, 2]]


def test_answers_prices_and_tokens_of_a_batch_of_requests_at_once(model: Model) -> None:
    together = threading.Barrier(3, timeout=5)
    model.before = together.wait
    oracle = ask(model, context="Words.")
    assert oracle.ask(TRIPLES).tolist() == [2, 1, 0, 2]
    assert len(model.bodies) == 3, "the first two are one question; all three were sent at once"
    ledger = oracle.ledger
    assert (ledger.queries, ledger.distinct_queries, ledger.rounds) == (4, 3, 1)
    assert ledger.expenses["price"] == pytest.approx(3 * PRICE)
    assert ledger.expenses["tokens"] == 3 * 51
    assert 0 < ledger.expenses["latency"] < 15
    body = model.bodies[0]
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("m", 0.0, 16)
    assert body["messages"][1]["content"].startswith("Words.\nWhich one is the odd one out?\n1: ")
    assert body["messages"][1]["content"].endswith("\nAnswer with 1, 2 or 3 alone.")
    assert {sent["Authorization"] for sent in model.headers} == {f"Bearer {SECRET}"}


def test_no_place_is_preferred() -> None:
    orders = QUERY_KINDS["ordinal-queries"].orders
    assert len({orders[key % len(orders)] for key in range(6)}) == 6


def test_a_model_that_always_says_the_same_place_is_not_always_the_same_item(model: Model) -> None:
    model.says = lambda _shown: "1"
    oracle = ask(model)
    asked = [[i, j, k] for i in range(5) for j in range(i) for k in range(j)]
    assert len(set(oracle.ask(asked).tolist())) > 1


def test_pairs_and_quadruplets(model: Model) -> None:
    model.says = lambda shown: "1" if "oak" in shown[0] and "fir" in shown[0] else "2"
    quadruplets = ask(model, "quadruplet")
    assert quadruplets.ask([[0, 1, 3, 2], [3, 2, 1, 0]]).tolist() == [1, -1]
    model.says = lambda _shown: "Yes."
    assert ask(model, "pair").ask([[0, 1]]).tolist() == [1]
    text = model.bodies[-1]["messages"][1]["content"]
    assert text.splitlines()[-3:] == ["y: yes", "n: no", "Answer with y or n alone."]


@pytest.mark.parametrize(
    ("said", "code"),
    [
        *(("2", 1), ("3.", 2), (" **1** ", 0), ("fir", 1), ("Oak.", 0), ("The odd one is elm", 2)),
        *(("2: fir", 1), ("Answer: 3", 2)),
        *(("", UNSURE), ("4", UNSURE), ("1 or 2", UNSURE), ("oak or elm", UNSURE)),
        *(("I cannot say.", UNSURE), ("12", UNSURE), ("none", UNSURE), ("\udcff\0", UNSURE)),
    ],
)
def test_answers_are_read_or_are_unsure(said: str, code: int) -> None:
    prompts = oracles.Prompts(QUERY_KINDS["ordinal-queries"], NAMES, "")
    assert prompts.read(said, [0, 1, 2]) == code


def test_errors_that_pass_are_repeated_after_the_time_that_is_asked_for(model: Model) -> None:
    model.failures = [
        (429, {"Retry-After": "0.2"}, {"error": {"message": "slow down"}}),
        (500, {}, b"<html>oops"),
        (200, {}, b"{}"),
    ]
    start = time.monotonic()
    assert ask(model).ask([[0, 1, 3]]).tolist() == [2]
    assert time.monotonic() - start >= 0.2
    assert len(model.bodies) == 4


@pytest.mark.attack("money")
def test_the_time_to_wait_is_a_number_or_a_date_and_bounded() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    assert http.retry_after(None) == http.retry_after("soon") == http.retry_after("-3") == 0
    assert http.retry_after("1.5") == 1.5
    assert 25 < http.retry_after(soon) <= 30
    assert http.retry_after("86400") == http.LONGEST_PAUSE


def test_replies_on_their_way_are_kept_when_another_request_fails(model: Model) -> None:
    model.failures = [(400, {}, {"error": {"message": f"no model m; your key is {SECRET}"}})]
    oracle = ask(model, concurrency=2)
    with pytest.raises(OracleError, match=r"400 .*no model m; your key is \*\*\*") as caught:
        oracle.ask(TRIPLES)
    assert SECRET not in str(caught.value)
    assert len(Recorder(oracle).stored) == len(model.bodies) - 1
    assert oracle.ledger.expenses["price"] == pytest.approx(len(Recorder(oracle).stored) * PRICE)


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        ((401, {}, {"error": {"message": f"wrong key {SECRET}"}}), rf"401 .*variable {KEY}$"),
        ((503, {}, b""), "has failed 2 times, the last time with 503"),
        ((302, {"Location": "/elsewhere"}, b""), "refuses the request: 302"),
    ],
)
def test_an_endpoint_that_fails_ends_the_call_in_one_line(
    model: Model, failure: Any, message: str
) -> None:
    model.failures = [failure] * 2
    with pytest.raises(OracleError, match=message) as caught:
        ask(model, retries=1).ask([[0, 1, 3]])
    assert SECRET not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_server_that_is_away_or_slow_is_asked_again(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.before = lambda: time.sleep(0.3)
    with pytest.raises(OracleError, match="has failed 2 times, the last time with TimeoutError"):
        ask(model, timeout=0.05, retries=1).ask([[0, 1, 3]])
    monkeypatch.setenv(URLS, "http://127.0.0.1:9")
    nowhere = ChatClient("http://127.0.0.1:9/v1", retries=1)
    with pytest.raises(OracleError, match="ConnectionRefusedError"):
        nowhere.complete({})


def test_a_query_that_is_made_again_on_purpose_is_another_request(model: Model) -> None:
    oracle = ask(model, temperature=0.5)
    assert [oracle.ask(TRIPLES[:1]).tolist() for _ in range(2)] == [[2], [2]]
    assert len(model.charged) == len(model.bodies) == 2


def test_requests_keep_to_the_rate(model: Model) -> None:
    start = time.monotonic()
    ask(model, rate=1200.0).ask(TRIPLES)
    assert time.monotonic() - start >= 2 * 60 / 1200


@pytest.mark.attack("keys")
@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("ftp://host/v1", "is not the URL of an endpoint"),
        ("https://me:pass@host/v1", "would be stored"),
        ("https://host/v1?key=abc", "would be stored"),
        ("http://models.example/v1", "would get the key in HCBENCH_LLM_KEY unencrypted"),
    ],
)
def test_urls_that_would_tell_secrets_are_refused(
    url: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, SECRET)
    with pytest.raises(ParameterError, match=message):
        ChatClient(url)
    monkeypatch.delenv(KEY)
    ChatClient("http://models.example/v1")


@pytest.mark.attack("keys")
def test_a_key_is_refused_to_an_endpoint_that_the_user_has_not_named(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(URLS)
    with pytest.raises(ParameterError, match=f"set HCBENCH_LLM_URL={model.url}, otherwise unset"):
        ask(model).ask([[0, 1, 3]])
    assert not model.headers, "nothing was sent"
    monkeypatch.setenv(URLS, "https://models.example/v1")
    for other in (
        "https://models.example.evil/v1",
        "https://models.example:8443/v1",
        "https://api.openai.com/v1",
        "http://localhost/v1",
    ):
        with pytest.raises(ParameterError, match="is not an endpoint that the key"):
            ChatClient(other)
    ChatClient("https://MODELS.example:443/v2")
    monkeypatch.setenv(URLS, f"https://models.example/v1 {model.url}")
    ask(model).ask([[0, 1, 3]])
    (sent,) = model.headers
    assert sent["Authorization"] == f"Bearer {SECRET}"
    monkeypatch.delenv(URLS)
    monkeypatch.delenv(KEY)
    ask(model).ask([[0, 1, 4]])
    assert "Authorization" not in model.headers[-1]


@pytest.mark.attack("keys")
def test_a_proxy_does_not_get_the_key_of_this_machine(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Model() as proxy:
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.server_port}")
        monkeypatch.delenv("no_proxy", raising=False)
        assert ask(model).ask([[0, 1, 3]]).tolist() == [2]
        proxy.shutdown()
        assert not proxy.headers


@pytest.mark.attack("keys")
def test_a_redirection_does_not_get_the_key(model: Model) -> None:
    with Model() as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        model.failures = [(307, {"Location": other.url}, b"")]
        with pytest.raises(OracleError, match="refuses the request: 307"):
            ask(model).ask([[0, 1, 3]])
        other.shutdown()
        assert not other.headers


def counting(prompt_tokens: Any, completion_tokens: Any) -> bytes:
    usage = {"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens}
    response = {"choices": [{"message": {"content": "1"}}], "usage": usage}
    return json.dumps(response).encode()


@pytest.mark.attack("money")
@pytest.mark.parametrize(
    ("failure", "message"),
    [
        ((200, {}, counting(-5, 1)), "counts -5 tokens"),
        ((200, {}, counting(50, float("nan"))), "counts nan tokens"),
        ((200, {}, counting(float("inf"), 1)), "counts inf tokens"),
        ((200, {}, b"[" * 200_000), "RecursionError"),
        ((200, {}, b"x" * ((1 << 22) + 1)), "more than 4194304 bytes"),
        ((429, {"Retry-After": "nan"}, b""), "429"),
        ((503, {}, b'{"error": ' + b"[" * 200_000), "503"),
    ],
)
def test_faults_of_an_endpoint_are_tried_again(model: Model, failure: Any, message: str) -> None:
    model.failures = [failure]
    oracle = ask(model, retries=1)
    assert oracle.ask([[0, 1, 3]]).tolist() == [2]
    assert oracle.ledger.expenses["price"] == pytest.approx(PRICE)
    model.failures = [failure] * 2
    with pytest.raises(OracleError, match=f"has failed 2 times, .*{message}"):
        ask(model, retries=1).ask([[0, 1, 3]])


@pytest.mark.attack("money")
@pytest.mark.parametrize("part", ["headers", "body"])
def test_a_response_that_drips_ends_at_the_timeout(
    part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY, raising=False)
    monkeypatch.setattr(http, "FIRST_PAUSE", 0.001)
    done = threading.Event()

    class Dripping(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_POST(self) -> None:
            if part == "body":
                self.send_response(200)
                self.send_header("Content-Length", "100000")
                self.end_headers()
            with suppress(OSError):
                while not done.wait(0.05):
                    self.wfile.write(b"H")
                    self.wfile.flush()

    with ThreadingHTTPServer(("127.0.0.1", 0), Dripping) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        client = ChatClient(f"http://127.0.0.1:{server.server_port}", timeout=0.3, retries=1)
        with pytest.raises(OracleError, match=r"has failed 2 times, .*TimeoutError"):
            client.complete({})
        done.set()
        server.shutdown()


@pytest.mark.attack("money", by_chance=True)
def test_answers_in_flight_are_stored_when_the_budget_is_exceeded(model: Model) -> None:
    cheap = (200, {}, counting(50, 1))
    dear = (200, {}, counting(500, 1))
    # Asked in parts of 1, 2 and 4: the last four are sent together, and two of them are too many.
    model.failures = [cheap] * 3 + [dear] * 4
    oracle = Oracle(ask(model, concurrency=4)._answers, budget="0.8USD")
    with pytest.raises(BudgetExceededError):
        oracle.ask([[0, 1, 2], [0, 1, 3], [0, 1, 4], [0, 2, 3], [0, 2, 4], [0, 3, 4], [1, 2, 3]])
    # The second dear answer ends it; those that were not sent by then are not sent any more.
    sent = len(model.bodies)
    assert 5 <= sent <= 7
    assert len(Recorder(oracle).stored) == sent, "what is paid is stored"
    assert oracle.ledger.expenses["price"] == pytest.approx(3 * 0.052 + (sent - 3) * 0.502)


@pytest.mark.attack("money")
def test_other_prices_are_not_those_of_stored_answers(model: Model) -> None:
    cheap = ask(model, input_price=1.0)._answers.source
    assert ask(model, input_price=2.0)._answers.source != cheap
    assert ask(model, input_price=1.0)._answers.source == cheap


@pytest.mark.attack("keys")
@pytest.mark.parametrize(
    "name", ["../outside.png", "link.png", "device.png", "pipe.png", "sub.png"]
)
def test_only_regular_files_of_the_folder_are_sent_as_pictures(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    (folder / "sub.png").mkdir(parents=True)
    (tmp_path / "outside.png").write_bytes(b"private")
    (folder / "link.png").symlink_to(tmp_path / "outside.png")
    (folder / "device.png").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe.png")
    with pytest.raises(hcbench.DataError, match=r"outside of the folder|no regular file"):
        oracles._read_pictures(folder, (name,))
    with pytest.raises(hcbench.DataError, match="outside of the folder"):
        oracles._read_pictures(folder, (str(tmp_path / "outside.png"),))
    (folder / "inside.png").write_bytes(b"public")
    (folder / "inner.png").symlink_to(folder / "inside.png")
    assert set(oracles._read_pictures(folder, ("inside.png", "inner.png"))) == {
        "inside.png",
        "inner.png",
    }


@pytest.mark.attack("keys")
def test_a_picture_has_a_largest_size(tmp_path: Path) -> None:
    with (tmp_path / "large.png").open("wb") as file:
        file.truncate(1 << 34)  # sparse
    with pytest.raises(hcbench.DataError, match="has more than 20 MB"):
        oracles._read_pictures(tmp_path, ("large.png",))


def test_a_key_that_no_header_can_hold_is_not_shown(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    oracle = ask(model)
    monkeypatch.setenv(KEY, f"{SECRET}\r\nX: y")
    with pytest.raises(OracleError, match="has characters that no header can hold") as caught:
        oracle.ask([[0, 1, 3]])
    assert SECRET not in str(caught.value)


@pytest.mark.attack("money")
def test_a_price_must_be_known(model: Model) -> None:
    said = {"choices": [{"message": {"content": "1"}}]}
    model.failures = [(200, {}, said)] * 2
    with pytest.raises(OracleError, match="no price is known"):
        ask(model).ask([[0, 1, 3]])
    assert ask(model, input_price=0.0, output_price=0.0).ask([[0, 1, 3]]).size == 1


def test_items_without_names_are_not_applicable(model: Model) -> None:
    with pytest.raises(NotApplicableError, match="have none"):
        oracles.ask_ordinal(
            OracleRequest(problem=Problem(n=3), seed=0),
            model="m",
            url=model.url,
            context="",
            temperature=0.0,
            max_tokens=1,
            concurrency=1,
            pictures="",
            **PRICES,
        )


def test_the_expected_price_is_that_of_a_short_query() -> None:
    assert oracles.expected_price(model="m", input_price=1.0, output_price=4.0) == 108 / 1e6


DATA = "./words.csv[names=word]"


def asking(model: Model) -> str:
    return f"llm-ordinal[model=m,url='{model.url}',input_price=1000,output_price=2000]"


def compare(model: Model, folder: Path, **changes: Any) -> Any:
    (folder / "words.csv").write_text("word,x\n" + "".join(f"{name},1\n" for name in NAMES))
    settings: dict[str, Any] = {
        "algos": ["InsertionClustering", "Bottom-up"],
        "datasets": [DATA],
        "oracles": [asking(model)],
        "metrics": ["price", "tokens", "queries"],
        "repetitions": 1,
        "store": folder / "store.sqlite",
        "progress": False,
    }
    return hcbench.compare(**{**settings, **changes}).outcomes


@pytest.mark.slow
def test_two_algorithms_pay_once_and_the_key_is_nowhere(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_process: None
) -> None:
    monkeypatch.chdir(tmp_path)
    outcomes = compare(model, tmp_path)
    assert [o.status for o in outcomes] == ["ok", "ok"]
    assert max(model.answered.values()) == 1
    paid = sum(o.cost.price - o.cost.saved for o in outcomes)
    assert paid == pytest.approx(PRICE * len(model.bodies))
    assert compare(model, tmp_path, fresh=True)[0].cost.saved == outcomes[0].cost.price
    assert max(model.answered.values()) == 1
    model.failures = [(401, {}, {"error": {"message": SECRET}})]
    (tmp_path / "other.csv").write_text("word,x\nox,1\nfir,2\nelm,3\n")
    failed = compare(model, tmp_path, datasets=["./other.csv[names=word]"], algos=["Bottom-up"])
    assert (failed[0].status, failed[0].phase) == ("error", "oracle")
    for path in tmp_path.iterdir():
        assert SECRET.encode() not in path.read_bytes(), path


def test_a_budget_of_money_ends_the_call(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_process: None
) -> None:
    monkeypatch.chdir(tmp_path)
    (few,) = compare(model, tmp_path, algos=["InsertionClustering"], budget="0.11USD")
    assert (few.status, few.budget) == ("budget", "0.11USD")
    assert len(model.bodies) == 2 == int(0.11 / PRICE)


def test_a_model_that_talks_nonsense_is_paid_once_and_ends_unanswered(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_process: None
) -> None:
    monkeypatch.chdir(tmp_path)
    model.says = lambda _shown: "As a language model, I like all of them."
    (outcome,) = compare(model, tmp_path, algos=["InsertionClustering"])
    assert outcome.status == "unanswered"
    assert len(model.bodies) == 1, "the same words cost nothing the second time"
    assert outcome.cost.price == pytest.approx(PRICE)


@pytest.mark.attack("money", by_chance=True)
@pytest.mark.slow
def test_a_run_that_is_killed_pays_the_rest_when_it_is_resumed(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_process: None
) -> None:
    reached, go_on = threading.Event(), threading.Event()

    def stop_at_the_fourth() -> None:
        if sum(model.answered.values()) == 3 and not go_on.is_set():
            reached.set()
            go_on.wait(60)  # then it is charged, and nobody reads the answer

    model.before = stop_at_the_fourth
    model.handle_error = lambda *_: None  # type: ignore[method-assign]
    monkeypatch.chdir(tmp_path)
    settings = {"algos": ["InsertionClustering"], "budget": "5USD", "metrics": ["price"]}
    (tmp_path / "words.csv").write_text("word,x\n" + "".join(f"{name},1\n" for name in NAMES))
    command = [
        *(sys.executable, "-m", "hcbench", "compare", "--algos", "InsertionClustering", "-r1"),
        *("--datasets", DATA, "--oracles", asking(model), "--metrics", "price", "--jobs=1"),
        *("--budget", "5USD", "--store", "store.sqlite"),
    ]
    killed = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    assert reached.wait(60)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    go_on.set()
    (outcome,) = compare(model, tmp_path, **settings)
    assert outcome.status == "ok"
    assert len(model.charged) == len(model.answered), "no question was charged twice"
    # The fourth was sent again, unless the worker outlived the run long enough to store it.
    sent_again = sum(model.answered.values()) - len(model.charged)
    assert sent_again in (0, 1)
    assert outcome.cost.saved == pytest.approx((4 - sent_again) * PRICE)
    assert outcome.cost.price == pytest.approx(PRICE * len(model.charged))
    assert all(SECRET.encode() not in path.read_bytes() for path in tmp_path.iterdir())


@pytest.mark.attack("edges")
def test_stored_answers_are_written_as_csv(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store(path) as store:
        store.save_reply("model", ((0, 1, 2), 0), (2, 0.5, 10, 1.5, float("nan"), -1))
        store.save_reply("crowd", ((3, 12), 1), (4.5, 0.25, 0, 2.0, 0.75, 6))
        store.save_reply("=HYPERLINK(1)", ((3, 12), 1), (1.0, 0.25, 0, 2.0, 0.75, 6))
    done = CliRunner().invoke(main, ["answers", "--store", str(path)])
    assert done.exit_code == 0, done.stderr
    assert done.stdout.splitlines() == [
        "source,items,time,answer,confidence,annotator,price,tokens,seconds",
        "'=HYPERLINK(1),3 12,1,1.0,0.75,6,0.25,0.0,2.0",
        "crowd,3 12,1,4.5,0.75,6,0.25,0.0,2.0",
        "model,0 1 2,0,2.0,,,0.5,10.0,1.5",
    ]


def test_pictures_are_sent_instead_of_their_names(model: Model, tmp_path: Path) -> None:
    names = ("oak.png", "fir.png", "cat.jpg")
    for name in names:
        (tmp_path / name).write_bytes(name.encode())
    problem = Problem(n=3, names=names)
    kind = QUERY_KINDS["ordinal-queries"]
    prompts = oracles.Prompts(kind, names, "", oracles._read_pictures(tmp_path, names))
    message = prompts.content([2, 0, 1])
    assert not isinstance(message, str)
    text, *parts = message
    assert text["text"].splitlines()[1:4] == ["1: picture 1", "2: picture 2", "3: picture 3"]
    assert parts[0] == {"type": "text", "text": "picture 1:"}
    assert parts[1]["image_url"]["url"] == "data:image/jpeg;base64,Y2F0LmpwZw=="  # "cat.jpg"
    assert [prompts.read(said, [2, 0, 1]) for said in ("2", "Picture 3")] == [1, 2]
    settings = {"model": "m", "url": model.url, "context": "", "temperature": 0.0}
    settings |= {"max_tokens": 16, "concurrency": 4, "rate": 0.0, "timeout": 5.0, "retries": 3}
    settings |= PRICES | {"pictures": str(tmp_path)}
    Oracle(oracles.ask_ordinal(OracleRequest(problem=problem, seed=7), **settings)).ask([[0, 1, 2]])
    (body,) = model.bodies
    assert [part["type"] for part in body["messages"][1]["content"]] == [
        "text",
        *["text", "image_url"] * 3,
    ]
    assert not any(name in json.dumps(body) for name in names)
    with pytest.raises(hcbench.DataError, match=r"cannot read .*elm.png: No such file"):
        oracles._read_pictures(tmp_path, ("elm.png",))


def test_the_content_of_pictures_is_in_the_key_and_in_that_of_stored_answers(
    model: Model, tmp_path: Path
) -> None:
    names = ("oak.png", "sub/fir.png", "cat.jpg")
    (tmp_path / "sub").mkdir()
    for name in names:
        (tmp_path / name).write_bytes(name.encode())
    registry = load_registry()

    def key() -> str:
        (use,) = registry.use_oracles(f"llm-ordinal[model=m,pictures='{tmp_path}']")
        return use.identity

    def source() -> str:
        settings = {"model": "m", "url": model.url, "context": "", "temperature": 0.0}
        settings |= {"max_tokens": 16, "concurrency": 4, "rate": 0.0, "timeout": 5.0}
        settings |= PRICES | {"pictures": str(tmp_path), "retries": 3}
        problem = Problem(n=3, names=names)
        return oracles.ask_ordinal(OracleRequest(problem=problem, seed=7), **settings).source

    before = key(), source()
    assert (key(), source()) == before
    (tmp_path / "other.png").write_bytes(b"")
    assert key() != before[0]
    assert source() == before[1], "the answers are about the same pictures"
    (tmp_path / "other.png").unlink()
    (tmp_path / "sub" / "fir.png").write_bytes(b"another")
    assert key() != before[0]
    assert source() != before[1]
