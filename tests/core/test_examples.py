"""The examples of the reference: every public class and function has one, and all of them run."""

from __future__ import annotations

import doctest
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hcbench
from tests.core.public_api import MODULES

_OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def public_names() -> Iterator[tuple[str, Any]]:
    """Each public class and function once, with the name by which it is found first."""
    seen = set()
    for short_name in ("", *MODULES):
        module = hcbench if not short_name else importlib.import_module(f"hcbench.{short_name}")
        for name in module.__all__:
            value = getattr(module, name)
            # A value with another name is a constant in the reference, such as an option of click.
            is_own = getattr(value, "__name__", "") == name
            is_shown = is_own and (inspect.isclass(value) or inspect.isfunction(value))
            if is_shown and id(value) not in seen:
                seen.add(id(value))
                yield f"{module.__name__}.{name}", value


NAMES = dict(public_names())


def has_example(value: Any) -> bool:
    return ">>>" in (inspect.getdoc(value) or "")


def with_examples() -> list[str]:
    """The names with an example in their docstring, or in that of a method."""
    names = []
    for name, value in NAMES.items():
        tests = doctest.DocTestFinder(exclude_empty=True).find(value, name)
        if any(test.examples for test in tests):
            names.append(name)
    return names


def test_every_name_has_an_example() -> None:
    assert [name for name, value in NAMES.items() if not has_example(value)] == []


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("name", with_examples())
def test_the_examples_run(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in a new session of Python where numpy and hcbench are imported."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HCBENCH_STORE", str(tmp_path / "results.sqlite"))
    runner = doctest.DocTestRunner(optionflags=_OPTIONS)
    imported = {"np": np, "hcbench": hcbench, name.rpartition(".")[2]: NAMES[name]}
    for test in doctest.DocTestFinder(exclude_empty=True).find(NAMES[name], name):
        test.globs = dict(imported)
        runner.run(test)
    assert not runner.failures, capsys.readouterr().out
