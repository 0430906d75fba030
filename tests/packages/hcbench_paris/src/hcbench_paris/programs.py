"""A program, and a suite that compares it, from TOML files of this package."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from hcbench import AlgorithmSpec, Suite, hookimpl
from hcbench.registry import read_suite
from hcbench_foreign import Program

HCBENCH_HOOKS = 1

average = Program(Path(__file__).with_name("average.toml"))


@hookimpl
def hcbench_algorithms() -> Iterable[AlgorithmSpec]:
    """Return the program."""
    return (average.spec("hcbench_paris.programs:average"),)


@hookimpl
def hcbench_suites() -> Iterable[Suite]:
    """Return the suite."""
    return (read_suite(Path(__file__).with_name("graphs.toml")),)
