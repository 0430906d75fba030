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


@click.command(epilog=options.examples("hcbench cite 4-AL HDBSCAN AARI > hcbench.bib"))
@click.argument("names", nargs=-1, required=True, type=OneName(*KINDS), metavar="NAME...")
@options.PLUGIN
def cite(names: Sequence[str], plugin: Sequence[Path]) -> None:
    """Print the BibTeX entries of what you used.

    Of a suite these are its own and those of all that it names.
    """
    registry = load_plugins(plugin)
    specs = _specs_of(registry, names)
    members: list[Spec | Suite] = []
    for spec in specs:
        if isinstance(spec, Suite):
            member_names = spec.algorithms + spec.datasets + spec.oracles + spec.metrics
            members.extend(_specs_of(registry, member_names))
    # Many specs share a paper, whose entry must occur once in a bibliography.
    papers = {}
    for spec in specs + members:
        if spec.paper is not None:
            papers[spec.paper.key] = spec.paper
    if papers:
        entries = [paper.bibtex for paper in papers.values()]
        click.echo("\n\n".join(entries))
    # A name may stand for an algorithm and a metric; it is told once.
    names_without_paper: dict[str, None] = {}
    for spec in specs:
        if spec.paper is None:
            names_without_paper[spec.name] = None
    for name in names_without_paper:
        tell(f"{name} has no paper")


def _specs_of(registry: Registry, names: Iterable[str]) -> list[Spec | Suite]:
    specs: list[Spec | Suite] = []
    for name in names:
        for entry in registry.find(name):
            specs.append(entry.spec)
    return specs
