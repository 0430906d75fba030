"""Text of Windows and of UTF-16 is read by every reader, as Python itself decodes it."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from hcbench import DataError, ModelWarning, read_comparisons, read_tree
from hcbench.api.labels import read_labels
from hcbench.files import read_items
from hcbench.files.comparisons import read_named_comparisons

NAMES = ("Äpfel", "Öl", "Zürich")
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "cp1252"]


def write(path: Path, text: str, encoding: str) -> Path:
    path.write_bytes(text.encode(encoding))
    return path


def items_of_lines(folder: Path, encoding: str) -> tuple[str, ...]:
    return read_items(write(folder / "items.txt", "\n".join(NAMES), encoding)).texts


def items_of_a_table(folder: Path, encoding: str) -> tuple[str, ...]:
    text = "id,name\n" + "".join(f"{i},{name}\n" for i, name in enumerate(NAMES))
    return read_items(write(folder / "items.csv", text, encoding), "name").texts


def names_of_labels(folder: Path, encoding: str) -> tuple[str, ...] | None:
    text = ",class\n" + "".join(f"{name},a\n" for name in NAMES)
    return read_labels(str(write(folder / "labels.csv", text, encoding)), NAMES, 3).names


def leaves_of_newick(folder: Path, encoding: str) -> tuple[str, ...] | None:
    text = f"({NAMES[0]},({NAMES[1]},{NAMES[2]}));"
    return read_tree(write(folder / "tree.nwk", text, encoding)).names


def items_of_comparisons(folder: Path, encoding: str) -> tuple[str, ...] | None:
    text = f"anchor,near,far\n{','.join(NAMES)}\n"
    return read_named_comparisons(write(folder / "answers.csv", text, encoding))[1]


READERS = [
    items_of_lines,
    items_of_a_table,
    names_of_labels,
    leaves_of_newick,
    items_of_comparisons,
]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("read", READERS)
def test_names_are_the_same_in_each_encoding(read, encoding, tmp_path):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        names = read(tmp_path, encoding)
    assert sorted(names) == sorted(NAMES)
    notes = [str(one.message) for one in caught if issubclass(one.category, ModelWarning)]
    notes = [note for note in notes if "read as Windows-1252" in note]
    assert len(notes) == (encoding == "cp1252")


def test_numbers_of_comparisons_are_read_from_utf_16(tmp_path):
    path = write(tmp_path / "answers.csv", "i,j,k\n0,1,2\n2,1,0\n", "utf-16")
    assert read_comparisons(path).triplets().tolist() == [[0, 1, 2], [2, 1, 0]]


@pytest.mark.parametrize("content", [b"\x00\xff\xfe", b"name\n\xff\0\n"])
def test_a_file_with_zero_bytes_is_no_text(content, tmp_path):
    path = tmp_path / "items.txt"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"items\.txt, line .: byte 0xff .* is it the right file"):
        read_items(path)
