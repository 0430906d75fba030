"""Which plugins fit this hcbench: what they require of it, and which hooks they are written for.

A plugin that does not fit is refused with what to do about it, before it can fail in a stranger
way.
"""

from __future__ import annotations

from importlib.metadata import Distribution
from types import ModuleType

from hcbench.registry.fingerprint import installed_version
from hcbench.registry.hookspecs import HOOK_VERSION, PROJECT

#: What a plugin's module may say: the version of the hooks that it is written for.
STATED = "HCBENCH_HOOKS"


def requirement_of(distribution: Distribution) -> str:
    """What a distribution requires of hcbench, such as ``"<0.2,>=0.1"``; "" if it says nothing.

    A requirement that cannot be read is none: pip installs no such package.
    """
    if distribution.name == PROJECT:
        return ""
    found = [_versions(text) for text in distribution.requires or () if PROJECT in text.lower()]
    return ",".join(filter(None, found))


def _versions(text: str) -> str:
    """The versions that one requirement asks of hcbench, where it holds."""
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        return ""
    holds = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
    return str(requirement.specifier) if requirement.name.lower() == PROJECT and holds else ""


def unmet_requirement(distribution: str, required: str) -> str | None:
    """Why this hcbench is not what a distribution requires; None if it is."""
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
    """Why a module's hooks are not those of this hcbench; None if they are, or it does not say."""
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
