"""What a plugin file says that it requires: the inline script metadata of PEP 723.

A comment at its top, which is read before the file is imported; nothing is executed::

    # /// script
    # requires-python = ">=3.12"
    # dependencies = ["hcbench>=0.2", "tslearn"]
    # ///
"""

from __future__ import annotations

import importlib.util
import platform
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hcbench.errors import PluginError
from hcbench.model.regular_files import read_regular
from hcbench.model.text import shell_command
from hcbench.registry.fingerprint import read_installed_version
from hcbench.registry.hookspecs import PROJECT

if TYPE_CHECKING:
    from packaging.requirements import Requirement

#: A block of metadata, as PEP 723 defines it. One that is not closed is an ordinary comment.
_BLOCK = re.compile(
    r"^# /// (?P<type>[a-zA-Z0-9-]+)$\s(?P<content>(^#(| .*)$\s)+)^# ///$", re.MULTILINE
)
_BEGIN = b"# /// script"


@dataclass(frozen=True, slots=True)
class ScriptMetadata:
    """What a plugin file requires.

    Attributes
    ----------
    dependencies : tuple of Requirement
        Those that apply to this machine and this version of Python.
    python : str
        Versions of Python, such as ``">=3.12"``; "" for any.
    """

    dependencies: tuple[Requirement, ...] = ()
    python: str = ""

    @property
    def hcbench(self) -> str:
        """The versions of hcbench that the file is written for, such as ``">=0.2"``; "" for any."""
        specifiers = []
        for requirement in self.dependencies:
            if _is_hcbench(requirement) and requirement.specifier:
                specifiers.append(str(requirement.specifier))
        return ",".join(specifiers)


def read_script_metadata(file: Path) -> ScriptMetadata:
    """Read what a plugin file requires; nothing if it does not say so.

    Raises
    ------
    PluginError
        If it says so in a form that PEP 723 does not know.
    """
    if file.suffix != ".py" or not file.is_file():
        return ScriptMetadata()
    code = read_regular(file)
    if _BEGIN not in code:
        return ScriptMetadata()
    try:
        # With the newlines and the encoding that Python reads.
        text = importlib.util.decode_source(code)
    except (SyntaxError, UnicodeDecodeError):
        # The import of the file tells this error.
        return ScriptMetadata()
    blocks = []
    for match in _BLOCK.finditer(text):
        if match["type"] == "script":
            blocks.append(match["content"])
    if not blocks:
        return ScriptMetadata()
    if len(blocks) > 1:
        raise PluginError(f"{file} has {len(blocks)} blocks '# /// script'; join them to one")
    return _metadata_of(blocks[0], file)


def _metadata_of(block: str, file: Path) -> ScriptMetadata:
    """The metadata in the comments of a block."""
    import tomllib

    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    lines = []
    for line in block.splitlines():
        lines.append(line.removeprefix("#").removeprefix(" "))
    wrong = f"the block '# /// script' of {file}"
    try:
        content = tomllib.loads("\n".join(lines))
    except tomllib.TOMLDecodeError as error:
        raise PluginError(f"{wrong} is not TOML: {error}") from error
    python = content.get("requires-python", "")
    try:
        SpecifierSet(python)
    except (InvalidSpecifier, TypeError, AttributeError) as error:
        raise PluginError(
            f"{wrong} has requires-python = {python!r}; write it as '>=3.12'"
        ) from error
    texts = content.get("dependencies", [])
    if not isinstance(texts, list):
        raise PluginError(f"{wrong} has dependencies = {texts!r}; write a list of texts")
    dependencies = []
    for text in texts:
        requirement = _parsed(text, wrong)
        # A marker may exclude this machine or this version of Python.
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            requirement.marker = None
            dependencies.append(requirement)
    return ScriptMetadata(tuple(dependencies), python)


def _parsed(text: Any, wrong: str) -> Requirement:
    """A requirement of the metadata.

    Raises
    ------
    PluginError
        If it is none.
    """
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        return Requirement(text)
    except (InvalidRequirement, TypeError, AttributeError) as error:
        raise PluginError(f"{wrong} has the dependency {text!r}; write it as 'numpy>=2'") from error


def check_requirements(metadata: ScriptMetadata, file: Path) -> None:
    """Refuse a file whose requirements this environment does not meet; nothing is imported.

    What an extra of a distribution adds is not looked for: the import of the file tells that.

    Raises
    ------
    PluginError
        With what is required, what is installed, and the command that installs it.
    """
    from packaging.specifiers import SpecifierSet

    python = platform.python_version()
    if not SpecifierSet(metadata.python).contains(python, prereleases=True):
        raise PluginError(
            f"{file} requires Python {metadata.python}, and this is {python}; run hcbench with "
            "such a version"
        )
    reasons = []
    missing = []
    for requirement in metadata.dependencies:
        installed = read_installed_version(requirement.name)
        if _is_met(requirement, installed):
            continue
        reason = "not installed"
        if installed:
            reason = f"{installed} is installed"
        reasons.append(f"{requirement} ({reason})")
        missing.append(str(requirement))
    if missing:
        command = shell_command("pip", "install", *missing)
        raise PluginError(f"{file} requires {' and '.join(reasons)}: {command}")


def _is_met(requirement: Requirement, installed: str) -> bool:
    """Whether the installed version of a distribution, "" if there is none, is a required one."""
    from packaging.version import InvalidVersion

    if not installed:
        # hcbench may run from a folder that is on the path.
        return _is_hcbench(requirement)
    try:
        return requirement.specifier.contains(installed, prereleases=True)
    except InvalidVersion:
        # Nobody can say.
        return True


def _is_hcbench(requirement: Requirement) -> bool:
    return requirement.name.lower() == PROJECT
