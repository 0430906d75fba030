"""``hcbench cite``: the papers of what is registered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hcbench.cli import options
from hcbench.cli.loading import load_plugins
from hcbench.cli.option_types import KINDS, OneName
from hcbench.cli.terminal import tell
from hcbench.registry.specs import Spec
from hcbench.registry.suite import Suite

if TYPE_CHECKING:
    from hcbench.registry import Registry
    from hcbench.registry.references import Reference


@click.command(epilog=options.examples("hcbench cite 4-AL HDBSCAN AARI > hcbench.bib"))
@click.argument("names", nargs=-1, required=True, type=OneName(*KINDS), metavar="NAME...")
@options.PLUGIN
def cite(names: Sequence[str], plugin: Sequence[Path]) -> None:
    """Print the BibTeX entries of what you used.

    Of a suite these are its own and those of all that it names, and of a package of plugins, as
    "hcbench plugins" names it, those of all that it registers.
    """
    registry = load_plugins(plugin)
    specs: list[Spec | Suite] = []
    # A name may stand for an algorithm and a metric; it is told once.
    names_without_paper: dict[str, None] = {}
    for name in names:
        of_package = _specs_of_package(registry, name)
        if of_package:
            specs += of_package
            if all(spec.paper is None for spec in of_package):
                names_without_paper[name] = None
            continue
        for spec in _specs_of(registry, [name]):
            specs.append(spec)
            if spec.paper is None:
                names_without_paper[spec.name] = None
    papers = _papers_of(registry, specs)
    if papers:
        entries = [paper.bibtex for paper in papers]
        click.echo("\n\n".join(entries))
    for name in names_without_paper:
        tell(f"{name} has no paper")


def _papers_of(registry: Registry, specs: Iterable[Spec | Suite]) -> list[Reference]:
    """The papers of specs, and of all that those of them which are suites name."""
    members: list[Spec | Suite] = []
    for spec in specs:
        if isinstance(spec, Suite):
            member_names = spec.algorithms + spec.datasets + spec.oracles + spec.metrics
            members.extend(_specs_of(registry, member_names))
    # Many specs share a paper, whose entry must occur once in a bibliography.
    papers = {}
    for spec in [*specs, *members]:
        if spec.paper is not None:
            papers[spec.paper.key] = spec.paper
    return list(papers.values())


def _specs_of(registry: Registry, names: Iterable[str]) -> list[Spec | Suite]:
    specs: list[Spec | Suite] = []
    for name in names:
        for entry in registry.find(name):
            specs.append(entry.spec)
    return specs


def _specs_of_package(registry: Registry, name: str) -> list[Spec | Suite]:
    """What a package registers; nothing if none has this name, or something else has it."""
    specs: list[Spec | Suite] = []
    for catalogue in registry.catalogues:
        if catalogue.has(name):
            return []
        for entry in catalogue.entries:
            if entry.plugin.is_called(name):
                specs.append(entry.spec)
    return specs
