"""What a suite says about its results, under the names that these have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hcbench.registry import Registry
    from hcbench.registry.catalogue import Catalogue
    from hcbench.registry.suite import Suite

#: The fields of claims and figures that are names, with the catalogue of the registry.
_FIELDS = {
    "algorithm": "algorithms",
    "better_than": "algorithms",
    "level": "algorithms",
    "dataset": "datasets",
    "than_dataset": "datasets",
    "oracle": "oracles",
    "than_oracle": "oracles",
    "metric": "metrics",
    "than_metric": "metrics",
    "tuned_by": "metrics",
}


def with_registered_names(suite: Suite, registry: Registry) -> Suite:
    """A suite whose claims, figures and families have registered names in place of aliases.

    Results are under registered names, with which those of claims are compared.
    """
    families = {}
    for name, family in suite.families.items():
        families[registry.datasets.without_aliases(name)] = family
    return replace(
        suite,
        claims=tuple([_named(claim, registry) for claim in suite.claims]),
        figures=tuple([_named(figure, registry) for figure in suite.figures]),
        families=families,
    )


def _named(statement: Any, registry: Registry) -> Any:
    """A claim or a figure with registered names."""
    changed: dict[str, Any] = {}
    for field in _FIELDS:
        written = getattr(statement, field, None)
        if written:
            changed[field] = _registered(field, written, registry)
    corrected = getattr(statement, "corrected", None)
    if corrected:
        changed["corrected"] = _corrected(corrected, registry)
    # Most have no alias; a claim is checked whenever it is made.
    if all(getattr(statement, field) == value for field, value in changed.items()):
        return statement
    return replace(statement, **changed)


def _corrected(corrected: Mapping[str, Any], registry: Registry) -> dict[str, Any]:
    """The corrected fields of a claim with registered names."""
    fields = dict(corrected)
    for field, written in corrected.items():
        if field in _FIELDS:
            fields[field] = _registered(field, written, registry)
    return fields


def _registered(field: str, written: Any, registry: Registry) -> Any:
    """The names in a field, which has one text or several."""
    catalogue: Catalogue[Any] = getattr(registry, _FIELDS[field])
    if isinstance(written, str):
        return catalogue.without_aliases(written)
    return tuple(map(catalogue.without_aliases, written))
