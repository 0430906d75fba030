"""Which versions of hcbench a plugin is written for: those that its distribution requires.

A plugin file belongs to no distribution; see `hcbench.registry.script_metadata`.
"""

from __future__ import annotations

from importlib.metadata import Distribution

from hcbench.model.text import shell_command
from hcbench.registry.hookspecs import PROJECT


def requirement_of(distribution: Distribution) -> str:
    """The versions of hcbench that a distribution requires, such as ``"<0.2,>=0.1"``; "" for any.

    Requirements that cannot be parsed are ignored: pip installs no such package.
    """
    if distribution.name == PROJECT:
        return ""
    versions = []
    for requirement in distribution.requires or ():
        # Most are of other packages, and parsing takes long.
        if PROJECT in requirement.lower():
            versions.append(_versions(requirement))
    return ",".join(filter(None, versions))


def _versions(text: str) -> str:
    """The versions of hcbench in one requirement; "" if it does not apply."""
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        return ""
    if requirement.name.lower() != PROJECT:
        return ""
    if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
        return ""
    return str(requirement.specifier)


def unmet_requirement(distribution: str, required: str, installed: str) -> str | None:
    """Why a version of hcbench does not meet the requirement of a plugin; None if it does."""
    if not required or not installed:
        # hcbench is not installed where it runs from a folder that is on the path.
        return None
    from packaging.specifiers import SpecifierSet

    if SpecifierSet(required).contains(installed, prereleases=True):
        return None
    return f"requires {PROJECT}{required}, and {installed} is installed: " + shell_command(
        "pip", "install", "--upgrade", distribution, PROJECT
    )
