"""``hcbench ask --web``: over HTTP in this process, and in a real browser."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from html import unescape
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode, urlsplit

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from hcbench import DataError, HcbenchError, Tree, load_registry
from hcbench_ask.agreement import agreement
from hcbench_ask.annotators import Annotator
from hcbench_ask.answers_file import AnswersFile, Header, RecordedAnswer, RecordedAnswers
from hcbench_ask.session import header_of
from hcbench_ask.web import Server
from tests.browser import NEEDS_BROWSER, open_browser
from tests.plugins.ask.asked import TRUE, WORDS, Knower, hold, odd_one_out


def png(color: tuple[int, int, int]) -> bytes:
    """A picture of one color, 40 x 30 pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    rows = (b"\0" + bytes(color) * 40) * 30
    head = struct.pack(">IIBBBBB", 40, 30, 8, 2, 0, 0, 0)
    parts = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


@contextmanager
def serving(
    folder: Path, items: tuple[str, ...] = WORDS, people: int = 1, algorithm: str = "Bottom-up"
) -> Iterator[Server]:
    (use,) = load_registry().use_algorithms(algorithm)
    header = header_of(use, items, 0)
    with ExitStack() as stack:
        files = [
            stack.enter_context(AnswersFile(folder / f"{number}.jsonl", header))
            for number in range(1, people + 1)
        ]
        annotators = [Annotator(i, use, file, None) for i, file in enumerate(files, start=1)]
        server = Server(annotators, folder, "words <b>", "127.0.0.1", 0)
        with server.running():
            yield server


@dataclass
class Client:
    """Sends the requests of an annotator, with the token in a header unless told otherwise."""

    server: Server
    number: int = 1

    def send(
        self, method: str = "GET", path: str = "", body: str | None = None, **headers: str
    ) -> tuple[HTTPResponse, str]:
        connection = HTTPConnection("127.0.0.1", self.server.port, timeout=20)
        token = self.server.annotators[self.number - 1].token
        sent = {"Authorization": f"Bearer {token}"} | headers
        path = path if path.startswith("/") else f"/{self.number}/{path}"
        connection.request(method, path, body, {k: v for k, v in sent.items() if v != "none"})
        response = connection.getresponse()
        content = response.read().decode("latin-1")
        connection.close()
        return response, content

    def press(self, key: str, step: int | None = None) -> str:
        """Press a key, and return the next page."""
        step = self.server.annotators[self.number - 1].step if step is None else step
        response, _ = self.send("POST", body=urlencode({"step": step, "key": key}))
        assert (response.status, response.headers["Location"]) == (303, f"/{self.number}/")
        return self.send()[1]


def items_of(page: str) -> list[str]:
    return [unescape(item) for item in re.findall(r'<span class="text">(.*?)</span>', page)]


def right_key(items: list[str]) -> str:
    return str(odd_one_out(TRUE, *map(WORDS.index, items)) + 1)


def stored(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()[1:]]


@pytest.mark.slow
def test_the_pages_give_the_same_tree_and_file_as_the_terminal(tmp_path):
    person = Knower(TRUE, WORDS)
    expected = hold(tmp_path / "other.jsonl", person, "InsertionClustering")
    with serving(tmp_path, algorithm="InsertionClustering") as server:
        client = Client(server)
        page = client.send()[1]
        for number, query in enumerate(person.asked):
            assert tuple(items_of(page)) == query.items
            assert len(stored(tmp_path / "1.jsonl")) == number, "stored before the next is shown"
            page = client.press(right_key(items_of(page)))
        assert "all questions are answered" in page
        assert server.annotators[0].last_page_sent.wait(20)
        assert server.annotators[0].result.result == expected.result
    kept = [{k: v for k, v in a.items() if k != "time"} for a in stored(tmp_path / "1.jsonl")]
    assert kept == [
        {k: v for k, v in a.items() if k != "time"} for a in stored(tmp_path / "other.jsonl")
    ]


