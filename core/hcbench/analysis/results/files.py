"""Writing of strict JSON, CSV and text files."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hcbench.errors import HcbenchError


def strict_json(value: Mapping[str, Any]) -> str:
    """JSON in which infinite numbers and NaN are null."""
    return json.dumps(_strict(value), indent=1, allow_nan=False) + "\n"


def _strict(value: Any) -> Any:
    """Replace infinite numbers and NaN by None."""
    if isinstance(value, Mapping):
        return {key: _strict(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_strict(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def to_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """A header line, and a line for each row."""
    import pandas

    columns = None if rows else ["algorithm"]
    text: str = pandas.DataFrame(rows, columns=columns, dtype=object).to_csv(index=False)
    return text


def write_text(text: str, path: str | Path | None) -> str:
    """Return the text, after writing it to a file if one is given."""
    if path is not None:
        try:
            Path(path).write_text(text, encoding="utf-8")
        except OSError as error:
            raise HcbenchError.of_file("write", path, error) from error
    return text
