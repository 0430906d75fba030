"""``consensus``: the consensus of many trees, with the support of its branches."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hcbench.cli import options
from hcbench.cli.draw import write_text
from hcbench.cli.option_types import NumberRange, OutputFile
from hcbench.cli.terminal import stdout_for_data, tell

if TYPE_CHECKING:
    from hcbench.analysis.consensus import Consensus, Rule

#: Suffixes of figures, which are drawn with the support of the clades.
_FIGURES = (".svg", ".png", ".pdf")
#: Suffixes of what a tree without heights can be written to.
_TREES = (".nwk", ".newick", ".tree", ".tre", ".treefile", ".nex", ".nexus", ".json")


@click.command(
    epilog=options.examples(
        "hcbench consensus bootstraps.nwk -o majority.nwk",
        "hcbench consensus run1.t run2.t --burn-in 0.25 -o posterior.nex -o posterior.pdf",
        "hcbench consensus upgma.nwk nj.nwk bayes.nex --common --rule strict",
    )
)
@click.argument("trees", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "-o",
    "--output",
    "outputs",
    type=OutputFile(*_TREES, *_FIGURES),
    multiple=True,
    help="Output file: Newick (.nwk), Nexus (.nex), .json, or a figure (.svg, .png, .pdf). "
    "Repeatable. By default Newick on stdout.",
)
@click.option(
    "--rule",
    type=click.Choice(["majority", "strict", "greedy"]),
    default="majority",
    show_default=True,
    help="Clades of more than half of the trees; of all trees; or of the majority, and then the "
    "most frequent ones that fit.",
)
@click.option(
    "--burn-in",
    type=NumberRange(0, 1, max_open=True),
    default=0.0,
    show_default=True,
    metavar="SHARE",
    help="The share of the trees of each file, the first ones, that is omitted: 0.25 for MrBayes.",
)
@click.option(
    "--common",
    is_flag=True,
    help="Restrict the trees to the items that all have; how many are left is said.",
)
@options.QUIET
def consensus(
    *,
    trees: Sequence[str],
    outputs: Sequence[Path],
    rule: Rule,
    burn_in: float,
    common: bool,
    quiet: bool,
) -> None:
    """Write the consensus of all trees of some files.

    A file is of Newick or Nexus, such as a posterior sample of MrBayes or BEAST, bootstraps, or the
    tree of one program; FILE[tree=3] is one of its trees. Items are matched by name. Clades are
    those of the trees as they are rooted; the label of a node is the share of the trees that have
    its clade, in per cent. There are no branch lengths.
    """
    import warnings

    from hcbench.api.consensus import consensus_of_files
    from hcbench.files.tree_output import tree_text, write_tree
    from hcbench.files.trees import TreeFile

    files = list(map(TreeFile.parse, trees))
    with stdout_for_data(), warnings.catch_warnings():
        # Branch lengths are not used.
        warnings.simplefilter("ignore")
        result, notes = consensus_of_files(files, rule=rule, burn_in=burn_in, common=common)
    tree = result.tree
    metadata = _describe(result, rule)
    for path in outputs:
        if path.suffix.lower() in _FIGURES:
            _draw(result, path, title=str(metadata["title"]))
        else:
            write_tree(tree, path, lengths=False, inner_labels=result.labels, metadata=metadata)
        notes.append(f"the consensus is in {path}")
    # There are no lengths: a consensus is of the clades, and the trees have different heights.
    if not outputs:
        write_text(tree_text(tree, "newick", lengths=False, inner_labels=result.labels))
    # The root is no clade; a binary tree of n items has n - 2 others.
    n_clades = tree.n_nodes - tree.n - 1
    most_clades = max(tree.n - 2, 0)
    notes.append(
        f"{rule} consensus of {result.count} trees of {tree.n} items: {n_clades} of at most "
        f"{most_clades} clades"
    )
    if not quiet:
        for note in notes:
            tell(note)


def _draw(result: Consensus, path: Path, title: str) -> None:
    """Draw the tree with the support of its clades, which all branches of a figure show."""
    import numpy as np

    from hcbench.figures.drawing import save
    from hcbench.figures.tree_figures import dendrogram_figure

    # Leaves have no support.
    support = np.concatenate([np.full(result.tree.n, np.nan), result.support])
    save(dendrogram_figure(result.tree, title=title, support=support), path)


def _describe(result: Consensus, rule: Rule) -> dict[str, Any]:
    """What JSON has before the tree."""
    return {
        "title": f"{rule} consensus of {result.count} trees",
        "rule": rule,
        "trees": result.count,
        "support": result.support.tolist(),
    }
