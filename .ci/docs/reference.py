"""The reference: a page for every public class and function, from its docstring."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import rst
from sphinx.errors import PycodeError
from sphinx.pycode import ModuleAnalyzer

#: What is public: the names of `hcbench` itself, and of these.
MODULES = (
    "hcbench",
    "hcbench.analysis",
    "hcbench.asv",
    "hcbench.commands",
    "hcbench.compiled",
    "hcbench.datasets",
    "hcbench.errors",
    "hcbench.figures",
    "hcbench.files",
    "hcbench.hooks",
    "hcbench.model",
    "hcbench.oracle",
    "hcbench.plan",
    "hcbench.registry",
    "hcbench.run",
    "hcbench.sklearn",
    "hcbench.store",
    "hcbench.testing",
)


def write_reference(source: Path) -> int:
    """Write a page for each module, class and function; return their number."""
    pages: dict[int, str] = {}
    for module in map(importlib.import_module, MODULES):
        write_module(module, pages, source)
    rst.write(
        source / "reference" / "index.rst",
        rst.title("Reference"),
        "Every public name. Plugins and programs import them from the modules below, of which "
        "``hcbench`` has what most need.",
        rst.table(
            ("module", "about"),
            [
                (rst.link(name, f"reference/{name}/index"), rst.escape(summary(name)))
                for name in MODULES
            ],
        ),
        rst.contents([f"{name}/index" for name in MODULES], hidden=""),
    )
    return len(pages) + len(MODULES) + 1


def write_module(module: ModuleType, pages: dict[int, str], source: Path) -> None:
    """Write the page of a module, and those of its names that no module before it has."""
    folder = f"reference/{module.__name__}"
    rows = []
    new_pages = []
    constants = []
    for name in sorted(module.__all__, key=str.casefold):
        value = getattr(module, name)
        if isinstance(value, ModuleType):
            continue  # it has a page of its own
        directive = directive_of(name, value)
        if directive is None:
            constants.append(constant(module, name))
            continue
        page = pages.get(id(value))
        if page is None:
            page = f"{folder}/{name}"
            pages[id(value)] = page
            new_pages.append(page)
            options = options_of(value)
            write_name(f"{module.__name__}.{name}", directive, options, source / f"{page}.rst")
        rows.append((rst.link(name, page), first_line(inspect.getdoc(value))))
    parts = [
        rst.title(module.__name__),
        rst.block("py:module", module.__name__),
        rst.docstring(inspect.getdoc(module) or ""),
    ]
    if rows:
        parts += [rst.title("Classes and functions", "-"), rst.table(("name", "about"), rows)]
    if constants:
        parts += [rst.title("Constants and types", "-"), *constants]
    if new_pages:
        parts.append(rst.contents([f"/{page}" for page in new_pages], hidden=""))
    rst.write(source / folder / "index.rst", *parts)


def write_name(full_name: str, directive: str, options: Mapping[str, str], path: Path) -> None:
    """Write the page of a class or a function."""
    module, _, name = full_name.rpartition(".")
    rst.write(
        path,
        rst.title(name),
        rst.block("currentmodule", module),
        rst.block(directive, full_name, **options),
    )


def options_of(value: Any) -> dict[str, str]:
    """What the page of a class shows beside its docstring."""
    if not inspect.isclass(value):
        return {}
    if value.__bases__ == (object,):
        return {"members": ""}
    return {"members": "", "show-inheritance": ""}


def directive_of(name: str, value: Any) -> str | None:
    """The directive that documents a class or a function; None for anything else."""
    if getattr(value, "__name__", name) != name:  # a value that happens to be callable
        return None
    if inspect.isclass(value):
        return "autoclass"
    if inspect.isroutine(value) or hasattr(value, "py_func"):  # compiled by numba
        return "autofunction"
    return None


def constant(module: ModuleType, name: str) -> str:
    """The entry of a constant: its value and its documentation."""
    value = repr(getattr(module, name))
    options = {}
    if len(value) <= 60 and " at 0x" not in value:
        options["value"] = value
    lines = constant_lines(module, name)
    return rst.block("py:data", name, "\n".join(lines), **options)


def undocumented(module: ModuleType) -> list[str]:
    """The public names of a module, and the public methods of its classes, without a docstring.

    A constant may be described in the docstring of its module instead, and the fields of a class in
    that of the class.
    """
    missing = []
    for name in module.__all__:
        value = getattr(module, name)
        full_name = f"{module.__name__}.{name}"
        if isinstance(value, ModuleType):
            continue
        if inspect.isclass(value):
            if not has_docstring(value):
                missing.append(full_name)
            missing += [f"{full_name}.{method}" for method in undocumented_methods(value)]
        elif directive_of(name, value) == "autofunction":
            if not inspect.getdoc(value):
                missing.append(full_name)
        elif not constant_lines(module, name) and f"`{name}`" not in (module.__doc__ or ""):
            missing.append(full_name)
    return missing


def has_docstring(cls: type) -> bool:
    """Whether a class has a docstring of its own; a dataclass without one gets its signature."""
    text = vars(cls).get("__doc__") or ""
    return bool(text) and not text.startswith(f"{cls.__name__}(")


def undocumented_methods(cls: type) -> Iterator[str]:
    """The public methods and properties that a class defines without a docstring."""
    for name, member in vars(cls).items():
        if name.startswith("_"):
            continue
        function = getattr(member, "__func__", member)  # of a class method or static method
        is_method = inspect.isroutine(function) or hasattr(function, "fget")
        if (is_method or hasattr(function, "func")) and not inspect.getdoc(getattr(cls, name)):
            yield name


@cache
def constants_of(module: str) -> dict[str, list[str]]:
    """The documented constants of a module's file: the lines beside or below each."""
    try:
        found = ModuleAnalyzer.for_module(module).find_attr_docs()
    except PycodeError:  # not written in Python
        return {}
    return {name: lines for (scope, name), lines in found.items() if scope == ""}


def constant_lines(module: ModuleType, name: str) -> list[str]:
    """The documentation of a constant, from the file that defines it; empty if there is none."""
    value = getattr(module, name)
    for other in sorted(sys.modules):
        is_ours = other == "hcbench" or other.startswith(("hcbench.", "hcbench_"))
        if is_ours and vars(sys.modules[other]).get(name) is value:
            lines = constants_of(other).get(name)
            if lines:
                return lines
    return []


def summary(module: str) -> str:
    """The first sentence of a module's docstring."""
    return first_line(importlib.import_module(module).__doc__)


def first_line(text: str | None) -> str:
    """The summary of a docstring, in one line and without its footnotes."""
    paragraph = (text or "").strip().partition("\n\n")[0]
    return " ".join(re.sub(r"\s*\[\d+\]_", "", paragraph).split())
