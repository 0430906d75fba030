"""``tree``: the tree of a stored cell, of a new fit or of a file, and its clusters, as files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hcbench.cli import options
from hcbench.cli.completing import complete_source
from hcbench.cli.draw import write_text
from hcbench.cli.loading import load_plugins
from hcbench.cli.option_types import IntegerRange, OutputFile, read_time
from hcbench.cli.progress import count_steps
from hcbench.cli.rows import TABLES, show_rows, write_rows
from hcbench.cli.terminal import stdout_for_data, tell, write_json
from hcbench.cli.tree_source import SOURCE_OPTIONS, refuse_options, take_source
from hcbench.errors import HcbenchError
from hcbench.model.numbers import read_number, read_whole_number

if TYPE_CHECKING:
    from hcbench.analysis.cluster_table import Cuts
    from hcbench.api.confidence import Confidence
    from hcbench.api.resampling import Resampled
    from hcbench.api.trees import Fitted
    from hcbench.figures.tree_figures import Scaling

#: Suffixes of trees, as `hcbench.files.tree_output.FORMATS` has them.
TREES = (
    ".nwk",
    ".newick",
    ".tree",
    ".tre",
    ".treefile",
    ".nex",
    ".nexus",
    ".npy",
    ".csv",
    ".tsv",
    ".json",
)
#: Suffixes of figures; a file with one of them is drawn.
FIGURES = (".svg", ".png", ".pdf")


def read_counts_of_clusters(text: str) -> tuple[int, ...]:
    """Numbers of clusters, separated by commas; 2-5 is 2, 3, 4 and 5."""
    counts: list[int] = []
    # Ranges may overlap: each number counts once, where it is first.
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        # A single number is a range of one.
        low = read_whole_number(first)
        high = low
        if dash:
            high = read_whole_number(last)
        if low is None or high is None or not 1 <= low <= high:
            raise click.BadParameter(
                f"{part.strip()!r} is not a number of clusters; write for example 3, 2,5 or 2-6"
            )
        counts.extend(range(low, high + 1))
    return tuple(dict.fromkeys(counts))


def read_heights(text: str) -> tuple[float, ...]:
    """Heights of cuts, separated by commas."""
    heights = []
    for part in text.split(","):
        height = read_number(part.strip())
        if height is None or math.isnan(height):
            raise click.BadParameter(f"{part.strip()!r} is not a height; write for example 0.5")
        heights.append(height)
    return tuple(heights)


@click.command(
    epilog=options.examples(
        "hcbench tree UPGMA ./expr.csv -o tree.nwk",
        "hcbench tree 'UPGMA[metric=correlation]' ./expr.csv --k 4 --clusters clusters.csv",
        "hcbench tree 3 --algos Ward --datasets iris --repetition 1 -o iris.npy",
        "hcbench tree tree.nwk --dynamic --min-size 10 -o tree.nex",
        "hcbench tree UPGMA ./expr.csv --figure heatmap --scale row --k 4 -o heatmap.pdf",
        "hcbench tree UPGMA ./expr.csv --support 100 --branches branches.csv -o tree.nwk",
    )
)
@click.argument(
    "source", nargs=-1, metavar="[RUN|TREE|ALGORITHM DATA]", shell_complete=complete_source
)
@click.option(
    "-o",
    "--output",
    "outputs",
    type=OutputFile(*TREES, *FIGURES),
    multiple=True,
    help="Output file: Newick (.nwk), Nexus (.nex), scipy's linkage matrix (.npy, .csv, .tsv), "
    ".json, or a figure (.svg, .png, .pdf). Repeatable. By default Newick on stdout.",
)
@click.option(
    "--figure",
    type=click.Choice(["dendrogram", "heatmap", "tanglegram"]),
    help="What a figure shows: the tree alone, with its data, or facing that of --against; by "
    "default dendrogram, or tanglegram with --against.",
)
@click.option(
    "--against", metavar="TREE", help="Tanglegram: the file of another tree of the same items."
)
@click.option(
    "--scale",
    type=click.Choice(["none", "row", "column"]),
    default="none",
    help="Heat map: colours of rows, or columns, with mean 0 and standard deviation 1.",
)
@click.option(
    "--k",
    "counts",
    type=read_counts_of_clusters,
    metavar="N[,N...]",
    help="Cut into so many clusters; 2-6 are cuts into 2, 3, 4, 5 and 6.",
)
@click.option(
    "--height", "heights", type=read_heights, metavar="H[,H...]", help="Cut at these heights."
)
@click.option(
    "--dynamic",
    is_flag=True,
    help="Cut at different heights: the dynamic hybrid cut of Langfelder et al. (2008).",
)
@click.option(
    "--min-size",
    type=IntegerRange(min=1),
    default=5,
    show_default=True,
    metavar="N",
    help="--dynamic: the least number of items in a cluster.",
)
@click.option(
    "--deep-split",
    type=IntegerRange(min=0, max=4),
    default=1,
    show_default=True,
    metavar="N",
    help="--dynamic: from 0, few clusters, to 4, many.",
)
@click.option(
    "--assign-all",
    is_flag=True,
    help="--dynamic: items outside of all clusters join the nearest one.",
)
@click.option(
    "--clusters",
    type=OutputFile(*TABLES),
    metavar="FILE",
    help="Where the table of items and clusters is written: .csv, .tsv or .json; by default to "
    "stdout in the form of --format.",
)
@click.option(
    "--support",
    type=IntegerRange(min=2),
    metavar="N",
    help="Fit the algorithm to N resampled data sets, and count in how many each branch appears.",
)
@click.option(
    "--resample",
    type=click.Choice(["auto", "features", "items"]),
    default="auto",
    help="--support: draw the features with replacement, or 80 % of the items; auto draws features "
    "if there are 20 or more.",
)
@click.option(
    "--au",
    is_flag=True,
    help="--support: also the approximately unbiased probability, from N bootstraps at each of 10 "
    "scales.",
)
@click.option(
    "--branches",
    type=OutputFile(*TABLES),
    metavar="FILE",
    help="--support: where the table of branches is written: .csv, .tsv or .json.",
)
@click.option(
    "--limit",
    type=read_time,
    default="none",
    show_default=True,
    metavar="TIME",
    help="--support: seconds, or such as 90s or 10min, after which no further fit begins; "
    "what was left out is said.",
)
@click.option("--no-lengths", is_flag=True, help="Newick and Nexus without branch lengths.")
@options.with_options(*SOURCE_OPTIONS)
@options.STORE
@options.PLUGIN
@options.format_option("table", "csv", "json")
@options.QUIET
def tree(
    *,
    source: tuple[str, ...],
    outputs: Sequence[Path],
    figure: str | None,
    against: str | None,
    scale: Scaling,
    counts: tuple[int, ...] | None,
    heights: tuple[float, ...] | None,
    clusters: Path | None,
    support: int | None,
    resample: Resampled,
    au: bool,
    branches: Path | None,
    limit: float,
    no_lengths: bool,
    store: str | None,
    plugin: Sequence[Path],
    form: str,
    quiet: bool,
    **choices: Any,
) -> None:
    """Write the tree of a run, a fit or a file, and its clusters.

    ALGORITHM DATA fits an algorithm to a data set or file, as the first repetition of hcbench
    compare with the same --seed does. RUN is a number that hcbench results lists, the name of a
    run, or a suite; by default the last run. TREE is a file that hcbench score takes.

    Items have the names of the data. The branch lengths of Newick and Nexus are half of the
    differences of heights, as R's ape writes an hclust; a linkage matrix and JSON have the whole
    heights. A file beside a linkage matrix, NAME.names.txt, has the names of its items.
    """
    from hcbench.analysis.cluster_table import Cuts
    from hcbench.api.confidence import branch_rows, describe_support, measure_support

    # What `take_source` leaves of the options are those of a dynamic cut.
    tree_source = take_source(source, choices)
    cuts = Cuts(k=counts or (), heights=heights or (), **choices)
    suffixes = {path.suffix.lower() for path in outputs}
    has_figure = not suffixes.isdisjoint(FIGURES)
    _refuse_without_effect(support=support, dynamic=cuts.dynamic, has_figure=has_figure)
    registry = load_plugins(plugin, quiet=quiet)
    confidence = None
    with stdout_for_data():
        fitted = tree_source.read(store, registry, quiet=quiet)
        if support is not None:
            with count_steps("fits", quiet=quiet) as progress:
                confidence = measure_support(
                    fitted,
                    support,
                    resampled=resample,
                    unbiased=au,
                    seed=tree_source.seed,
                    limit=limit,
                    progress=progress,
                )
    # What is told on stderr when all is written.
    lines = [f"note: {note}" for note in fitted.notes]
    if confidence is not None:
        lines.append(describe_support(confidence))
    written = TreeWritten(fitted=fitted, confidence=confidence, lengths=not no_lengths)
    drawn = TreeDrawn(
        fitted=fitted, confidence=confidence, cuts=cuts, kind=figure, against=against, scale=scale
    )
    for path in outputs:
        if path.suffix.lower() in FIGURES:
            files = drawn.write(path)
        else:
            files = written.write(path)
        # A linkage matrix has a second file with the names of its items.
        file_names = ", ".join(map(str, files))
        lines.append(f"{fitted.title} is in {file_names}")
    if branches is not None and confidence is not None:
        write_rows(branch_rows(fitted.tree, confidence), branches)
        lines.append(f"the branches are in {branches}")
    # A figure shows the cuts; other files of trees do not.
    has_table = cuts.any and not has_figure
    # A partition has no tree to be written, so that its table of clusters is the result.
    if has_table or clusters is not None or not written.is_tree:
        lines += _write_clusters(fitted, cuts, clusters, form)
    elif not outputs and branches is None:
        written.show(form)
    if not quiet:
        for line in lines:
            tell(line)


def _refuse_without_effect(*, support: int | None, dynamic: bool, has_figure: bool) -> None:
    """Refuse options that need another one, which was not given."""
    if support is None:
        refuse_options(("resample", "au", "branches", "limit"), "needs --support N")
    if not dynamic:
        refuse_options(("min_size", "deep_split", "assign_all"), "needs --dynamic")
    if not has_figure:
        refuse_options(
            ("figure", "against", "scale"), "needs a figure, such as -o tree.svg (or .png, .pdf)"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeWritten:
    """A tree, and how it is written.

    Attributes
    ----------
    fitted : Fitted
    confidence : Confidence or None
        The support of its branches.
    lengths : bool
        Whether Newick and Nexus have branch lengths.
    """

    fitted: Fitted
    confidence: Confidence | None
    lengths: bool

    @property
    def is_tree(self) -> bool:
        """Whether the result is a tree, and no partition."""
        return self.fitted.is_tree

    def write(self, path: Path) -> list[Path]:
        """Write it in the format of the suffix, and return the files."""
        from hcbench.files import write_tree

        return write_tree(
            self.fitted.tree,
            path,
            lengths=self.lengths,
            inner_labels=self._inner_labels(),
            metadata=self._describe(),
        )

    def show(self, form: str) -> None:
        """Write it to stdout: as a table of branches if their support was measured."""
        from hcbench.api.confidence import branch_rows
        from hcbench.files.tree_output import tree_text

        tree = self.fitted.tree
        if self.confidence is not None and form != "json":
            show_rows(branch_rows(tree, self.confidence), form)
            return
        tree_format = "newick"
        if form == "json":
            tree_format = "json"
        text = tree_text(
            tree,
            tree_format,
            lengths=self.lengths,
            inner_labels=self._inner_labels(),
            metadata=self._describe(),
        )
        write_text(text)

    def _inner_labels(self) -> list[str] | None:
        """The support of each branch in per cent, as programs of phylogenetics show it."""
        from hcbench.api.confidence import support_labels

        if self.confidence is None:
            return None
        return support_labels(self.fitted.tree, self.confidence)

    def _describe(self) -> dict[str, Any]:
        from hcbench.api.confidence import branch_rows

        described = self.fitted.describe()
        if self.confidence is not None:
            described["branches"] = branch_rows(self.fitted.tree, self.confidence)
        return described


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeDrawn:
    """A tree, and how it is drawn.

    Attributes
    ----------
    fitted : Fitted
    confidence : Confidence or None
        The support of its branches, which a dendrogram shows.
    cuts : Cuts
        The first is a line; a heat map shows all as strips.
    kind : str or None
        ``dendrogram``, ``heatmap`` or ``tanglegram``.
    against : str or None
        The file of the other tree of a tanglegram.
    scale : {"none", "row", "column"}
        Of a heat map.
    """

    fitted: Fitted
    confidence: Confidence | None
    cuts: Cuts
    kind: str | None
    against: str | None
    scale: Scaling

    def write(self, path: Path) -> list[Path]:
        """Draw it in the format of the suffix, and return the file."""
        from hcbench.figures.drawing import save

        save(self._draw(), path)
        return [path]

    def _draw(self) -> Any:
        from hcbench.api.tree_figures import draw_facing, draw_fitted, draw_heat_map
        from hcbench.files.trees import TreeFile

        # A line or a colouring shows one cut: that of the first number.
        k = None
        if self.cuts.k:
            k = self.cuts.k[0]
        kind = self._kind_or_default()
        if kind != "heatmap":
            refuse_options(("scale",), "is of heat maps: add --figure heatmap")
        if kind != "tanglegram":
            refuse_options(("against",), "is of tanglegrams: omit --figure, or --against")
        if kind == "heatmap":
            return draw_heat_map(self.fitted, labels=self._labels(), k=k, scale=self.scale)
        if kind == "tanglegram":
            if self.against is None:
                raise click.UsageError("a tanglegram needs --against TREE, the other tree")
            file = TreeFile.parse(self.against)
            return draw_facing(self.fitted, file.read(), file.name, self._labels())
        height = None
        if self.cuts.heights:
            height = self.cuts.heights[0]
        support = None
        if self.confidence is not None:
            support = self.confidence.support.support
        return draw_fitted(self.fitted, k=k, height=height, support=support)

    def _kind_or_default(self) -> str:
        if self.kind is not None:
            return self.kind
        if self.against is not None:
            return "tanglegram"
        return "dendrogram"

    def _labels(self) -> dict[str, Any]:
        from hcbench.analysis.cluster_table import cut_tree

        return dict(cut_tree(self.fitted.tree, self.cuts, _distances_for(self.cuts, self.fitted)))


def _write_clusters(fitted: Fitted, cuts: Cuts, path: Path | None, form: str) -> list[str]:
    """Write the table of items and clusters to a file or to stdout; return what to tell."""
    from hcbench.analysis.cluster_table import cluster_rows, cut_tree, describe_cuts

    # Of a tree the items are in the order of its leaves, so that clusters are next to each other.
    leaf_order = None
    if fitted.is_tree:
        if not cuts.any:
            raise click.UsageError("--clusters needs a cut: give --k, --height or --dynamic")
        labels = cut_tree(fitted.tree, cuts, _distances_for(cuts, fitted))
        leaf_order = fitted.tree.leaf_order
    else:
        labels = {"cluster": fitted.result.labels + 1}  # type: ignore[union-attr]
    rows = cluster_rows(fitted.result.names, labels, leaf_order)
    lines = describe_cuts(labels)
    if path is not None:
        write_rows(rows, path)
        lines.append(f"the clusters are in {path}")
    elif form == "json":
        write_json(fitted.describe() | {"clusters": rows})
    else:
        show_rows(rows, form)
    return lines


def _distances_for(cuts: Cuts, fitted: Fitted) -> Any:
    """The distances of the items that a dynamic cut uses.

    None for other cuts, and where only the distances of the tree are known.
    """
    from hcbench.analysis.item_distances import distances_of_problem

    if not cuts.dynamic or fitted.problem is None:
        return None
    try:
        return distances_of_problem(fitted.problem, fitted.metric)
    except HcbenchError:
        # Some problems have no vectors and no similarities, only answers to queries.
        return None
