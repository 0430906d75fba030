"""Which plugins are compatible: the versions of hcbench and of its hooks that they require.

An incompatible plugin is refused, with the way out, before it can fail in a less obvious way.
"""

from __future__ import annotations

from importlib.metadata import Distribution
from types import ModuleType

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
    found = [_versions(text) for text in distribution.requires or () if PROJECT in text.lower()]
    return ",".join(filter(None, found))


def _versions(text: str) -> str:
    """The versions of hcbench in one requirement; "" if it does not apply."""
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        return ""
    holds = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
    return str(requirement.specifier) if requirement.name.lower() == PROJECT and holds else ""


def unmet_requirement(distribution: str, required: str) -> str | None:
    """Why this hcbench does not meet a requirement; None if it does."""
    installed = installed_version(PROJECT)
    if not required or not installed:  # not installed: run from a folder that is on the path
        return None
    from packaging.specifiers import SpecifierSet

    if SpecifierSet(required).contains(installed, prereleases=True):
        return None
    return (
        f"requires {PROJECT}{required}, and {installed} is installed: "
        f"pip install --upgrade {distribution} {PROJECT}"
    )


def unmet_hooks(module: ModuleType, distribution: str) -> str | None:
    """Why a module is incompatible with the hooks of this hcbench; None if it is not."""
    stated = getattr(module, STATED, HOOK_VERSION)
    if not isinstance(stated, int) or isinstance(stated, bool) or stated < 1:
        return f"{STATED} must be a version of the hooks, such as {HOOK_VERSION}; got {stated!r}"
    if stated == HOOK_VERSION:
        return None
    behind = distribution if stated < HOOK_VERSION else PROJECT
    return (
        f"is written for version {stated} of the hooks, and {PROJECT} "
        f"{installed_version(PROJECT)} has version {HOOK_VERSION}: pip install --upgrade {behind}"
    )
