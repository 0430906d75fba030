"""What the algorithm's process sends: one byte that says what it is, then numbers or text.

Nothing in it is a pickle, as the algorithm may have written it.
"""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import numpy as np

from hcbench import HeightKind, Partition, Tree

# While the algorithm runs: what it asks for, and what it states.
ASK = b"a"  # the answers to queries, whose items follow as int64
DRAW = b"d"  # a number of answers from a random oracle
READ = b"r"  # all that the oracle holds
RECORD = b"p"  # a result at the present number of queries
REPORT = b"n"  # numbers about the result
FIRST_USE = b"u"  # something was compiled or imported
# At its end: the result, or the error.
DONE = b"t"
FAILED = b"f"


def pack_result(result: Any, notes: list[str]) -> bytes:
    """A tree, a partition, or an array that may be one, with notes, as an npz file."""
    arrays: dict[str, Any] = {"notes": np.frombuffer(json.dumps(notes).encode(), np.uint8)}
    if isinstance(result, Tree):
        arrays["parent"] = result.parent
        arrays["kind"] = np.array(result.kind.value)
        if result.height is not None:
            arrays["height"] = result.height
        if result.linkage is not None:
            arrays["linkage"] = result.linkage
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
            tree = Tree(
                arrays["parent"],
                height=arrays.get("height"),
                kind=kind,
                names=names,
                linkage=arrays.get("linkage"),
            )
            return tree, notes
        if "labels" in arrays:
            return Partition(arrays["labels"], names), notes
        return arrays["array"], notes
