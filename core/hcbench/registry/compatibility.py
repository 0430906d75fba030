"""Which versions of hcbench and of its hooks a plugin is written for."""

from __future__ import annotations

from importlib.metadata import Distribution
from types import ModuleType

from hcbench.model.text import shell_command
from hcbench.registry.fingerprint import installed_version
from hcbench.registry.hookspecs import HOOK_VERSION, PROJECT

#: The attribute of a plugin's module with the version of the hooks that it is written for.
STATED = "HCBENCH_HOOKS"


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


def unmet_hooks(
    module: ModuleType, distribution: str, hook_version: int = HOOK_VERSION
) -> str | None:
    """Why a module is incompatible with a version of the hooks; None if it is not."""
    stated = getattr(module, STATED, hook_version)
    if not isinstance(stated, int) or isinstance(stated, bool) or stated < 1:
        return f"{STATED} must be a version of the hooks, such as {hook_version}; got {stated!r}"
    if stated == hook_version:
        return None
    behind = PROJECT
    if stated < hook_version:
        behind = distribution
    return (
        f"is written for version {stated} of the hooks, and {PROJECT} "
        f"{installed_version(PROJECT)} has version {hook_version}: "
        + shell_command("pip", "install", "--upgrade", behind)
    )
