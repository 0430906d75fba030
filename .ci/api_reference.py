"""Build the API reference from the docstrings: ``python .ci/api_reference.py FOLDER``.

A warning, or a public name that nothing is told of, is an error.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pdoc

#: What is public: the names of `hcbench` itself, and of these.
MODULES = (
    "hcbench",
    "hcbench.analysis",
    "hcbench.asv",
    "hcbench.commands",
    "hcbench.compiled",
    "hcbench.datasets",
    "hcbench.errors",
    "hcbench.files",
    "hcbench.hooks",
    "hcbench.figures",
    "hcbench.model",
    "hcbench.oracle",
    "hcbench.plan",
    "hcbench.registry",
    "hcbench.run",
    "hcbench.sklearn",
    "hcbench.store",
    "hcbench.testing",
)


def main(folder: Path) -> None:
    """Write a page for each public module."""
    warnings.simplefilter("error")
    for module in map(importlib.import_module, MODULES):
        for name in module.__all__:  # loaded when first used, and pdoc looks at what is there
            setattr(module, name, getattr(module, name))
    undocumented = [name for module in MODULES for name in without_docstring(module)]
    if undocumented:
        sys.exit(f"no docstring: {', '.join(undocumented)}")
    pdoc.render.configure(docformat="numpy", footer_text=f"hcbench {version('hcbench')}")
    internal = "!hcbench\\.(?!" + "|".join(m.partition(".")[2] + "$" for m in MODULES[1:]) + ")"
    # pdoc finds those that `hcbench` names by itself.
    names = importlib.import_module("hcbench").__all__
    others = [module for module in MODULES[1:] if module.partition(".")[2] not in names]
    pdoc.pdoc("hcbench", *others, internal, output_directory=folder)
    pages = {module: folder / f"{module.replace('.', '/')}.html" for module in MODULES}
    missing = [module for module, page in pages.items() if not page.exists()]
    if missing:
        sys.exit(f"no page: {', '.join(missing)}")
    print(f"{folder}/hcbench.html")


def without_docstring(module: str) -> list[str]:
    """The public names of a module, and the public members of its classes, that tell nothing.

    A constant may be told of in the docstring of its module.
    """
    loaded = importlib.import_module(module)
    documented = pdoc.doc.Module(loaded)
    found = []
    for name in loaded.__all__:
        if isinstance(getattr(loaded, name), ModuleType):
            continue  # it has a page of its own
        member = documented.members[name]
        members = [member, *(member.own_members if isinstance(member, pdoc.doc.Class) else ())]
        found += [doc.fullname for doc in members if not _is_told(doc, loaded.__doc__ or "")]
    return found


def _is_told(doc: pdoc.doc.Doc, text: str) -> bool:
    if isinstance(doc, pdoc.doc.Variable) and "." in doc.qualname:  # a field: told of by its class
        return True
    return bool(doc.docstring) or doc.name.startswith("_") or f"`{doc.name}`" in text


if __name__ == "__main__":
    main(Path(sys.argv[1]))
