"""Data of a plugin's own kind: texts, sequences, images, graphs with attributes.

A data set attaches them to its problem under a name of its package, such as
``"my-package:strings"``, and algorithms, oracles and metrics that need them declare the same name.
hcbench does not look into them: it selects the entries of items, and computes a digest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hcbench.errors import InvalidProblemError

# numpy is imported by the functions that need it: specs, which only ask for names, import this.
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NAME = re.compile(r"[\w.-]+:[\w.-]+")
_PLAIN = (str, bytes, bool, int, float, type(None))


def is_extra(name: str) -> bool:
    """Whether this is the name of a plugin's own data: its package, a colon and a word."""
    return _NAME.fullmatch(name) is not None


def as_extra(name: str, values: Any, n: int) -> Any:
    """The entries of n items: an array with a row for each, which is not copied, or a tuple.

    Raises
    ------
    InvalidProblemError
        If the name has no package, there is another number of entries, or an entry is no plain
        value.
    """
    if not is_extra(name):
        raise InvalidProblemError(
            f"extras: {name!r} needs the name of your package, such as 'my-package:{name}'"
        )
    import numpy as np

    if isinstance(values, np.ndarray):
        entries: Any = values.view()
        entries.flags.writeable = False
    else:
        entries = tuple(values)
    if len(entries) != n:
        raise InvalidProblemError(f"extras: {name} has {len(entries)} entries for {n} items")
    # Raises an error if a value is not plain.
    for _ in contents(name, entries):
        pass
    return entries


def take_extra(entries: Any, items: NDArray[np.int64]) -> Any:
    """The entries of some items, in their order."""
    import numpy as np

    if isinstance(entries, np.ndarray):
        return entries[items]
    return tuple([entries[item] for item in items])


def contents(name: str, value: Any) -> Iterator[bytes]:
    """Bytes that differ if a value does, whatever the process.

    Raises
    ------
    InvalidProblemError
        If it holds anything but texts, bytes, numbers, arrays, and lists and mappings of these.
    """
    import numpy as np

    if isinstance(value, np.ndarray) and value.dtype.kind in "biufcSU":
        yield repr(("array", value.shape, value.dtype.str)).encode()
        yield np.ascontiguousarray(value).tobytes()
    elif isinstance(value, _PLAIN):
        yield repr(value).encode()
    elif isinstance(value, Mapping):
        # With its length, so that what follows cannot be taken for one more entry.
        yield f"mapping {len(value)}".encode()
        for key, entry in value.items():
            yield from contents(name, key)
            yield from contents(name, entry)
    elif isinstance(value, list | tuple):
        yield f"list {len(value)}".encode()
        for entry in value:
            yield from contents(name, entry)
    else:
        raise InvalidProblemError(
            f"extras: {name} holds a {type(value).__name__}; give texts, bytes, numbers, arrays, "
            "or lists and mappings of these"
        )
