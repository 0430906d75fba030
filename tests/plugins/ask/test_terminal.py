"""``hcbench ask`` at a real terminal, and without one."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from scipy.cluster.hierarchy import linkage

from hcbench import Tree, load_registry
from hcbench.cli import main
from tests.plugins.ask.asked import TRUE, WORDS, Knower, hold, odd_one_out
from tests.terminal import ENTER, LEAVE, Page

ITEMS = "\n".join(WORDS) + "\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HCBENCH_STORE", str(tmp_path / "store.sqlite"))
    monkeypatch.delenv("HCBENCH_DEBUG", raising=False)
    (tmp_path / "items.txt").write_text(ITEMS)
    return tmp_path


def question(page: Page, number: int) -> list[str]:
    """Wait for a question, and return its items."""
    page.wait(rf"Question {number} ·.*\? help")
    return re.findall(r"^ +[123]  (\w+)$", page.text, re.MULTILINE)


def right_key(items: list[str]) -> str:
    return str(odd_one_out(TRUE, *map(WORDS.index, items)) + 1)


def answers(folder: Path) -> list[dict]:
    lines = (folder / "items.answers.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines[1:]]


# ---- A terminal ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_session_that_is_killed_halfway_goes_on_and_asks_nothing_twice(folder):
    asked = []
    with Page(["ask", "items.txt"], folder) as page:
        for number in range(1, 11):
            items = question(page, number)
            assert len(answers(folder)) == number - 1, "kept before the next question is put"
            asked.append(frozenset(items))
            page.press(right_key(items))
        question(page, 11)
        page.process.send_signal(signal.SIGKILL)
        page.process.wait()
    assert len(answers(folder)) == 10
    with (folder / "items.answers.jsonl").open("a") as file:
        file.write('{"question": ["apple", "pe')  # killed in the middle of a write
    with Page(["ask", "items.txt", "-o", "mine"], folder) as page:
        while "Question" in page.wait(rf"Question {len(asked) + 1} ·.*\? help|answers, ")[0]:
            items = question(page, len(asked) + 1)
            asked.append(frozenset(items))
            page.press(right_key(items))
        code, rest = page.end()
        assert page.settings == page.before
    assert code == 0, rest
    assert len(set(asked)) == len(asked) == len(answers(folder)), "no question was asked twice"
    assert f"hcbench: {len(asked)} answers, {len(asked)} distinct, 0 unsure, 0 undone" in rest
    assert "─ apple" in rest
    written = Tree.from_newick((folder / "mine.nwk").read_text(), names=WORDS)
    assert written.isomorphic(TRUE)


EVIL = "\x1b]0;owned\x07\x1b[31m\x9b32m\u202ereversed"


@pytest.mark.slow
def test_names_of_items_and_files_do_not_reach_the_terminal_as_escapes(folder):
    names = ["apple" + EVIL, f"https://example.org/{EVIL}x.png", "pear"]
    (folder / f"{EVIL}.txt").write_text("\n".join(names))
    with Page(["ask", f"{EVIL}.txt", "--algo", "InsertionClustering"], folder) as page:
        page.wait(r"Question 1 ·.*\? help")
        page.press("1")
        code, rest = page.end()
    assert code == 0, rest
    assert "reversed" in rest
    for raw in ("\x1b]0;", "\x07", "\x1b[31m", "\x9b", "\u202e"):
        assert raw not in page.written


@pytest.mark.slow
def test_keys_of_all_sorts(folder):
    (folder / "items.txt").write_text(ITEMS.replace("apple", "a/b.png"))
    with Page(["ask", "items.txt", "--algo", "InsertionClustering[order=given]"], folder) as page:
        page.wait(r"Question 1 ·.*\? help")
        assert "Which one is the odd one out?" in page.text
        assert "\x1b]8;id=" in page.raw  # a picture is a link
        assert (folder / "a" / "b.png").as_uri() in page.raw
        page.press("7")
        page.wait("'7' is not an answer here: press 1, 2, 3, n, u, d, z, q or \\?")
        page.press("\x1b[A")  # an arrow is one key, not three
        page.wait("This key is not an answer here")
        page.press("z")
        page.wait("There is no answer to take back")
        page.press("?")
        page.wait("One key is one answer")
        page.press("u")
        page.wait(r"You were unsure\..*\? help")
        page.press("n")
        page.wait(r"Question 2 ·.*\? help")
        page.press("\x7f")
        page.wait(r"Question 1 ·.*You were unsure.*\? help")
        page.resize((30, 12))
        page.wait(r"none: no two of them are\n")
        assert max(map(len, page.text.splitlines())) <= 30
        assert len(page.text.splitlines()) <= 12
        page.resize((80, 24))
        page.wait(r"none: no two of them are closer")
        page.press("\x04")
        code, rest = page.end()
        assert page.settings == page.before
    assert code == 130
    note = "stopped after 1 answer, stored in items.answers.jsonl: the same command resumes"
    assert rest.strip() == f"hcbench: {note}"
    said = [line.get("answer", "undo") for line in answers(folder)]
    assert said == ["unsure", "none", "undo"]


@pytest.mark.slow
def test_on_a_low_page_help_replaces_the_question_and_ctrl_z_restores_the_terminal(folder):
    """There is no shell at this terminal, so nothing stops; no answer may be lost."""
    with Page(["ask", "items.txt"], folder, size=(80, 12)) as page:
        items = question(page, 1)
        page.press("?")
        page.wait("One key is one answer.*the same command resumes")
        assert len(page.text.splitlines()) <= 12
        assert "Question 1" not in page.text
        page.press("x")
        assert question(page, 1) == items
        page.press("\x1a")
        for _ in range(100):  # tenths of a second
            page.read()
            if page.written.count(ENTER) == 2:
                break
        assert page.written.index(LEAVE) < page.written.rindex(ENTER)
        assert question(page, 1) == items
        page.press("1")
        question(page, 2)
        page.press("q")
        page.end()
        assert page.settings == page.before


@pytest.mark.slow
@pytest.mark.parametrize(
    "how",
    ["\x03", signal.SIGTERM, signal.SIGQUIT],
    ids=["Ctrl-C", "SIGTERM", "SIGQUIT"],
)
def test_the_terminal_is_restored_at_the_end(how, folder):
    with Page(["ask", "items.txt"], folder) as page:
        page.press("1")  # before the first question: it must not answer it
        question(page, 1)
        page.press("2") if isinstance(how, str) else None
        question(page, 2 if isinstance(how, str) else 1)
        page.press(how) if isinstance(how, str) else page.process.send_signal(how)
        code, rest = page.end()
        assert page.settings == page.before
        assert page.written.count(ENTER) == page.written.count(LEAVE) == 1
    if isinstance(how, str):
        assert code == 130
        assert "stopped after 1 answer," in rest
        assert len(answers(folder)) == 1
    else:
        assert code == 128 + how
        assert not answers(folder)


# ---- Without a terminal --------------------------------------------------------------------------


def call(*args: str, keys: str = "") -> Result:
    return CliRunner().invoke(main, ["ask", *args], input=keys)


@pytest.mark.slow
def test_without_a_terminal_keys_are_read_line_by_line(folder):
    first = call("items.txt", keys="9\n1\nz\nq\n")
    assert first.exit_code == 130
    assert "'9' is not an answer here" in first.stderr
    assert first.stderr.count("Question 1 ·") == 3
    assert first.stderr.endswith(
        "stopped after 0 answers, stored in items.answers.jsonl: the same command resumes\n"
    )
    assert first.stdout == ""
    done = call("items.txt", keys="1\n" * 60)
    assert done.exit_code == 0
    assert done.stdout.splitlines()[-1].endswith(";")
    assert set(Tree.from_newick(done.stdout.splitlines()[-1]).names) == set(WORDS)
    again = call("items.txt", keys="")
    assert (again.exit_code, again.stdout) == (0, done.stdout)
    left = call("items.txt", "--undo", "1", keys="q\n")
    assert left.stderr.endswith("the same command, without --undo, resumes\n")
    back = call("items.txt", "--undo", "1", keys="2\n2\n2\n2\n2\n2\n")
    assert back.exit_code == 0
    assert "3 undone" in back.stderr, "one of them in the first session"


@pytest.mark.slow
def test_a_file_without_answers_can_be_replaced(folder):
    assert call("items.txt", keys="q\n").exit_code == 130
    result = call("items.txt", "--noise", "0.1", keys="1\nq\n")
    assert "stopped after 1 answer," in result.stderr
    refused = call("items.txt", keys="q\n")
    assert refused.exit_code == 2
    assert "another algorithm: NoisyInsertion[p=0.9], not InsertionClustering" in refused.stderr


@pytest.mark.slow
def test_a_tree_to_be_cut_may_be_a_linkage_matrix(folder):
    np.save(folder / "z.npy", linkage(np.arange(12.0)[:, None]))
    args = ("items.txt", "--algo", "WDP", "--tree", "z.npy")
    result = call(*args, keys="y\n" * 20)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == f"1 (12): {', '.join(WORDS)}\n"
    (folder / "items.txt").write_text("a\nb\nc\n")
    refused = call(*args, "--answers", "few.jsonl")
    assert refused.exit_code == 2
    assert "z.npy: the tree has 12 leaves, and there are 3 items" in refused.stderr


def test_an_input_that_ends_is_one_line(folder):
    result = call("items.txt", keys="")
    assert result.exit_code == 130
    assert "stopped after 0 answers" in result.stderr.splitlines()[-1]


def test_contradictory_answers_are_reported_and_can_be_taken_back(folder):
    (folder / "few.csv").write_text("item\na\nb\nc\nd\n")
    result = call("few.csv", "--algo", "Bottom-up", keys="1\n" * 20)
    assert result.exit_code == 0
    assert "4 items; 'item' is the header" in result.stderr
    warning = next(line for line in result.stderr.splitlines() if "no tree agrees" in line)
    assert re.search(r"'\w' is the odd one out, not '\w' or '\w' \(line \d\)", warning)
    assert "--undo N" in warning


@pytest.mark.parametrize(
    ("name", "text", "args", "said"),
    [
        ("i.csv", "", (), "i.csv: the file is empty"),
        ("i.csv", "item\n", (), "i.csv has no items; at least 2 are needed"),
        ("i.csv", "a\n", (), "i.csv has one item only, 'a'"),
        ("i.txt", "\n\n", (), "i.txt has no items"),
        ("i.txt", "a\nb\n", (), "2 items, but a question needs 3"),
        ("i.txt", "a\n\nb\nc\na\n", (), "lines 1 and 5 are both 'a'"),
        ("i.csv", "item\na\nb\n a\n", (), "lines 2 and 4 are both 'a'"),
        ("i.csv", "x,y\na,1\nb,2\n", (), "has 2 columns (x, y); say which has the items: --column"),
        ("i.csv", "x,y\na,1\nb,2\n", ("--column", "z"), "no column 'z'; there are x, y"),
        ("i.csv", "x,y\na,1\nb\n", ("--column", "x"), "line 3: 1 cells, but the first row has 2"),
        ("i.csv", "x,y\na,1\n,2\n", ("--column", "x"), "line 3: there is no item"),
        ("i.csv", 'x\n"a\nb\n', (), "are the quotes closed?"),
        ("i.txt", "a\nb\nc\n", ("--column", "x"), "leave out column"),
        ("i.json", "[]", (), "items are read from .csv, .tsv and .txt files"),
        ("i.csv", b"\xff\0", (), "is not UTF-8"),
        (None, "", (), "cannot read i.csv: No such file"),
        ("i.txt", ITEMS, ("--noise", "0.5"), "0.5 is not in the range 0<=x<0.5"),
        ("i.txt", ITEMS, ("--noise", "0.9"), "0.9 is not in the range"),
        ("i.txt", ITEMS, ("--noise", "-1"), "-1.0 is not in the range"),
        ("i.txt", ITEMS, ("--noise", "0.1", "--delta", "0"), "0.0 is not in the range 0<x<1"),
        ("i.txt", ITEMS, ("--noise", "0.1", "--delta", "1"), "1.0 is not in the range"),
        ("i.txt", ITEMS, ("--noise", "0.49999"), "p must be at least 0.50005"),
        ("i.txt", ITEMS, ("--delta", "0.1"), "InsertionClustering has none"),
        ("i.txt", ITEMS, ("--algo", "NoisyInsertion[p=0.4]"), "p must be in (0.5, 1), got 0.4"),
        ("i.txt", ITEMS, ("--algo", "NoisyInsertion"), "NoisyInsertion needs p"),
        ("i.txt", ITEMS, ("--algo", "NoisyInsertion[p=0.9]", "--noise", "0.1"), "leave one out"),
        ("i.txt", ITEMS, ("--algo", "Build,CL"), "no algorithm is called"),
        ("i.txt", ITEMS, ("--algo", "Build[count=[1,2]]"), "several algorithms; name one"),
        ("i.txt", ITEMS, ("--algo", "UPGMA"), "a person cannot answer these"),
        ("i.txt", ITEMS, ("--algo", "Nobody"), "no algorithm is called 'Nobody'"),
        ("i.txt", ITEMS, ("--tree", "i.txt"), "i.txt"),
        ("i.txt", ITEMS, ("--tree", "none.nwk"), "cannot read none.nwk"),
        ("i.txt", ITEMS, ("--answers", "no/a.jsonl"), "cannot write no/a.jsonl"),
        ("i.txt", ITEMS, ("--answers", "i.txt"), "i.txt was not written by hcbench ask"),
    ],
)
def test_every_error_is_one_line(name, text, args, said, folder):
    if name:
        content = text if isinstance(text, bytes) else text.encode()
        (folder / name).write_bytes(content)
    result = call(name or "i.csv", *args, keys="1\n")
    assert result.exit_code == 2, result.stderr
    errors = [line for line in result.stderr.splitlines() if line.startswith("hcbench: error")]
    assert len(errors) == 1
    assert said in errors[0]
    assert "this is a defect" not in result.stderr
    assert result.stdout == ""


@pytest.mark.slow
def test_its_help_imports_nothing_heavy():
    code = (
        "import atexit, sys; from hcbench.cli import main; "
        "atexit.register(lambda: print(*sys.modules, file=sys.stderr)); main(['ask', '--help'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "hcbench_ask.command" in done.stderr.split()
    assert not {"numba", "numpy", "rich", "termios"} & set(done.stderr.split())


@pytest.mark.parametrize(
    ("text", "args", "items"),
    [
        ("a\nb\nc\n", (), "abc"),
        ("Name\na\nb\nc\n", (), "abc"),
        ("z,a\ny,b\nx,c\n", ("--column", "2"), "abc"),
        ("z,picture\ny,b\nx,c\nw,a\n", ("--column", "2"), "bca"),
        ("z,what\ny,b\nx,c\nw,a\n", ("--column", "what"), "bca"),
        ("z,url\ny,b\nx,c\nw,a\n", ("--column", "url"), "bca"),
        ('"a"\n\n"b"\n c \n', (), "abc"),
    ],
)
def test_items_of_a_table(text, args, items, folder):
    (folder / "i.csv").write_text(text)
    call("i.csv", *args)
    head = json.loads((folder / "i.answers.jsonl").read_text().splitlines()[0])
    assert head["items"] == list(items)


def test_the_items_may_be_a_folder_of_pictures(folder):
    (folder / "my.birds").mkdir()
    for name in ("robin.png", "Wren.JPG", "owl.webp", "notes.txt", ".hidden.png"):
        (folder / "my.birds" / name).touch()
    call("my.birds", keys="q\n")
    head = json.loads((folder / "my.birds.answers.jsonl").read_text().splitlines()[0])
    assert head["items"] == ["Wren.JPG", "owl.webp", "robin.png"]
    (folder / "empty").mkdir()
    refused = call("empty", keys="q\n")
    assert refused.exit_code == 2
    assert "empty has 0 pictures" in refused.stderr


@pytest.mark.slow
def test_a_viewer_is_quiet_and_may_be_missing(folder, monkeypatch, capfd):
    (folder / "items.txt").write_text("a.png\nb.png\nc.png\n")
    viewer = folder / "xdg-open"
    viewer.write_text('#!/bin/sh\necho "$1" >> opened\necho noise >&2\n')
    viewer.chmod(0o755)
    for path in (f"{folder}:/usr/bin:/bin", ""):
        monkeypatch.setenv("PATH", path)
        result = call("items.txt", "--open", keys="q\n")
        assert "stopped after 0 answers" in result.stderr
    assert capfd.readouterr().err == ""
    for _ in range(100):  # the viewers run on their own
        if (folder / "opened").exists() and (folder / "opened").read_text().count("\n") == 3:
            break
        time.sleep(0.02)
    opened = (folder / "opened").read_text().splitlines()
    assert sorted(opened) == [(folder / f"{name}.png").as_uri() for name in "abc"]


def test_missing_pictures_are_reported(folder):
    (folder / "here.png").touch()
    text = "here.png\nsub/there.JPG\nhttps://example.org/x.png\nword\n"
    odd = ("~nobody/x.png", "x" * 300 + ".png")
    (folder / "items.txt").write_text(text)
    result = call("items.txt", keys="q\n")
    assert "hcbench: warning: 1 of the pictures do not exist: 'sub/there.JPG'\n" in result.stderr
    (folder / "odd.txt").write_text("\n".join([*odd, "a", "b"]))
    result = call("odd.txt", keys="q\n")
    assert "hcbench: warning: 2 of the pictures do not exist: '~nobody/x.png', 'xx" in result.stderr


# ---- In comparisons ------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_replayed_answers_in_a_comparison_and_missing_ones_as_rows(folder):
    (folder / "true.nwk").write_text(TRUE.to_newick(lengths=False))
    hold(folder / "all.jsonl", Knower(TRUE, WORDS), "Bottom-up", WORDS[::-1])
    hold(folder / "some.jsonl", Knower(TRUE, WORDS), "InsertionClustering", WORDS, 7)
    data = "./all.jsonl[truth='true.nwk']"
    args = ["compare", "--algos", "QuickClustering", "--metrics", "AARI", "-r", "1", "-q"]
    args += ["--datasets", data, "--replay", "all.jsonl", "--replay", "some.jsonl"]
    args += ["--oracles", "person[answers='mine.jsonl']", "--format", "json"]
    result = CliRunner().invoke(main, args)
    assert result.exit_code == 0, result.stderr
    rows = {row["oracle"]: row for row in json.loads(result.stdout)["cells"]}
    whole = rows["recorded-ordinal[file=all.jsonl]"]
    assert (whole["status"], whole["metrics"]) == ("ok", {"AARI": 1.0})
    part = rows["recorded-ordinal[file=some.jsonl]"]
    assert part["status"] == "skipped"
    assert re.fullmatch(r"some.jsonl has no answer about .*: nobody answered this", part["reason"])
    unmatched = rows["person[answers=mine.jsonl]"]
    assert unmatched["status"] == "skipped"
    assert "workers have no terminal to ask a person" in unmatched["reason"]


def test_a_missing_file_cannot_be_replayed(folder):
    result = CliRunner().invoke(main, ["compare", "--replay", "none.jsonl"])
    assert result.exit_code == 2
    text = "hcbench: error: cannot read none.jsonl: No such file or directory; it is not in"
    assert result.stderr.startswith(text)


def test_changed_answers_are_compared_again(folder):
    """The key of a cell includes the content of the file."""
    hold(folder / "a.jsonl", Knower(TRUE, WORDS))
    (before,) = load_registry().use_oracles("recorded-ordinal[file=a.jsonl]")
    with (folder / "a.jsonl").open("a") as file:
        file.write('{"undo": true}\n')
    (after,) = load_registry().use_oracles("recorded-ordinal[file=a.jsonl]")
    assert before.identity != after.identity
    assert before.label == after.label
