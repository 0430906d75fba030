"""A publication is cited in the same way by all plugins."""

from hcbench import load_registry


def test_references_of_one_key_are_equal_in_all_plugins() -> None:
    registry = load_registry()
    cited: dict[str, set[str]] = {}
    catalogues = (registry.algorithms, registry.datasets, registry.oracles, registry.metrics)
    for entry in (entry for catalogue in catalogues for entry in catalogue.entries):
        if entry.spec.paper is not None:
            cited.setdefault(entry.spec.paper.key, set()).add(entry.spec.paper.bibtex)
    assert {key for key, entries in cited.items() if len(entries) > 1} == set()
    (bibtex,) = cited["ghoshdastidar2019"]
    for field in ("author", "title", "booktitle", "volume", "year", "pages"):
        assert f"  {field} = {{" in bibtex
