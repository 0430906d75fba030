"""The examples in the documentation of the hooks run."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest
from click.testing import CliRunner

import hcbench.hooks as hooks
from hcbench.cli import main

INSTALLED_ONLY = ("hcbench_commands", "hcbench_executors")


def example(hook: str) -> str:
    """The code of the example of a hook."""
    parsed = doctest.DocTestParser().get_examples(getattr(hooks, hook).__doc__)
    return "".join(part.source for part in parsed)


def test_every_hook_has_a_page_and_an_example() -> None:
    declared = {name for name in vars(hooks) if name.startswith("hcbench_")}
    assert declared == set(hooks.__all__)
    assert all(f"def {name}(" in example(name) for name in hooks.__all__)


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_the_examples_are_a_plugin(tmp_path: Path) -> None:
    file = tmp_path / "examples.py"
    file.write_text("".join(example(h) for h in hooks.__all__ if h not in INSTALLED_ONLY))
    args = ["compare", "--plugin", str(file), "--algos", "Order,InsertionClustering", "-r", "1"]
    args += ["--datasets", "square", "--oracles", "vectors,guess", "--metrics", "depth", "-q"]
    done = CliRunner().invoke(main, [*args, "--store", str(tmp_path / "store.sqlite")])
    assert done.exit_code == 0, done.output
    assert "2 cells of " in done.output
    assert "Order square ok" in done.output
    assert "2 of 2" in done.output
    depths = [line.split()[-1] for line in done.output.splitlines() if line.startswith("Order ")]
    assert "49.000" in depths  # a chain of 50 items
    listed = CliRunner().invoke(main, ["list", "suites", "--plugin", str(file), "--short"])
    assert "linkages" in listed.output.split()


@pytest.mark.parametrize("hook", INSTALLED_ONLY)
def test_examples_for_installed_packages_declare_specs(hook: str) -> None:
    names: dict[str, object] = {}
    exec(example(hook), names)
    (spec,) = names[hook]()  # type: ignore[operator]
    assert spec.doc
    assert ":" in spec.function
