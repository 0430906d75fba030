"""``score``: score trees made elsewhere with all metrics that apply."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hcbench.cli import options
from hcbench.cli.loading import IS_PROGRAM, load_plugins
from hcbench.cli.option_types import PATH
from hcbench.cli.progress import count_steps
from hcbench.cli.terminal import console, stdout_for_data, tell, tell_notes
from hcbench.errors import DataError, ExitCode
from hcbench.model.regular_files import read_regular
from hcbench.registry.names import parse_file

if TYPE_CHECKING:
    from hcbench.api.scores import Scores

#: The options of which one is needed: what trees are scored against.
_AGAINST = ("truths", "labels", "similarity", "vectors")
#: The sum of the squares of the numbers of items up to which metrics are computed in Python: a
#: second longer at most than by stored kernels, and several seconds less than compiling them.
_FEW = 2**16


@click.command(
    epilog=options.examples(
        "hcbench score tree.nwk --truth taxonomy.nwk",
        "hcbench score upgma.npy ward.npy --names names.txt --truth taxonomy.nwk",
        "hcbench score merge.csv --vectors iris.csv --labels species.csv --format markdown",
        "hcbench score tree.nwk --similarity w.csv --metrics dasgupta,tree-sampling-divergence",
        'hcbench score "beast.trees[tree=3]" "scipy.nwk[heights=whole]" --vectors iris.csv',
        'hcbench score "mrbayes.t[tree=all,burn_in=0.25]" nj.nwk --truth taxonomy.nwk --common',
    )
)
@click.argument("trees", nargs=-1, required=True, metavar="TREE...")
@click.option(
    "--truth",
    "truths",
    multiple=True,
    metavar="FILE",
    help="A true hierarchy, a file like TREE. Repeatable: the best of several is marked.",
)
@click.option(
    "--labels",
    metavar="FILE",
    help="True classes: .csv, .tsv or .npy, a column for each level, the coarsest first. "
    "FILE[header=false] says that the first row is no header.",
)
@click.option(
    "--similarity",
    metavar="FILE",
    help="Similarities of the items, an n x n matrix: a file that --datasets of compare takes.",
)
@click.option(
    "--vectors",
    metavar="FILE",
    help="The items, a row each: a file that --datasets of compare takes, with its parameters.",
)
@click.option(
    "--names",
    type=PATH,
    metavar="FILE",
    help="Names of the items, one a line or in a table with names of rows, in the order of all "
    "files that have none.",
)
@click.option(
    "--common",
    is_flag=True,
    help="Restrict all files to the items that all have, matched by name; how many are left and "
    "which are dropped is said.",
)
@options.names_option("--metrics", "By default all that apply.")
@options.PLUGIN
@options.RESULTS_FORMAT
@options.QUIET
def score(
    *,
    metrics: Sequence[str],
    plugin: Sequence[Path],
    form: str,
    quiet: bool,
    **files: Any,
) -> ExitCode:
    """Score trees that were made elsewhere.

    Metrics that do not apply are listed with the reason.

    A tree is a Newick or Nexus file, or a table (.csv, .tsv, .npy) of merges: scipy's linkage
    matrix, the merge of R's hclust with its height as a third column or without, or scikit-learn's
    children_. FILE[tree=3] is the third of several trees; FILE[tree=all,burn_in=0.25] is all
    without the first quarter, of which the mean and the interval of each metric are shown. Branch
    lengths to a leaf sum to half of the distance at which two clusters merge, or with
    FILE[heights=whole] to the whole.

    Items are matched by name: the labels of Newick, the index or header of a table. Files without
    names are in the order of --names; if that is not given, their items are the numbers 0, 1, ...,
    which match files whose names are these numbers, in any order.
    """
    import warnings
    from dataclasses import replace

    from hcbench.analysis.notes import Note

    registry = load_plugins(plugin, quiet=quiet)
    # Kernels of other packages may use what numba has and Python has not.
    has_others = any(entry.plugin.distribution != "hcbench" for entry in registry.metrics.entries)
    is_program = click.get_current_context().meta.get(IS_PROGRAM, False)
    if is_program and not has_others:
        _run_kernels_as_python(files["trees"] + files["truths"])
    import numpy as np

    from hcbench.api.matching import read_matched
    from hcbench.api.scoring import default_metrics, score_trees, summarise_files
    from hcbench.api.tree_labels import groups_of_trees, height_notes
    from hcbench.files.slow import tell_if_slow
    from hcbench.files.trees import TreeFile

    for option in ("trees", "truths"):
        files[option] = [TreeFile.parse(text) for text in files[option]]
    requested_uses = registry.use_all_metrics(metrics)
    if not metrics and not any(files[name] for name in _AGAINST):
        raise click.UsageError(
            "there is nothing to score against: give --truth, --labels, --similarity or --vectors"
        )
    with stdout_for_data():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with tell_if_slow("reading the trees and what they are scored against"):
                trees, problems = read_matched(registry, **files)
                notes = height_notes(files["trees"], trees)
        # Several files may cause the same warning.
        texts = dict.fromkeys(str(warning.message) for warning in caught)
        if not quiet:
            for text in texts:
                tell(f"warning: {text}")
        uses = {}
        for use in requested_uses or default_metrics(registry):
            uses[use.label] = use
        # Kernels multiply modulo 2^64.
        what = f"values of {len(uses)} metrics"
        with count_steps(what, quiet=quiet) as progress, np.errstate(over="ignore"):
            scores = score_trees(trees, problems, list(uses.values()), notes, progress)
        scores = summarise_files(scores, groups_of_trees(files["trees"], trees))
        remarks = [Note(kind="data", text=text) for text in texts]
        scores = replace(scores, remarks=tuple(remarks))
    _write_scores(scores, form)
    if form == "csv" and not quiet:
        # The remarks are told above, and reasons are columns.
        tell_notes([note for note in scores.notes if note.kind not in ("data", "inapplicable")])
    if scores.errors:
        return ExitCode.CELLS_FAILED
    return ExitCode.OK


def _write_scores(scores: Scores, form: str) -> None:
    """Write scores to stdout, as table, json, csv, markdown or latex."""
    from hcbench.cli.draw import write_blocks, write_text

    if form != "table":
        write_text(getattr(scores, f"to_{form}")())
        return
    write_blocks(scores.blocks)
    mark_of_best = "*"
    if console().is_terminal:
        mark_of_best = "bold"
    click.echo("\n".join(scores.legend(mark_of_best)))


def _run_kernels_as_python(trees: Iterable[str]) -> None:
    """Have numba compile nothing in this process if the trees are small and it is not loaded.

    The process must be that of the program: numba compiles nothing for anybody in it.
    """
    if "numba" in sys.modules:
        return
    squares = [_most_items(text) ** 2 for text in trees]
    if sum(squares) <= _FEW:
        # numba reads it when it is imported.
        os.environ["NUMBA_DISABLE_JIT"] = "1"


def _most_items(tree: str) -> int:
    """At least the number of items of the tree in a file, whose name may have parameters."""
    path = Path(parse_file(tree).base)
    try:
        content = read_regular(path)
    except (OSError, DataError):  # reported when it is read as a tree
        return 0
    if path.suffix == ".npy":
        # Two children of 8 bytes are the least that a merge takes.
        return len(content) // 16
    # Newick has a comma between neighbours, and a table has one in each row.
    return 1 + content.count(b",")
