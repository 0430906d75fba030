"""Checks of all kinds: what a spec says of its function."""

from __future__ import annotations

import functools
import inspect
import re
from typing import Any

from hcbench.authoring.testing.findings import fail, require, skip
from hcbench.authoring.testing.subjects import Subject
from hcbench.registry.specs import REQUIRED
from hcbench.run.cell import describe


def check_signature(subject: Subject) -> None:
    """The declared parameters and their defaults are those of the function."""
    found = inspect.signature(subject.spec.load()).parameters
    takes_any = any(p.kind is p.VAR_KEYWORD for p in found.values())
    declared = {parameter.name: parameter for parameter in subject.spec.parameters}
    for name, parameter in declared.items():
        if name not in found:
            require(takes_any, f"{subject.label} declares {name}, which its function does not take")
            continue
        own, said = found[name].default, parameter.default
        require(
            own is inspect.Parameter.empty or _same(own, said),
            f"{subject.label} declares {name}={_shown(said)}, and its function has {name}={own!r}",
        )
    positional = len(_ARGUMENTS[subject.noun])
    for name in list(found)[positional:]:
        if found[name].kind in (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL):
            continue
        require(
            name in declared or _is_bound(subject, name),
            f"{subject.label} does not declare {name}, which its function takes",
        )


_ARGUMENTS = {
    "algorithm": ("oracle", "given", "rng"),
    "metric": ("scored",),
    "oracle": ("problem", "seed", "budget"),
    "data set": ("seed",),
}


def _same(own: Any, said: Any) -> bool:
    if said is REQUIRED:
        return False
    return bool(own == said) and isinstance(own, bool) == isinstance(said, bool)


def _shown(value: Any) -> str:
    return "required" if value is REQUIRED else repr(value)


def _is_bound(subject: Subject, name: str) -> bool:
    """Whether a partial of the function gives it already."""
    function = subject.spec.load()
    return isinstance(function, functools.partial) and name in function.keywords


def check_documented(subject: Subject) -> None:
    """Spec, parameters and function have words, and the function's are about its parameters."""
    require(bool(subject.spec.doc.strip()), f"{subject.label} has no doc")
    for parameter in subject.spec.parameters:
        require(
            bool(parameter.doc.strip()),
            f"{subject.label}: the parameter {parameter.name} has no doc",
        )
    function = subject.spec.load()
    own = function.func if isinstance(function, functools.partial) else function
    text = inspect.getdoc(own) or ""
    require(bool(text), f"{subject.label}: its function has no docstring")
    known = set(inspect.signature(own).parameters)
    for name in _names_in(text):
        require(
            name.lstrip("*") in known,
            f"{subject.label}: the docstring of its function tells of {name}, no parameter",
        )


def _names_in(text: str) -> list[str]:
    """Names below ``Parameters`` in a docstring of numpydoc."""
    section = re.search(r"^Parameters\n-{3,}\n(.*?)(?=^\w[^\n]*\n-{3,}$|\Z)", text, re.S | re.M)
    if section is None:
        return []
    heads = re.findall(r"^([*\w][^\n:]*?)\s*(?::.*)?$", section[1], re.M)
    return [name.strip() for head in heads for name in head.split(",")]


def check_paper(subject: Subject) -> None:
    """It tells in which paper it was published."""
    if subject.spec.reference:
        skip("it is a reference line")
    require(
        subject.spec.paper is not None,
        f"{subject.label} has no paper; set paper=Reference(...), or exempt it with the reason",
    )


def check_picklable(subject: Subject) -> None:
    """The function and its parameters can be sent to another process."""
    import cloudpickle

    try:
        again = cloudpickle.loads(cloudpickle.dumps(subject.call))
    except Exception as error:
        fail(f"{subject.label} cannot be sent to another process: {describe(error)}", error)
    require(
        again.params == subject.call.params,
        f"{subject.label}: its parameters are others once they were pickled",
    )


CHECKS = (check_signature, check_documented, check_picklable)
