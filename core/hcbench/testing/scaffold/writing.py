"""The files of a new plugin, which `hcbench new plugin` writes.

They are the files of the folder ``example``, working code in which names are replaced:
`example_plugin` stands for the package, ``"EXAMPLE-ALGORITHM"`` and the like for registered names.
"""

from __future__ import annotations

import importlib.util
import json
import keyword
import re
import shlex
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from hcbench.errors import DataError, HcbenchError, InvalidSpecError, ParameterError
from hcbench.registry import Registry
from hcbench.registry.hookspecs import HOOK_VERSION
from hcbench.registry.specs import CommandSpec, Spec

EXAMPLE = Path(__file__).parent / "example"

#: For each kind of plugin, a command that uses it.
_COMMANDS = {
    "algorithm": "hcbench compare --algos {},UPGMA --datasets iris",
    "metric": "hcbench compare --algos UPGMA,HDBSCAN --datasets iris --metrics {},AARI",
    "dataset": "hcbench compare --algos UPGMA,HDBSCAN --datasets {}",
    "oracle": "hcbench compare --algos SL,CL --oracles {} --datasets iris",
    "command": "hcbench {} --help",
}
KINDS = tuple(_COMMANDS)
_MEASURED = ("algorithm", "metric", "oracle")  # by `hcbench.asv`
LINE_LENGTH = 100  # as the example's pyproject says


def write_plugin(
    package: str, names: Mapping[str, str], directory: Path, registry: Registry
) -> list[Path]:
    """Write a package that registers one plugin object of each of some kinds.

    Parameters
    ----------
    package : str
        The name of the package, its folder and its distribution.
    names : mapping of kind to name
        What it registers; kinds are those of `KINDS`. Empty: an algorithm named after the package.
    directory : Path
        The parent of the new folder.
    registry : Registry
        The registered names, which cannot be used again.

    Returns
    -------
    list of Path
        The files.

    Raises
    ------
    ParameterError
        If the package or a name is invalid or exists already.
    DataError
        If the folder exists, or cannot be written.
    """
    _check_package(package)
    chosen = dict(names) or {"algorithm": _as_name(package)}
    for kind, name in chosen.items():
        _check_name(kind, name, registry)
    folder = directory / package
    files = {folder / path: text for path, text in _files(package, chosen).items()}
    try:
        folder.mkdir()
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except FileExistsError as error:
        raise DataError(f"{folder} exists already; take another NAME or --directory") from error
    except OSError as error:
        raise DataError.of_file("write", error.filename, error) from error
    return list(files)


def next_steps(package: str, names: Mapping[str, str], directory: Path) -> str:
    """The commands that install a new plugin, test it and use it."""
    folder = shlex.quote(str(directory / package))
    first = next(iter(_commands(dict(names) or {"algorithm": _as_name(package)})))
    return f"cd {folder} && pip install -e '.[test]' && pytest && {first}"


def _as_name(package: str) -> str:
    """``my_linkage`` is registered as MyLinkage."""
    return "".join(part[0].upper() + part[1:] for part in package.split("_") if part)


def _check_package(package: str) -> None:
    if not package.isidentifier() or not package.isascii() or keyword.iskeyword(package):
        raise ParameterError(
            f"{package!r} cannot be imported; take a NAME of letters, digits and _, "
            "such as my_linkage"
        )
    if not package.strip("_"):
        raise ParameterError(f"{package!r} is no name for a package; such as my_linkage is one")
    if importlib.util.find_spec(package) is not None:
        raise ParameterError(f"there is a module {package} already, which the new one would hide")


def _check_name(kind: str, name: str, registry: Registry) -> None:
    try:
        spec = CommandSpec if kind == "command" else Spec
        spec(name=name, function="", doc="")
    except InvalidSpecError as error:
        raise ParameterError(f"--{kind}: {error}") from error
    catalogue = getattr(registry, f"{kind}s")
    try:
        there = catalogue.find(name).plugin.name
    except LookupError:
        return
    except HcbenchError:
        there = "other plugins"
    raise ParameterError(
        f"--{kind}: {name} is registered by {there} already; take a name of your own"
    )


