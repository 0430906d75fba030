"""Registered suites, and the defaults that they give."""

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
"""The suites with the defaults, for each kind of result."""


def default_suite(registry: Registry, algorithms: Sequence[str]) -> Suite | None:
    """The registered suite with the defaults for these algorithms; None if there is none.

    If all of them return partitions it is that for partitions, else that for trees.
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
    """Fill the empty lists of a suite from the registered suite of defaults.

    The flags say which lists to fill: the caller may have something of their own instead.
    """
    defaults = default_suite(registry, suite.algorithms)
    if defaults is None:
        return suite
    fillable = {"algorithms": algorithms, "datasets": datasets, "metrics": metrics}
    missing = {
        name: getattr(defaults, name)
        for name, fill in fillable.items()
        if fill and not getattr(suite, name)
    }
    return replace(suite, **missing)
