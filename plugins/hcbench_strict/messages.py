"""What the algorithm's process sends: one byte that says what it is, then numbers or text.

Nothing in it is a pickle, as the algorithm may have written it.
"""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import numpy as np

from hcbench import Given, HeightKind, Partition, Tree

ASK, DRAW, READ, RECORD, REPORT = b"a", b"d", b"r", b"p", b"n"
DONE, FAILED = b"t", b"f"


def pack_result(result: Any, notes: list[str]) -> bytes:
    """A tree, a partition, or an array that may be one, with notes, as an npz file."""
    arrays: dict[str, Any] = {"notes": np.frombuffer(json.dumps(notes).encode(), np.uint8)}
    if isinstance(result, Tree):
        arrays |= {"parent": result.parent, "kind": np.array(result.kind.value)}
        arrays["named"] = np.array(result.names is not None)
        optional = {"height": result.height, "linkage": result.linkage}
        arrays |= {name: array for name, array in optional.items() if array is not None}
    elif isinstance(result, Partition):
        arrays["labels"] = result.labels
    else:
        arrays["array"] = np.asarray(result)
    file = BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def unpack_result(content: bytes, given: Given) -> tuple[Any, list[str]]:
    """The result and the notes.

    Raises
    ------
    ValueError
        If it is no such file, or holds objects.
    """
    with np.load(BytesIO(content), allow_pickle=False) as arrays:
        notes = [str(note) for note in json.loads(arrays["notes"].tobytes())]
        if "parent" in arrays:
            names = given.names if arrays["named"] else None
            kind = HeightKind(str(arrays["kind"]))
            height, linkage = (arrays.get(name) for name in ("height", "linkage"))
            return Tree(arrays["parent"], height, kind, names, linkage), notes
        if "labels" in arrays:
            return Partition(arrays["labels"]), notes
        return arrays["array"], notes
