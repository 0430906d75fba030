"""What the algorithm's process sends: one byte that says what it is, then numbers or text.

Nothing in it is a pickle, as the algorithm may have written it.
"""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import numpy as np

from hcbench import HeightKind, Partition, Tree

ASK, DRAW, READ, RECORD, REPORT, FIRST_USE = b"a", b"d", b"r", b"p", b"n", b"u"
DONE, FAILED = b"t", b"f"


def pack_result(result: Any, notes: list[str]) -> bytes:
    """A tree, a partition, or an array that may be one, with notes, as an npz file."""
    arrays: dict[str, Any] = {"notes": np.frombuffer(json.dumps(notes).encode(), np.uint8)}
    if isinstance(result, Tree):
        arrays |= {"parent": result.parent, "kind": np.array(result.kind.value)}
        optional = {"height": result.height, "linkage": result.linkage}
        arrays |= {name: array for name, array in optional.items() if array is not None}
    elif isinstance(result, Partition):
        arrays["labels"] = result.labels
    else:
        arrays["array"] = np.asarray(result)
    if isinstance(result, Tree | Partition) and result.names is not None:
        arrays["names"] = np.frombuffer(json.dumps(result.names).encode(), np.uint8)
    file = BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def unpack_result(content: bytes) -> tuple[Any, list[str]]:
    """The result and the notes.

    Raises
    ------
    ValueError
        If it is no such file, or holds objects.
    """
    with np.load(BytesIO(content), allow_pickle=False) as arrays:
        notes = [str(note) for note in json.loads(arrays["notes"].tobytes())]
        names = None
        if "names" in arrays:
            names = [str(name) for name in json.loads(arrays["names"].tobytes())]
        if "parent" in arrays:
            kind = HeightKind(str(arrays["kind"]))
            height, linkage = (arrays.get(name) for name in ("height", "linkage"))
            return Tree(arrays["parent"], height, kind, names, linkage), notes
        if "labels" in arrays:
            return Partition(arrays["labels"], names), notes
        return arrays["array"], notes
