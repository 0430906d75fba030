"""Every command and every name of a file that inspect and errors print for the made files."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

from hcbench import DataError, ModelWarning
from hcbench.cli import main
from hcbench.files import TreeFile
from hcbench.registry import parse_name
from tests.plugins.datasets.test_file import read

MADE = Path(__file__).with_name("made")
#: Files that describe or write the others.
NOT_DATA = {".py", ".R", ".sh", ".md"}
FILES = sorted(
    path.name
    for path in MADE.iterdir()
    if path.is_file() and path.suffix not in NOT_DATA and not path.name.startswith("expected_")
)
#: A word of the shell behind a blank; an apostrophe inside a word, as in R's, quotes nothing.
WORD = re.compile(r"(?<=\s)'[^']*'|(?<=\s)[^\s']\S*")


def printed_by_inspect(file: str) -> str:
    """What inspect prints for a file, or the error."""
    done = CliRunner().invoke(main, ["inspect", file])
    return done.output


def names_in(text: str, file: str) -> set[str]:
    """The names ``FILE[...]`` in a text, as the shell reads them."""
    names = set()
    for match in WORD.finditer(text):
        word = match[0]
        if f"{file}[" not in word:
            continue
        names.add(shlex.split(word.rstrip(",.:;"))[0])
    return names


def check_read(name_text: str) -> None:
    """Read what a name says; its own error would be another advice."""
    name = parse_name(name_text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        assert read(Path(name.base), **name.params).n >= 2


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES)
def test_what_is_printed_for_a_made_file_can_be_pasted(file, tmp_path, monkeypatch):
    monkeypatch.chdir(MADE)
    monkeypatch.setenv("HCBENCH_STORE", str(tmp_path / "store.sqlite"))
    text = printed_by_inspect(file)
    for name in names_in(text, file):
        check_read(name)
    for line in text.splitlines():
        if not line.startswith("hcbench compare"):
            continue
        words = shlex.split(line)[1:]
        done = CliRunner().invoke(main, [*words, "--dry-run"])
        assert done.exit_code == 0, (line, done.output)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "package"), [("dendropy_one.nexml", "dendropy"), ("biopython_phylo.xml", "Bio")]
)
def test_the_conversion_that_an_error_names_makes_a_tree(file, package, tmp_path):
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    path = tmp_path / file
    shutil.copy(MADE / file, path)
    with pytest.raises(DataError) as caught:
        TreeFile(path).read()
    command = str(caught.value).partition("): ")[2]
    command = command.replace("python3", shlex.quote(sys.executable), 1)
    subprocess.run(["sh", "-c", command], cwd=tmp_path, check=True, capture_output=True)
    (converted,) = [new for new in tmp_path.iterdir() if new != path]
    assert TreeFile(converted).read().n >= 3
