"""Names of files with their parameters, as ``--datasets`` reads them and as errors print them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from hcbench.model import shell_command
from hcbench.registry import format_name

#: Words that TOML, in which parameters are written, does not read as texts.
_WORDS_OF_TOML = ("true", "false", "inf", "nan", "none")
_WORD = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
#: What is found in a file unless it is given, so that false decides something.
_FOUND_IN_FILE = ("header", "distance", "similarity", "comparisons")


def written_value(value: Any) -> str:
    """A value of a parameter as it is written in a name of a file."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        elements = [written_value(element) for element in value]
        return f"[{','.join(elements)}]"
    text = str(value)
    if _WORD.fullmatch(text) and text not in _WORDS_OF_TOML:
        return text
    return json.dumps(text, ensure_ascii=False)


def set_params(params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that decide something: ``similarity=false`` does, and ``log=false`` does not.

    Parameters
    ----------
    params : mapping of str to value
    """
    deciding = {}
    for name, value in params.items():
        is_refused = value is False and name in _FOUND_IN_FILE
        if is_refused or value not in (None, (), [], False, ""):
            deciding[name] = value
    return deciding


def with_params(path: str, params: Mapping[str, Any]) -> str:
    """The name of a file with parameters, as ``--datasets`` reads it.

    Parameters
    ----------
    path : str
    params : mapping of str to value
        Those that are empty or false are omitted, but for those that decide what is found in the
        file where they are not given, such as ``header=false``.
    """
    written = []
    for name, value in set_params(params).items():
        written.append(f"{name}={written_value(value)}")
    # A path with brackets is quoted, so that these do not look like parameters.
    name = format_name(path, {})
    if not written:
        return name
    return f"{name}[{','.join(written)}]"


def pasted_name(path: str, params: Mapping[str, Any]) -> str:
    """The name of `with_params`, as one word that can be pasted into a command.

    Parameters
    ----------
    path : str
    params : mapping of str to value
    """
    return shell_command(with_params(path, params))


def changed_name(params: Mapping[str, Any], **changes: Any) -> str:
    """The name of a file with other parameters than it was given, to be pasted into a command.

    Parameters
    ----------
    params : mapping of str to value
        Those of the spec of files, with the path.
    **changes
        Parameters with their new values; None omits one.
    """
    return pasted_name(str(params["path"]), {**params, **changes, "path": None})
