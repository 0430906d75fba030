"""What type checkers know of the public functions, by mypy on examples as users write them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "core" / "docs").glob("*.md"))]
_BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)

FIT = """
from typing import Any, assert_type

import numpy as np
import pandas as pd

import hcbench

X = np.zeros((4, 2))
tree = hcbench.fit("UPGMA", X)
assert_type(tree, hcbench.Tree)
print(hcbench.fit("UPGMA", X, metric="cosine").cut(2).sizes)
print(hcbench.fit("UPGMA", pd.DataFrame(X)).cut(2).sizes)
assert_type(hcbench.fit("WDP", tree), hcbench.Partition)
assert_type(hcbench.fit("WDP", hcbench.Problem(n=3)), hcbench.Tree | hcbench.Partition)
anything: Any = X
hcbench.fit("UPGMA", anything).cut(2)
"""
WRONG = """
import numpy as np

import hcbench

hcbench.fit("UPGMA", np.zeros((4, 2)), seed="first")
hcbench.fit("WDP", hcbench.fit("UPGMA", np.zeros((4, 2)))).cut(2)
"""

SPECS = """
import hcbench
from hcbench import AlgorithmSpec, MetricSpec, Needs, Parameter

TREE: Needs = ("tree",)
either = hcbench.any_of("similarity", "vectors", hcbench.extra("words:strings"))
MetricSpec(name="a", function="a:b", doc="A.", direction="lower", needs=(either, "truth"))
AlgorithmSpec(name="a", function="a:b", doc="A.", accepts=("vectors",), needs=TREE)
Parameter("init", 1, "Clusters.", alternative=("str", "list"))
"""
WRONG_SPECS = """
import hcbench
from hcbench import MetricSpec, Parameter

MetricSpec(name="a", function="a:b", doc="A.", direction="lower", needs=("similarity|vectors",))
MetricSpec(name="a", function="a:b", doc="A.", direction="lower", needs=("vektors",))
MetricSpec(name="a", function="a:b", doc="A.", direction="down")
hcbench.any_of("vectors", "simlarity")
Parameter("init", 1, "Clusters.", alternative="str or list")
Parameter("init", 1, "Clusters.", type="text")
"""


def errors_of(code: str, folder: Path) -> list[str]:
    """The codes of mypy's errors; functions of examples need no annotations."""
    file = folder / "example.py"
    file.write_text(code, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--no-error-summary", str(file)]
    # In the project's folder, so that what mypy knows of it already is used.
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if ": error: " in line]
    assert done.returncode < 2, done.stdout + done.stderr
    return [line for line in lines if not line.endswith("[no-untyped-def]")]


@pytest.mark.slow
def test_fit_returns_what_can_be_said_before_it_runs(tmp_path: Path) -> None:
    assert errors_of(FIT, tmp_path) == []


@pytest.mark.slow
def test_mistakes_are_found_by_a_type_checker(tmp_path: Path) -> None:
    first, second = errors_of(WRONG, tmp_path)
    assert "[call-overload]" in first
    assert '"Partition" has no attribute "cut"' in second


@pytest.mark.slow
@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_python_examples_of_the_documents_pass(path: Path, tmp_path: Path) -> None:
    blocks = _BLOCK.findall(path.read_text(encoding="utf-8"))
    if not blocks:
        pytest.skip("no example in Python")
    # Plugins are files of their own; what a reader types into an interpreter goes on.
    plugins = [block for block in blocks if "hookimpl" in block]
    typed = "".join(block for block in blocks if "hookimpl" not in block)
    for example in (*plugins, typed):
        assert errors_of(example, tmp_path) == [], example


@pytest.mark.slow
def test_a_checker_sees_misspelt_names_in_specs(tmp_path: Path) -> None:
    assert errors_of(SPECS, tmp_path) == []
    found = errors_of(WRONG_SPECS, tmp_path)
    assert len(found) == 6
    assert all(line.endswith("[arg-type]") for line in found)
