"""Commands that are printed: a shell must read exactly the words."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given, settings, strategies as st

from hcbench.model.text import printable, shell_command, suggestion

NAMES = [
    "plain",
    "",
    "$(touch PWNED)",
    "`touch PWNED`",
    "cost $USD",
    "D'Albertis' python",
    '"q"',
    "a  b   c",
    " blank at both ends ",
    "a;b|c&d>e<f*?[x]{y}~!#",
    "two\nlines",
    "newline at the end\n",
    "tab\there",
    "100 %d of it\\n",
    "escape \x1b[31m of 50 %",
    "-n",
    "-\x07",
    "Zürich 東京 \u202e",
    "no\u00a0break",
    "undecodable \udcff byte",
]


def words_of(command: str, folder: Path) -> list[bytes]:
    """The words that ``sh`` passes on to a program."""
    script = "import os, sys; sys.stdout.buffer.write(b'\\0'.join(map(os.fsencode, sys.argv[1:])))"
    ran = subprocess.run(
        ["sh", "-c", f'"$PYTHON" -c "$SCRIPT" {command}'],
        cwd=folder,
        env={"PYTHON": sys.executable, "SCRIPT": script, "PATH": "/usr/bin:/bin", "USD": "5"},
        capture_output=True,
        check=True,
    )
    return ran.stdout.split(b"\0")


@pytest.mark.parametrize("name", NAMES)
def test_shell_reads_a_printed_word_as_it_is(name, tmp_path):
    assert words_of(shell_command(name), tmp_path) == [name.encode(errors="surrogateescape")]
    assert not list(tmp_path.iterdir())  # nothing was run


def test_shell_reads_all_words_of_a_command(tmp_path):
    words = words_of(shell_command(*NAMES), tmp_path)
    assert words == [name.encode(errors="surrogateescape") for name in NAMES]


@pytest.mark.parametrize("name", [name for name in NAMES if not name.endswith("\n")])
def test_a_message_does_not_change_a_command(name):
    """`tell` joins the words of a message by single blanks, and writes out control characters."""
    command = shell_command("hcbench", "info", name)
    assert printable(" ".join(command.split())) == command


@settings(max_examples=30, deadline=None)
@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
@example("\n\n")
def test_shell_reads_any_word_as_it_is(name):
    assert words_of(shell_command(name), Path()) == [name.encode()]


def test_names_that_are_spelt_so_are_suggested():
    columns = ["segment", "Sepal Length", "sepal-width", "kind"]
    assert suggestion("segmnt", columns) == "did you mean segment?"
    assert suggestion("sepal_length", columns) == "did you mean Sepal Length?"
    assert suggestion("colour", columns) == ""
    assert suggestion("x", []) == ""
