"""The TOML file that declares a program. Nothing heavy is imported: listing reads it."""

from __future__ import annotations

import hashlib
import shutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from hcbench import DataError, Reference, read_references
from hcbench.model import read_regular

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
    "requires": "names of distributions of Python, such as ['numpy']",
    "env": "names of environment variables, such as ['MY_API_KEY']",
}
#: Keys whose values are texts, and an example of each.
_TEXTS = {
    "name": "'hclust'",
    "doc": "'Average linkage.'",
    "licence": "'GPL-3.0'",
    "paper": "'./genie.bib'",
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
    env : tuple of str
        The environment variables with secrets that it needs.
    paper : Reference or None
    licence : str
    requires : tuple of str
        Distributions of Python whose versions decide its result.
    digest : str
        Of the TOML file and of the files that the command names: the program, and scripts among the
        arguments.
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
    paper: Reference | None = None
    licence: str = ""
    requires: tuple[str, ...] = ()
    digest: str = ""

    @property
    def accepts(self) -> tuple[str, ...]:
        """The kinds of oracle that have its input."""
        return INPUTS[self.input]

    @property
    def returns_kind(self) -> Literal["tree", "partition"]:
        """What its output is read as."""
        if self.returns == "labels":
            return "partition"
        return "tree"


def read_declaration(file: Path) -> Declaration:
    """Read and check a TOML file.

    Raises
    ------
    DataError
        If a key is missing, unknown, or of a wrong type or value.
    """
    content = read_regular(file)
    declared = tomllib.loads(content.decode("utf-8-sig"))
    # A file in a package is named by a module instead of naming its loader.
    declared.pop("loader", None)
    params = declared.pop("parameters", {})
    _check_keys(declared, params, file)
    for key in ("command", "null"):
        if key in declared:
            declared[key] = _arguments(declared[key], key, file)
    for key, example in _LISTS.items():
        texts = declared.get(key, [])
        if not _is_list_of_texts(texts):
            raise DataError(f"{file}: {key} is a list of {example}")
        declared[key] = tuple(texts)
    if "paper" in declared:
        declared["paper"] = _read_paper(declared["paper"], file)
    digest = _digest_files(declared["command"], content)
    return Declaration(**declared, params=params, digest=digest)


def _check_keys(declared: Mapping[str, Any], params: Mapping[str, Any], file: Path) -> None:
    """Refuse keys that are unknown or missing, and values that are none of the choices."""
    keys = {field_.name for field_ in fields(Declaration)}
    # The table of parameters has another name there, and the digest is computed.
    keys -= {"params", "digest"}
    keys.add("parameters")
    for key, value in declared.items():
        if key not in keys:
            raise DataError(f"{file}: unknown key {key!r}; there are {', '.join(sorted(keys))}")
        if key in _CHOICES and value not in _CHOICES[key]:
            raise DataError(f"{file}: {key} is one of {', '.join(_CHOICES[key])}; got {value!r}")
        if key in _TEXTS and not isinstance(value, str):
            raise DataError(f"{file}: {key} is a text, such as {_TEXTS[key]}; got {value!r}")
    for key in ("name", "command"):
        if key not in declared:
            raise DataError(f"{file}: {key} is missing")
    for key in params:
        # Placeholders are filled with either; "program" is the parameter of the digest.
        if key in PLACEHOLDERS or key == "program":
            raise DataError(f"{file}: a parameter cannot be named {key!r}")


def _read_paper(name: str, file: Path) -> Reference:
    """The only entry of a BibTeX file, whose path is relative to the folder of the TOML file."""
    path = file.parent / name
    if not path.is_file():
        raise DataError(f"{file}: paper={name!r}: there is no file {path}; write it, or omit paper")
    references = read_references(path)
    if len(references) != 1:
        raise DataError(
            f"{file}: paper={name!r}: {path} has {len(references)} entries; leave the one of the "
            "program"
        )
    (reference,) = references.values()
    return reference


def _arguments(words: Any, key: str, file: Path) -> tuple[str, ...]:
    """The arguments of a command."""
    if not _is_list_of_texts(words) or not words:
        raise DataError(f"{file}: {key} is a list of arguments, such as ['Rscript', 'a.R']")
    arguments = []
    for word in words:
        if word.startswith(("./", "../")):
            # Relative to the folder of the TOML file.
            arguments.append(str(file.parent / word))
        else:
            arguments.append(word)
    return tuple(arguments)


def _is_list_of_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _digest_files(command: tuple[str, ...], declaration: bytes) -> str:
    """The digest of the TOML file and of the files that a command names."""
    digest = hashlib.blake2b(declaration, digest_size=8)
    program = shutil.which(command[0]) or command[0]
    for word in (program,) + command[1:]:
        if Path(word).is_file():
            digest.update(hashlib.blake2b(Path(word).read_bytes()).digest())
    return digest.hexdigest()
