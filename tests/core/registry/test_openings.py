"""Files of one ending that several data sets read."""

from __future__ import annotations

from pathlib import Path

import pytest

from hcbench import load_registry


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ('{"hcbench answers": 1, "kind": "ordinal-queries"}\n', "recorded-items"),
        ('{"x": 1, "y": 2}\n{"x": 3, "y": 4}\n', "file"),
        ("", "file"),
        (None, "file"),
    ],
)
def test_the_content_tells_recorded_answers_from_tables(
    tmp_path: Path, content: str | None, name: str
) -> None:
    path = tmp_path / "x.jsonl"
    if content is not None:
        path.write_text(content)
    reader = load_registry().reader_of(path)
    assert reader is not None
    assert reader.spec.name == name


def test_of_each_ending_one_data_set_reads_what_no_other_tells_by_its_content() -> None:
    readers: dict[str, list[str]] = {}
    for entry in load_registry().datasets.entries:
        if not entry.spec.opening:
            for ending in entry.spec.suffixes:
                readers.setdefault(ending, []).append(entry.spec.name)
    assert {ending: names for ending, names in readers.items() if len(names) > 1} == {}