def test_keys_of_all_sorts_and_old_pages(tmp_path):
    with serving(tmp_path, algorithm="InsertionClustering") as server:
        client = Client(server)
        first = items_of(client.send()[1])
        assert "undo" not in client.send()[1].partition("<details>")[0]
        second = client.press("d")
        assert set(items_of(second)) != set(first)
        assert set(items_of(client.press("z"))) == set(first), "the deferral is taken back"
        assert "You were unsure." in client.press("u")
        old = server.annotators[0].step
        page = client.press("1")
        assert items_of(client.press("2", old)) == items_of(page), "an old page changes nothing"
        assert "page was old" in client.send()[1]
        client.press("z")
        codes = [line.get("answer", "undo") for line in stored(tmp_path / "1.jsonl")]
        assert codes[0] == "unsure"
        assert codes[2:] == ["undo"]
    with serving(tmp_path, algorithm="InsertionClustering") as server:
        assert "Question 1" in Client(server).send()[1], "resumed"


@pytest.mark.attack("ask --web")
@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "status"),
    [
        ("GET", "", None, {"Authorization": "none"}, 403),
        ("GET", "", None, {"Authorization": "Bearer wrong"}, 403),
        ("GET", "", None, {"Authorization": "Bearer \xe9"}, 403),
        ("GET", "?token=wrong", None, {}, 403),
        ("GET", "picture/0", None, {"Authorization": "none"}, 403),
        ("POST", "", "step=1&key=1", {"Authorization": "none"}, 403),
        ("GET", "/2/", None, {}, 403),
        ("GET", "/", None, {}, 404),
        ("GET", "", None, {"Host": "evil.example"}, 421),
        ("GET", "", None, {"Host": "127.0.0.1.evil.example:80"}, 421),
        ("GET", "", None, {"Host": "[bad"}, 421),
        ("GET", "", None, {"Host": "localhost:9"}, 200),
        ("GET", "", None, {"Host": "[::1]:9"}, 200),
        ("POST", "", "step=1&key=1", {"Origin": "http://evil.example"}, 403),
        ("POST", "", "step=1&key=1", {"Origin": "null"}, 403),
        ("POST", "", "step=1&key=q", {}, 400),
        ("POST", "", "step=1&key=%3F", {}, 400),
        ("POST", "", "step=x&key=1", {}, 400),
        ("POST", "", "key=1", {}, 400),
        ("POST", "", "a=1&b=1&c=1&d=1&e=1&step=1&key=1", {}, 400),
        ("POST", "", "x" * 257, {}, 413),
        ("POST", "", None, {"Content-Length": "-1"}, 400),
        ("POST", "", None, {"Content-Length": "9" * 20}, 413),
        ("POST", "", None, {"Content-Length": "9" * 5000}, 400),
        ("GET", "picture/1", None, {}, 404),
        ("GET", "picture/99", None, {}, 404),
        ("GET", "picture/-1", None, {}, 404),
        ("GET", "picture/../../etc/passwd", None, {}, 404),
        ("GET", "picture/%2e%2e%2fsecret.png", None, {}, 404),
        ("GET", "picture/secret.png", None, {}, 404),
        ("GET", "1.jsonl", None, {}, 404),
        ("GET", "picture/0", None, {}, 200),
        ("PUT", "", "x", {}, 405),
    ],
)
def test_requests_that_are_refused_change_nothing(method, path, body, headers, status, served):
    server, folder = served
    before = (folder / "1.jsonl").read_bytes()
    response, text = Client(server).send(method, path, body, **headers)
    assert response.status == status, text
    assert server.annotators[0].token not in text + str(response.headers)
    assert (folder / "1.jsonl").read_bytes() == before


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Path]]:
    """The first of three items is a picture; secret.png is beside it, but not an item."""
    folder = tmp_path_factory.mktemp("served")
    for name in ("a.png", "secret.png"):
        (folder / name).write_bytes(png((200, 30, 30)))
    with serving(folder, ("a.png", "missing.png", "<script>alert(1)</script>")) as server:
        yield server, folder


