"""The TOML file that declares a program. Nothing heavy is imported: listing reads it."""

from __future__ import annotations

import hashlib
import shutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from hcbench import DataError

#: What a program may read, and the oracles that have it.
INPUTS: Mapping[str, tuple[str, ...]] = {
    "vectors": ("vectors",),
    "similarities": ("similarities",),
    "distances": ("vectors", "similarities"),
    "comparisons": ("quadruplet-set",),
}
_CHOICES = {
    "input": tuple(INPUTS),
    "returns": ("linkage", "newick", "labels", "levels"),
    "input_format": ("csv", "npy", "npz"),
    "output_format": ("csv", "npy"),
    "heights": ("half", "whole"),
}
#: Keys whose values are lists of texts, and what the texts are.
_LISTS = {
    "files": "paths, such as ['./weights.csv']",
    "env": "names of environment variables, such as ['MY_API_KEY']",
}
PLACEHOLDERS = ("input", "output", "n", "seed", "threads")


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """A program, as its TOML file declares it; the README describes the keys.

    Attributes
    ----------
    name, doc : str
    command : tuple of str
        Its arguments, with placeholders.
    null : tuple of str
        The command that does nothing but start; empty if there is none.
    input, returns, input_format, output_format : str
    heights : {"half", "whole"}
        What branch lengths of Newick sum to; see `hcbench.read_tree`.
    params : mapping of str to value
        The parameters, with their defaults.
    files : tuple of str
        Further files and folders that decide its result, such as what a script reads, relative to
        the folder of the TOML file.
    digest : str
        Of the files that the command names: the program, and scripts among the arguments.
    """

    name: str
    command: tuple[str, ...]
    doc: str = "A program."
    null: tuple[str, ...] = ()
    input: str = "vectors"
    returns: str = "linkage"
    input_format: str = "csv"
    output_format: str = "csv"
    heights: Literal["half", "whole"] = "half"
    params: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    digest: str = ""

    @property
    def accepts(self) -> tuple[str, ...]:
        """The kinds of oracle that have its input."""
        return INPUTS[self.input]


def read_declaration(file: Path) -> Declaration:
    """Read and check a TOML file.

    Raises
    ------
    DataError
        If a key is missing, unknown, or of a wrong type or value.
    """
    declared = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    del declared["loader"]
    params = declared.pop("parameters", {})
    _check_keys(declared, params, file)
    for key in ("command", "null"):
        if key in declared:
            declared[key] = _arguments(declared[key], key, file)
    for key, example in _LISTS.items():
        texts = declared.get(key, [])
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise DataError(f"{file}: {key} is a list of {example}")
        declared[key] = tuple(texts)
    return Declaration(**declared, params=params, digest=_digest_files(declared["command"]))


def _check_keys(declared: Mapping[str, Any], params: Mapping[str, Any], file: Path) -> None:
    """Refuse keys that are unknown or missing, and values that are none of the choices."""
    keys = {*Declaration.__dataclass_fields__, "parameters"} - {"digest", "params"}
    for key, value in declared.items():
        if key not in keys:
            raise DataError(f"{file}: unknown key {key!r}; there are {', '.join(sorted(keys))}")
        if key in _CHOICES and value not in _CHOICES[key]:
            raise DataError(f"{file}: {key} is one of {', '.join(_CHOICES[key])}; got {value!r}")
    for key in ("name", "command"):
        if key not in declared:
            raise DataError(f"{file}: {key} is missing")
    for key in params:
        if key in (*PLACEHOLDERS, "program"):
            raise DataError(f"{file}: a parameter cannot be named {key!r}")


def _arguments(words: Any, key: str, file: Path) -> tuple[str, ...]:
    """The arguments of a command."""
    is_list = isinstance(words, list) and len(words) > 0
    if not is_list or not all(isinstance(word, str) for word in words):
        raise DataError(f"{file}: {key} is a list of arguments, such as ['Rscript', 'a.R']")
    return tuple(_placed(word, file) for word in words)


def _placed(word: str, file: Path) -> str:
    """An argument; a path that begins with a dot is relative to the folder of the TOML file."""
    return str(file.parent / word) if word.startswith(("./", "../")) else word


def _digest_files(command: tuple[str, ...]) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for word in (shutil.which(command[0]) or command[0], *command[1:]):
        if Path(word).is_file():
            digest.update(hashlib.blake2b(Path(word).read_bytes()).digest())
    return digest.hexdigest()
