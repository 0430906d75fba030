"""Checks of all kinds: what a spec says about its function."""

from __future__ import annotations

import functools
import inspect
import re
from typing import Any

from hcbench.authoring.testing.findings import fail, require
from hcbench.authoring.testing.subjects import Subject
from hcbench.registry.specs import REQUIRED
from hcbench.run.cell import describe

_ARGUMENTS = {"algorithm": 3, "metric": 1, "oracle": 3, "data set": 1}
"""The number of arguments before the parameters, such as oracle, given and rng."""


def check_signature(subject: Subject) -> None:
    """The declared parameters and their defaults are those of the function."""
    function = subject.spec.load()
    taken = inspect.signature(function).parameters
    takes_any = any(p.kind is p.VAR_KEYWORD for p in taken.values())
    declared = {parameter.name: parameter.default for parameter in subject.spec.parameters}
    for name, default in declared.items():
        if name not in taken:
            require(takes_any, f"declares {name}, which its function does not take")
            continue
        own = taken[name].default
        require(
            own is inspect.Parameter.empty or _same(own, default),
            f"declares {name}={'required' if default is REQUIRED else repr(default)}, and its "
            f"function has {name}={own!r}",
        )
    bound = function.keywords if isinstance(function, functools.partial) else {}
    for name, parameter in list(taken.items())[_ARGUMENTS[subject.noun] :]:
        require(
            parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
            or name in declared
            or name in bound,
            f"does not declare {name}, which its function takes",
        )


def _same(own: Any, declared: Any) -> bool:
    if declared is REQUIRED:
        return False
    return bool(own == declared) and isinstance(own, bool) == isinstance(declared, bool)


def check_documented(subject: Subject) -> None:
    """Spec, parameters and function are documented, the function with its own parameters."""
    require(bool(subject.spec.doc.strip()), "has no doc")
    for parameter in subject.spec.parameters:
        require(bool(parameter.doc.strip()), f"declares the parameter {parameter.name} without doc")
    function = subject.spec.load()
    own = function.func if isinstance(function, functools.partial) else function
    text = inspect.getdoc(own) or ""
    require(bool(text), "has a function without a docstring")
    known = set(inspect.signature(own).parameters)
    for name in _documented_names(text):
        require(
            name.lstrip("*") in known,
            f"has a function whose docstring describes {name}, which is no parameter",
        )


def _documented_names(text: str) -> list[str]:
    """Names below ``Parameters`` in a docstring of numpydoc."""
    section = re.search(r"^Parameters\n-{3,}\n(.*?)(?=^\w[^\n]*\n-{3,}$|\Z)", text, re.S | re.M)
    if section is None:
        return []
    heads = re.findall(r"^([*\w][^\n:]*?)\s*(?::.*)?$", section[1], re.M)
    return [name.strip() for head in heads for name in head.split(",")]


def check_picklable(subject: Subject) -> None:
    """The function and its parameters can be sent to another process."""
    import cloudpickle

    try:
        again = cloudpickle.loads(cloudpickle.dumps(subject.call))
    except Exception as error:
        fail(f"cannot be sent to another process: {describe(error)}", error)
    require(again.params == subject.call.params, "has other parameters after pickling")
