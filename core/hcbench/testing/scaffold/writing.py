"""The files of a new plugin, which `hcbench new plugin` writes.

They are the files of the folder ``example``, working code in which names are replaced:
`example_plugin` stands for the package, ``"EXAMPLE-ALGORITHM"`` and the like for registered names.
"""

from __future__ import annotations

import importlib.util
import json
import keyword
import re
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from hcbench.errors import DataError, HcbenchError, InvalidSpecError, ParameterError
from hcbench.model.text import shell_command
from hcbench.registry import Registry
from hcbench.registry.command_specs import CommandSpec
from hcbench.registry.specs import Spec

#: The package that is copied, with the names of the user in the place of its own.
EXAMPLE = Path(__file__).parent / "example"

#: For each kind of plugin, the words of a command that uses it.
_COMMANDS = {
    "algorithm": "compare --algos {},UPGMA --datasets iris",
    "metric": "compare --algos UPGMA,HDBSCAN --datasets iris --metrics {},AARI",
    "dataset": "compare --algos UPGMA,HDBSCAN --datasets {}",
    "oracle": "compare --algos SL,CL --oracles {} --datasets iris",
    "command": "{} --help",
}
#: The kinds of which an example can be written.
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
    names = dict(names) or {"algorithm": _as_name(package)}
    for kind, name in names.items():
        _check_name(kind, name, registry)
    folder = directory / package
    files = {}
    for path, text in _files(package, names).items():
        files[folder / path] = text
    try:
        folder.mkdir()
        for file, text in files.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    except FileExistsError as error:
        raise DataError(f"{folder} exists already; take another NAME or --directory") from error
    except OSError as error:
        raise DataError.of_file("write", error.filename, error) from error
    return list(files)


def next_steps(package: str, names: Mapping[str, str], directory: Path) -> str:
    """The commands that install a new plugin, test it and use it."""
    enter_folder = shell_command("cd", str(directory / package))
    commands = _commands(names or {"algorithm": _as_name(package)})
    return f"{enter_folder} && pip install -e '.[test]' && pytest && {commands[0]}"


def _as_name(package: str) -> str:
    """``my_linkage`` is registered as MyLinkage."""
    name = ""
    for part in package.split("_"):
        # Not `capitalize`, which makes the other letters small; a part may be empty.
        name += part[:1].upper() + part[1:]
    return name


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
    # A spec checks its own name when it is made.
    try:
        if kind == "command":
            CommandSpec(name=name, function="", doc="")
        else:
            Spec(name=name, function="", doc="")
    except InvalidSpecError as error:
        raise ParameterError(f"--{kind}: {error}") from error
    catalogue = getattr(registry, f"{kind}s")
    try:
        owner = catalogue.find(name).plugin.name
    except LookupError:
        return
    except HcbenchError:
        owner = "other plugins"  # several have registered it
    raise ParameterError(
        f"--{kind}: {name} is registered by {owner} already; take a name of your own"
    )


def _files(package: str, names: Mapping[str, str]) -> dict[str, str]:
    """The text of each file, by its path in the folder."""
    # Commands have no conformance checks.
    checked: dict[str, None] = {}
    is_measured = False
    for kind, name in names.items():
        if kind != "command":
            checked[name] = None
        if kind in _MEASURED:
            is_measured = True
    texts = {
        "pyproject.toml": _read("pyproject.txt"),
        "README.md": _read("readme.txt"),
        ".gitignore": _read("gitignore.txt"),
        ".github/workflows/tests.yml": _read("workflow.txt"),
        f"src/{package}/__init__.py": _declarations(names),
        f"src/{package}/py.typed": "",
    }
    for kind in names:
        texts[f"src/{package}/{kind}.py"] = _read(f"{kind}.py")
    if checked:
        texts[f"tests/test_{package}.py"] = _read("conformance.py")
    if "command" in names:
        texts["tests/test_command.py"] = _read("check_command.py")
    if is_measured:
        texts["asv.conf.json"] = _read("asv.txt")
        texts["benchmarks/__init__.py"] = ""
        texts["benchmarks/registered.py"] = _read("benchmarks.py")
    replacements = _replacements(package, names, list(checked), is_measured=is_measured)
    files = {}
    for path, text in texts.items():
        files[path] = _replaced(text, replacements)
    return files


def _replacements(
    package: str, names: Mapping[str, str], checked: Sequence[str], *, is_measured: bool
) -> dict[str, str]:
    """What stands in the example, and what is written in its place, in this order."""
    table = [f"- {kind} `{name}`" for kind, name in names.items()]
    replacements = {
        "EXAMPLE-BENCHMARKS": _read("benchmarks.txt"),
        "example_plugin": package,
        '"EXAMPLE-NAMES"': ",\n    ".join(map(_quoted, checked)),
        "EXAMPLE-REQUIREMENT": required_release(version("hcbench")),
        "EXAMPLE-TABLE": "\n".join(table),
        "EXAMPLE-COMMANDS": "\n".join(_commands(names)),
    }
    if not is_measured:
        replacements["EXAMPLE-BENCHMARKS"] = ""
        replacements['benchmarks = ["asv>=0.6"]\n'] = ""
    if "command" in names:
        replacements['"numpy>=2.0"'] = '"click>=8.1", "numpy>=2.0"'
    for kind, name in names.items():
        replacements[f'"EXAMPLE-{kind.upper()}"'] = _quoted(name)
    return replacements


def _read(name: str) -> str:
    return (EXAMPLE / name).read_text(encoding="utf-8")


def _replaced(text: str, replacements: Mapping[str, str]) -> str:
    for old, new in replacements.items():
        text = text.replace(old, new)
    return text


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def _commands(names: Mapping[str, str]) -> list[str]:
    commands = []
    for kind, name in names.items():
        words = [word.format(name) for word in _COMMANDS[kind].split()]
        commands.append(shell_command("hcbench", *words))
    return commands


def required_release(installed: str) -> str:
    """The requirement of a release of hcbench, or a compatible later one.

    Parameters
    ----------
    installed : str
        The version of hcbench that the plugin is written for.
    """
    from packaging.version import Version

    release = Version(installed)
    development = ""
    if release.is_prerelease:
        # It comes before the release.
        development = ".dev0"
    major, minor = release.release[:2]
    return f"hcbench>={major}.{minor}{development},<{major}.{minor + 1}"


def _declarations(names: Mapping[str, str]) -> str:
    """The example's ``__init__.py`` with the hooks of some kinds, and what they import."""
    # The functions of the hooks are divided by empty lines from each other and from the head.
    head, *all_hooks = _read("__init__.py").split("\n\n\n")
    hooks = []
    for kind in names:
        for hook in all_hooks:
            if f"def hcbench_{kind}s(" in hook:
                hooks.append(hook)
    # Of the imports stay those of which the remaining hooks have the name.
    words = set(re.findall(r"\w+", "".join(hooks)))
    before, block, after = re.split(r"from hcbench import \((.*?)\)", head, flags=re.DOTALL)
    imported = []
    for name in re.findall(r"\w+", block):
        if name in words:
            imported.append(name)
    statement = f"from hcbench import {', '.join(imported)}"
    if len(statement) > LINE_LENGTH:
        lines = [f"    {name},\n" for name in imported]
        statement = f"from hcbench import (\n{''.join(lines)})"
    parts = [before + statement + after]
    parts += hooks
    return "\n\n\n".join(parts).rstrip("\n") + "\n"