def _files(package: str, names: Mapping[str, str]) -> dict[str, str]:
    """The text of each file, by its path in the folder."""
    places = {
        "pyproject.txt": "pyproject.toml",
        "readme.txt": "README.md",
        "gitignore.txt": ".gitignore",
        "workflow.txt": ".github/workflows/tests.yml",
    }
    checked = dict.fromkeys(name for kind, name in names.items() if kind != "command")
    if checked:
        places["conformance.py"] = f"tests/test_{package}.py"
    if "command" in names:
        places["check_command.py"] = "tests/test_command.py"
    measured = not names.keys().isdisjoint(_MEASURED)
    if measured:
        places |= {"asv.txt": "asv.conf.json", "benchmarks.py": "benchmarks/registered.py"}
    source = f"src/{package}"
    written = {place: _read(name) for name, place in places.items()}
    written[f"{source}/__init__.py"] = _declarations(names)
    written |= {f"{source}/{kind}.py": _read(f"{kind}.py") for kind in names}
    written[f"{source}/py.typed"] = ""
    if measured:
        written["benchmarks/__init__.py"] = ""
    replaced = {
        "EXAMPLE-BENCHMARKS": _read("benchmarks.txt") if measured else "",
        'benchmarks = ["asv>=0.6"]\n': 'benchmarks = ["asv>=0.6"]\n' if measured else "",
        "example_plugin": package,
        '"EXAMPLE-NAMES"': ",\n    ".join(map(_quoted, checked)),
        "EXAMPLE-REQUIREMENT": _requirement(),
        '"EXAMPLE-HOOKS"': str(HOOK_VERSION),
        '"numpy>=2.0"': '"click>=8.1", "numpy>=2.0"' if "command" in names else '"numpy>=2.0"',
        "EXAMPLE-TABLE": "\n".join(f"- {kind} `{name}`" for kind, name in names.items()),
        "EXAMPLE-COMMANDS": "\n".join(_commands(names)),
        **{f'"EXAMPLE-{kind.upper()}"': _quoted(name) for kind, name in names.items()},
    }
    return {place: _replaced(text, replaced) for place, text in written.items()}


def _read(name: str) -> str:
    return (EXAMPLE / name).read_text(encoding="utf-8")


def _replaced(text: str, replaced: Mapping[str, str]) -> str:
    for old, new in replaced.items():
        text = text.replace(old, new)
    return text


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def _commands(names: Mapping[str, str]) -> list[str]:
    return [_COMMANDS[kind].format(shlex.quote(name)) for kind, name in names.items()]


def _requirement() -> str:
    """The requirement of the installed release of hcbench, or a compatible later one."""
    from packaging.version import Version

    release = Version(version("hcbench"))
    development = ".dev0" if release.is_prerelease else ""  # comes before the release
    major, minor = release.release[:2]
    return f"hcbench>={major}.{minor}{development},<{major}.{minor + 1}"


def _declarations(names: Mapping[str, str]) -> str:
    """The example's ``__init__.py`` with the hooks of some kinds, and what they import."""
    head, *all_hooks = _read("__init__.py").split("\n\n\n")
    hooks = [hook for kind in names for hook in all_hooks if f"def hcbench_{kind}s(" in hook]
    before, block, after = re.split(r"from hcbench import \((.*?)\)", head, flags=re.DOTALL)
    used = set(re.findall(r"\w+", "".join(hooks)))
    imported = [name for name in re.findall(r"\w+", block) if name in used]
    line = f"from hcbench import {', '.join(imported)}"
    if len(line) > LINE_LENGTH:
        line = "\n".join(["from hcbench import (", *(f"    {name}," for name in imported), ")"])
    return "\n\n\n".join([before + line + after, *hooks]).rstrip("\n") + "\n"