def test_a_link_becomes_a_cookie_and_pages_allow_no_other_resources(served, capfd):
    server, _ = served
    client = Client(server)
    link = urlsplit(server.link(server.annotators[0]))
    first, _ = client.send(path=f"{link.path}?{link.query}", Authorization="none")
    assert (first.status, first.headers["Location"]) == (303, "/1/")
    cookie = first.headers["Set-Cookie"]
    assert set(cookie.lower().split("; ")[1:]) == {"path=/1/", "httponly", "samesite=lax"}
    response, page = client.send(Authorization="none", Cookie=cookie.partition(";")[0])
    assert response.status == 200
    rules = dict(
        rule.split(" ", 1) for rule in response.headers["Content-Security-Policy"].split("; ")
    )
    assert rules["default-src"] == "'none'"
    assert rules["form-action"] == "'self'"
    nonce = rules["script-src"].removeprefix("'nonce-").removesuffix("'")
    assert f'<script nonce="{nonce}">' in page
    assert nonce not in client.send()[1], "each page has its own"
    assert "&lt;script&gt;alert(1)" in page
    assert "<b>" not in page
    assert not re.findall(r"(?:src|href)=.https?:", page)
    picture, _ = client.send(path="picture/0")
    assert picture.headers["Content-Type"] == "image/png"
    assert picture.headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in picture.headers["Content-Security-Policy"]
    assert capfd.readouterr() == ("", ""), "nothing is logged"


@pytest.mark.slow
def test_annotators_have_links_and_answers_of_their_own(tmp_path):
    items = WORDS[:4]
    with serving(tmp_path, items, people=2) as server:
        ada, ben = Client(server, 1), Client(server, 2)
        other = {"Authorization": f"Bearer {server.annotators[0].token}"}
        assert ben.send(**other)[0].status == 403
        for _ in range(4):
            ada.press(right_key(items_of(ada.send()[1])))
        assert "agree" not in ada.send()[1], "the other one has not answered yet"
        assert "Question 1" in ben.send()[1]
        for number in range(4):
            items_shown = items_of(ben.send()[1])
            ben.press(right_key(items_shown) if number else "n")
        assert "annotators 1 and 2 agree on 75 % of 4 questions" in ada.send()[1].replace("A", "a")


def test_a_port_in_use_and_a_full_disk_are_errors_in_one_line(tmp_path, monkeypatch):
    with serving(tmp_path) as server:
        with pytest.raises(DataError, match=r"cannot listen on 127\.0\.0\.1, port .*; use another"):
            Server(server.annotators, tmp_path, "", "127.0.0.1", server.port)

        def full(*_: object) -> int:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("hcbench_ask.answers_file.os.write", full)
        page = Client(server).press("1")
        monkeypatch.undo()
        assert "The session cannot continue" in page
        assert "No space left" in str(server.annotators[0].error)


