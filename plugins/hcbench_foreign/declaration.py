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
_EXAMPLE_OF_ENV = "names of environment variables, such as ['MY_API_KEY']"
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
    known = [*Declaration.__dataclass_fields__.keys() - {"digest", "params"}, "parameters"]
    for key, value in declared.items():
        if key not in known:
            raise DataError(f"{file}: unknown key {key!r}; there are {', '.join(sorted(known))}")
        if key in _CHOICES and value not in _CHOICES[key]:
            raise DataError(f"{file}: {key} is one of {', '.join(_CHOICES[key])}; got {value!r}")
        if key in ("command", "null"):
            if not value or not isinstance(value, list) or {type(word) for word in value} != {str}:
                raise DataError(f"{file}: {key} is a list of arguments, such as ['Rscript', 'a.R']")
            declared[key] = tuple(_placed(word, file) for word in value)
    for key, example in (("files", "paths, such as ['./weights.csv']"), ("env", _EXAMPLE_OF_ENV)):
        texts = declared.get(key, [])
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise DataError(f"{file}: {key} is a list of {example}")
        declared[key] = tuple(texts)
    for key in ("name", "command"):
        if key not in declared:
            raise DataError(f"{file}: {key} is missing")
    params = declared.pop("parameters", {})
    for key in params:
        if key in (*PLACEHOLDERS, "program"):
            raise DataError(f"{file}: a parameter cannot be named {key!r}")
    return Declaration(**declared, params=params, digest=_digest_files(declared["command"]))


def _placed(word: str, file: Path) -> str:
    """An argument; a path that begins with a dot is relative to the folder of the TOML file."""
    return str(file.parent / word) if word.startswith(("./", "../")) else word


def _digest_files(command: tuple[str, ...]) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for word in (shutil.which(command[0]) or command[0], *command[1:]):
        if Path(word).is_file():
            digest.update(hashlib.blake2b(Path(word).read_bytes()).digest())
    return digest.hexdigest()
