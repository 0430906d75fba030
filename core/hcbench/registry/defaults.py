"""Registered suites, and what they say where a caller leaves something open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hcbench.errors import HcbenchError, SuiteError
from hcbench.registry.registry import Registry
from hcbench.registry.suite import Suite


def find_suite(registry: Registry, name: str) -> Suite:
    """A registered suite.

    Raises
    ------
    SuiteError
        If there is none of that name.
    """
    try:
        return registry.suites.find(name).spec
    except HcbenchError as error:
        raise SuiteError(f"{error}; or give a TOML file, such as ./{name}.toml") from error


DEFAULTS = {"tree": "compare", "partition": "compare-cuts"}
"""The suites that tell what to compare where nobody says it, for each kind of result."""


def default_suite(registry: Registry, algorithms: Sequence[str]) -> Suite | None:
    """The registered suite with the defaults for these algorithms; None if there is none.

    Where all return partitions it is that for partitions, else that for trees.
    """
    kinds = {use.spec.returns for name in algorithms for use in registry.use_algorithms(name)}
    try:
        return find_suite(registry, DEFAULTS["partition" if kinds == {"partition"} else "tree"])
    except SuiteError:
        return None


def with_defaults(
    suite: Suite,
    registry: Registry,
    *,
    algorithms: bool = True,
    datasets: bool = True,
    metrics: bool = True,
) -> Suite:
    """Fill what a suite leaves open from the registered suite of defaults.

    The flags say whether an empty list is open, or the caller brings something of their own.
    """
    defaults = default_suite(registry, suite.algorithms)
    if defaults is None:
        return suite
    open_lists = {"algorithms": algorithms, "datasets": datasets, "metrics": metrics}
    missing = {
        name: getattr(defaults, name)
        for name, is_open in open_lists.items()
        if is_open and not getattr(suite, name)
    }
    return replace(suite, **missing)