@pytest.mark.attack("ask --web")
def test_a_url_that_is_none_is_not_found(served, capfd):
    server, _ = served
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as client:
        client.sendall(b"GET http://[/ HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert client.recv(100).startswith(b"HTTP/1.1 404")
    assert capfd.readouterr() == ("", "")


@pytest.mark.attack("ask --web", by_chance=True)
def test_a_client_that_drips_does_not_keep_the_server_from_ending(tmp_path):
    with ExitStack() as stack:
        with serving(tmp_path) as server:
            address = ("127.0.0.1", server.port)
            client = stack.enter_context(socket.create_connection(address, timeout=20))
            token = server.annotators[0].token
            head = f"POST /1/ HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
            client.sendall(f"{head}Content-Length: 20\r\n\r\ns".encode())
            Client(server).send()  # the first connection is accepted before this one
        # Had the server waited for the rest, it would have answered that it came too late.
        assert b" 408 " not in client.recv(100)
        assert (tmp_path / "1.jsonl").read_text().count("\n") == 1, "no answer"


@pytest.mark.attack("ask --web")
def test_a_body_that_does_not_arrive_in_time_is_refused(served):
    server, _ = served
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as client:
        token = server.annotators[0].token
        head = f"POST /1/ HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
        client.sendall(f"{head}Content-Length: 20\r\n\r\ns".encode())
        assert client.recv(100).startswith(b"HTTP/1.1 408 ")


@pytest.mark.attack("ask --web")
def test_pictures_outside_of_the_folder_are_not_served(tmp_path):
    """The page may be open to other machines, and the list of items may be a stranger's."""
    folder = tmp_path / "items"
    folder.mkdir()
    secret = tmp_path / "secret.png"
    secret.write_bytes(png((1, 2, 3)))
    (folder / "own.png").write_bytes(png((1, 2, 3)))
    (folder / "link.png").symlink_to(secret)
    os.mkfifo(folder / "pipe.png")
    items = ("../secret.png", str(secret), "link.png", "pipe.png", "own.png")
    with serving(folder, items) as server:
        statuses = [Client(server).send(path=f"picture/{item}")[0].status for item in range(5)]
        assert statuses == [404, 404, 404, 404, 200]
        assert server.pictures.outside == ["../secret.png", str(secret), "link.png"]


@pytest.mark.attack("ask --web")
def test_an_error_of_the_algorithm_ends_the_session(tmp_path, monkeypatch, capfd):
    with serving(tmp_path) as server:
        annotator = server.annotators[0]

        def fails() -> None:
            raise ZeroDivisionError("division by zero")

        monkeypatch.setattr(annotator, "_session", SimpleNamespace(run=fails))
        page = Client(server).press("1")
        assert "The session cannot continue" in page
        assert "Bottom-up failed with ZeroDivisionError: division by zero" in page
        annotator.wait()
        assert type(annotator.error) is HcbenchError
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.attack("ask --web")
@pytest.mark.parametrize("replaced", [False, True])
def test_an_answer_is_not_called_stored_if_the_file_was_removed(replaced, tmp_path):
    with serving(tmp_path, algorithm="InsertionClustering") as server:
        client = Client(server)
        client.press("1")
        (tmp_path / "1.jsonl").unlink()
        if replaced:
            (tmp_path / "1.jsonl").write_bytes(b"")
        assert "The session cannot continue" in client.press("1")
        assert "was removed or replaced" in str(server.annotators[0].error)


# ---- Agreement -----------------------------------------------------------------------------------


def recorded(*answers: tuple[str, int]) -> RecordedAnswers:
    header = Header(kind="ordinal-queries", items=tuple("abcdefgh"))
    rows = [RecordedAnswer(tuple(query), code, 0) for query, code in answers]
    return RecordedAnswers(Path("x"), header, rows)


def test_agreement_is_by_item_and_counts_questions_that_both_answered():
    """The odd one of a, b, c is c for both; -2 is unsure, so three questions are left."""
    first = recorded(("abc", 2), ("abd", 0), ("abe", 1), ("abf", -2), ("abg", 1))
    second = recorded(("cab", 0), ("abd", 1), ("eba", 1), ("abf", 1), ("abh", 1))
    found = agreement(first, second)
    assert found.queries == 3
    assert found.per_cent == pytest.approx(200 / 3)
    # First c, a, b; second c, b, b: e = (1 * 1 + 1 * 0 + 1 * 2) / 9 = 1/3, (2/3 - 1/3) / (2/3)
    assert found.kappa == pytest.approx(0.5)
    assert str(found) == "67 % of 3 questions answered by both, Cohen's kappa 0.50"


def test_kappa_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    triples = [f"{a}{b}h" for a, b in zip("abcdabcdabcdab", "efgeefgfefggfg", strict=True)]
    codes = rng.integers(0, 3, (2, len(triples)))
    codes[1, :7] = codes[0, :7]
    rows = [recorded(*zip(triples, map(int, row), strict=True)) for row in codes]
    ours = [np.concatenate(list(map(np.array, row.codes().values()))) for row in rows]
    assert agreement(*rows).kappa == pytest.approx(cohen_kappa_score(*ours))


def test_agreement_without_common_questions_or_variation():
    nothing = agreement(recorded(("abc", 1)), recorded(("abd", 1)))
    assert str(nothing) == "no question was answered by both"
    same = agreement(recorded(("abc", 1)), recorded(("abc", 1)))
    assert str(same) == "100 % of 1 question answered by both, Cohen's kappa undefined"


# ---- A browser -----------------------------------------------------------------------------------


@NEEDS_BROWSER
@pytest.mark.slow
def test_two_people_in_a_browser_with_pictures_keys_and_the_mouse(tmp_path):
    """Dark colors and light ones; the odd one out has the other shade."""
    from selenium.webdriver import ActionChains
    from selenium.webdriver.support.wait import WebDriverWait

    folder = tmp_path / "shades"
    folder.mkdir()
    for at in range(4):
        shade = 40 + 10 * at + (120 if at > 1 else 0)
        (folder / f"{at}.png").write_bytes(png((shade, shade, shade)))
    truth = Tree([4, 4, 5, 5, 6, 6, -1])
    args = ["ask", "shades", "--web", "--annotators", "2", "--algo", "Bottom-up", "-o", "out"]
    code = "from hcbench.cli import main; main()"
    command = [sys.executable, "-c", code, *args]

    def start() -> tuple[subprocess.Popen[str], list[str]]:
        process = subprocess.Popen(
            command, cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        lines = [process.stderr.readline() for _ in range(3)]
        return process, re.findall(r"http://\S+", "".join(lines))

    def answer(browser: Any, how: str) -> None:
        pictures = browser.find_elements("css selector", "img")
        assert all(browser.execute_script("return arguments[0].naturalWidth", p) for p in pictures)
        tops = {picture.location["y"] for picture in pictures}
        assert len(tops) == 1, "side by side"
        shown = [int(picture.get_attribute("src").rpartition("/")[2]) for picture in pictures]
        odd = odd_one_out(truth, *shown)
        if how == "mouse":
            act(browser, pictures[odd].click)
        else:
            press(browser, str(odd + 1))

    def press(browser: Any, key: str) -> None:
        act(browser, ActionChains(browser).send_keys(key).perform)

    def act(browser: Any, action: Callable[[], None]) -> None:
        """Do something, and wait for another page."""
        script = "return document.readyState == 'complete' && (window.seen ? '' : 'new')"
        browser.execute_script("window.seen = true")
        action()
        WebDriverWait(browser, 60).until(lambda _: browser.execute_script(script))

    def number(browser: Any) -> str:
        return browser.find_element("css selector", "header").text

    process, links = start()
    try:
        with open_browser(tmp_path / "profile") as browser:
            browser.get(links[0])
            assert "token" not in browser.current_url
            ActionChains(browser).send_keys("?").perform()
            assert browser.find_elements("css selector", "details[open]")
            answer(browser, "mouse")
            assert "Question 2" in number(browser)
            for key in "dzz":
                press(browser, key)
            assert "Question 1" in number(browser)
            answer(browser, "key")
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
            assert process.returncode == 130
            assert "stopped after 1 answer, stored in shades.answers.jsonl" in err
            process, links = start()
            browser.get(links[0])
            assert "Question 2" in number(browser)
            for how in ("mouse", "key", "key"):
                answer(browser, how)
            assert "Thank you" in browser.find_element("css selector", "h1").text
            browser.get(links[1])
            for _ in range(4):
                answer(browser, "key")
            assert "agree on 100 %" in browser.find_element("css selector", "main").text
            errors = [line for line in browser.get_log("browser") if line["level"] == "SEVERE"]
            assert not errors
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 0, err
    assert "annotators 1 and 2 agree on 100 % of 4 questions answered by both" in err
    assert out.count("─ 0.png") == 2
    names = [f"{at}.png" for at in range(4)]
    for stem in ("out", "out.2"):
        tree = Tree.from_newick((tmp_path / f"{stem}.nwk").read_text(), names=names)
        assert Tree(tree.parent).isomorphic(truth)
    assert (tmp_path / "shades.2.answers.jsonl").exists()
