"""Notes: what to keep in mind about results, the same wherever results are shown.

A note is computed once. A terminal shows it below the table that it is about; JSON has it under
``notes``, Python as ``Results.notes`` and in ``attrs`` of the tables, and CSV in a second file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from hcbench.errors import HcbenchError

#: What a note is about.
#: Of values: "reference" (a reference line), "truth" (who receives it, or which truth a tree is
#: like), "failure", "missing" (why there is no value), "range" (values outside of that of their
#: metric), "chance" (worse than a reference that knows nothing), "run" (what an algorithm or its
#: oracle noted).
#: Of statistics: "rank", "test" (why there is none), "failures" and "families" (how they count),
#: "interval", "claim", "verdicts" (how many are false by chance).
#: Of a run: "busy" (times), "data" (equal or different where they should not be), "part" (a shard),
#: "kernels", "change" (since it was stored), "annotation" (of a person).
#: Of a plan: "inapplicable", "time", "price", "memory".
NoteKind: TypeAlias = Literal[
    "reference",
    "truth",
    "failure",
    "missing",
    "range",
    "chance",
    "run",
    "rank",
    "test",
    "failures",
    "families",
    "interval",
    "claim",
    "verdicts",
    "busy",
    "data",
    "part",
    "kernels",
    "change",
    "annotation",
    "inapplicable",
    "time",
    "price",
    "memory",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What to keep in mind about results.

    Attributes
    ----------
    kind : str
        One of `NoteKind`.
    text : str
        One sentence, as a terminal shows it.
    table : str
        The title of the table that it is about, such as a data set; "" if it is about all.
    rows : tuple of str
        The names of the rows that it is about, such as algorithms or claims.
    columns : tuple of str
        The columns that it is about, such as metrics; empty if it is about whole rows.

    Examples
    --------
    >>> note = Note(kind="busy", text="other programs were running", columns=("seconds",))
    >>> hcbench.analysis.describe_notes([note])[0]["columns"]
    ['seconds']
    """

    kind: NoteKind
    text: str
    table: str = ""
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


def describe_notes(notes: Iterable[Note]) -> list[dict[str, Any]]:
    """Notes in plain values, as JSON has them.

    Examples
    --------
    >>> note = hcbench.analysis.Note(kind="failure", text="out of memory", rows=("Ward",))
    >>> describe_notes([note])
    [{'kind': 'failure', 'text': 'out of memory', 'table': '', 'rows': ['Ward'], 'columns':
    []}]
    """
    described = []
    for note in notes:
        entry = asdict(note)
        entry["rows"] = list(note.rows)
        entry["columns"] = list(note.columns)
        described.append(entry)
    return described


def file_of_notes(path: str | Path) -> Path:
    """The file beside a table that has its notes: ``run.notes.json`` of ``run.csv``.

    Notes are not in the table itself: a comment would break its readers, and a column would
    repeat what is said of all rows, and have no place in an empty table.
    """
    return Path(path).with_suffix(".notes.json")


def write_notes(notes: Iterable[Note], table: str | Path) -> None:
    """Write the notes on a table into the file beside it.

    Without notes there is no such file, but one that is there is emptied.

    Raises
    ------
    HcbenchError
        If it cannot be written.
    """
    path = file_of_notes(table)
    described = describe_notes(notes)
    if not described and not path.exists():
        return
    text = json.dumps(described, indent=1, ensure_ascii=False) + "\n"
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise HcbenchError.of_file("write", path, error) from error


def attach_notes(frame: Any, notes: Iterable[Note]) -> None:
    """Put notes into ``attrs["notes"]`` of a pandas table."""
    attributes: Mapping[str, Any] = {"notes": describe_notes(notes)}
    frame.attrs.update(attributes)
