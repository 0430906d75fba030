"""The public API as lines of text.

``python -m tests.core.public_api`` records it again in ``public_api.txt``.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any

import hcbench
from hcbench.registry import hookspecs

RECORDED = Path(__file__).with_name("public_api.txt")
#: Public modules, besides the names of ``hcbench`` itself.
MODULES = (
    "analysis",
    "asv",
    "commands",
    "compiled",
    "datasets",
    "errors",
    "files",
    "figures",
    "hooks",
    "model",
    "oracle",
    "plan",
    "registry",
    "run",
    "sklearn",
    "store",
    "testing",
)
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def describe() -> list[str]:
    """List every public name with its signature, fields and methods."""
    lines = [line for name in hcbench.__all__ for line in _of("hcbench", hcbench, name)]
    for module in MODULES:
        loaded = importlib.import_module(f"hcbench.{module}")
        lines += [
            line for name in loaded.__all__ for line in _of(f"hcbench.{module}", loaded, name)
        ]
    lines += [
        f"hook {name}{_signature(hook)}"
        for name, hook in sorted(vars(hookspecs).items())
        if name.startswith("hcbench_")
    ]
    return lines


def _of(where: str, module: ModuleType, name: str) -> Iterator[str]:
    value = getattr(module, name)
    full = f"{where}.{name}"
    if isinstance(value, ModuleType):
        yield f"{full}: module"
    elif inspect.isclass(value):
        yield from _of_class(full, value)
    elif inspect.isroutine(value) or hasattr(value, "py_func"):
        yield f"{full}{_signature(getattr(value, 'py_func', value))}"
    elif isinstance(value, str | int | float | tuple) or type(value).__module__ == "typing":
        yield _ADDRESS.sub("", f"{full} = {value!r}")
    else:
        yield f"{full}: {type(value).__name__}"


def _of_class(full: str, cls: type) -> Iterator[str]:
    bases = ", ".join(base.__name__ for base in cls.__bases__ if base is not object)
    yield f"class {full}({bases})"
    if issubclass(cls, Enum):
        yield from (f"  {member.name} = {member.value!r}" for member in cls)
        return
    if dataclasses.is_dataclass(cls):
        yield from (f"  {_field(field)}" for field in dataclasses.fields(cls))
    elif "__init__" in vars(cls):
        yield f"  __init__{_signature(cls.__init__)}"
    for name in sorted(dir(cls)):
        member = inspect.getattr_static(cls, name)
        if name.startswith("_") or not _is_ours(cls, name):
            continue
        if isinstance(member, classmethod | staticmethod):
            yield f"  {type(member).__name__} {name}{_signature(member.__func__)}"
        elif inspect.isfunction(member):
            yield f"  {name}{_signature(member)}"
        elif isinstance(member, property) or type(member).__name__ == "cached_property":
            yield f"  property {name}"


def _is_ours(cls: type, name: str) -> bool:
    """Whether a member is defined by hcbench, and not inherited from another library."""
    owner = next(base for base in cls.__mro__ if name in vars(base))
    return owner.__module__.startswith("hcbench")


def _field(field: dataclasses.Field[Any]) -> str:
    default = "" if field.default is dataclasses.MISSING else f" = {field.default!r}"
    if field.default_factory is not dataclasses.MISSING:
        default = " = ..."
    return _ADDRESS.sub("", f"{field.name}: {field.type}{default}")


def _signature(function: Any) -> str:
    return _ADDRESS.sub("", str(inspect.signature(function)))


if __name__ == "__main__":
    RECORDED.write_text("\n".join(describe()) + "\n")
