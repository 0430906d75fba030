"""``tree``: the tree of a stored cell, of a new fit or of a file, and its clusters, as files."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hcbench.cli import options
from hcbench.cli.draw import write_text
from hcbench.cli.terminal import stdout_for_data, tell, write_json, write_table
from hcbench.errors import HcbenchError
from hcbench.model.numbers import read_number, read_whole_number

if TYPE_CHECKING:
    from hcbench.api.trees import Fitted
    from hcbench.registry import Registry

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
TABLES = (".csv", ".tsv", ".json")
_FILTERS = ("algorithms", "datasets", "oracles", "budget")


def read_counts_of_clusters(text: str) -> tuple[int, ...]:
    """Numbers of clusters, separated by commas; 2-5 is 2, 3, 4 and 5."""
    counts: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        low = read_whole_number(first)
        high = read_whole_number(last) if dash else low
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where the tree comes from.

    Attributes
    ----------
    words : tuple of str
        The arguments: none, RUN, TREE or ALGORITHM DATA.
    filters : dict
        Of a stored run.
    repetition, checkpoint, seed, timeout
        Options.
    """

    words: tuple[str, ...]
    filters: dict[str, Any]
    repetition: int
    checkpoint: int | None
    seed: int
    timeout: float

    @property
    def is_fit(self) -> bool:
        """Whether an algorithm is fitted to data."""
        return len(self.words) == 2

    @property
    def is_file(self) -> bool:
        """Whether the tree is read from a file."""
        from hcbench.files.trees import SUFFIXES
        from hcbench.registry.names import parse_file

        if len(self.words) != 1:
            return False
        return Path(parse_file(self.words[0]).base).suffix.lower() in SUFFIXES

    def read(self, store: str | None, registry: Registry) -> Fitted:
        """Fit, read or find the tree."""
        if self.is_fit:
            return self._fit(registry)
        if self.is_file:
            return self._read_file()
        return self._stored(store, registry)

    def _fit(self, registry: Registry) -> Fitted:
        from hcbench.api.trees import fit_data

        for name in ("algorithms", "datasets"):
            if self.filters[name]:
                raise click.UsageError(
                    f"--{name} is of a stored run; here the algorithm and the data are "
                    f"{' and '.join(self.words)}"
                )
        algorithm, dataset = self.words
        oracles = self.filters["oracles"]
        budgets = self.filters["budget"]
        return fit_data(
            registry,
            algorithm,
            dataset,
            oracle=oracles[0] if oracles else "",
            seed=self.seed,
            budget=budgets[0] if budgets else None,
            timeout=self.timeout,
        )

    def _read_file(self) -> Fitted:
        from hcbench.api.trees import Fitted
        from hcbench.files.trees import TreeFile

        file = TreeFile.parse(self.words[0])
        return Fitted(result=file.read(), title=file.name)

    def _stored(self, store: str | None, registry: Registry) -> Fitted:
        from hcbench.api.trees import tree_of_cell
        from hcbench.cli.runs import read_run

        run = self.words[0] if self.words else None
        with options.open_store(store) as opened:
            info = opened.run(run)
            results = read_run(opened, info, **self.filters)
            return tree_of_cell(
                results,
                opened,
                registry,
                repetition=self.repetition,
                checkpoint=self.checkpoint,
                timeout=self.timeout,
            )


@click.command(
    epilog=options.examples(
        "hcbench tree UPGMA ./expr.csv -o tree.nwk",
        "hcbench tree 'UPGMA[metric=correlation]' ./expr.csv --k 4 --clusters clusters.csv",
        "hcbench tree 3 --algos Ward --datasets iris --repetition 1 -o iris.npy",
        "hcbench tree tree.nwk --dynamic --min-size 10 -o tree.nex",
    )
)
@click.argument("source", nargs=-1, metavar="[RUN|TREE|ALGORITHM DATA]")
@click.option(
    "-o",
    "--output",
    "outputs",
    type=options.OutputFile(*TREES),
    multiple=True,
    help="Output file: Newick (.nwk), Nexus (.nex), scipy's linkage matrix (.npy, .csv, .tsv) or "
    ".json. Repeatable. By default Newick on stdout.",
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
    type=options.IntegerRange(min=1),
    default=5,
    show_default=True,
    metavar="N",
    help="--dynamic: the least number of items in a cluster.",
)
@click.option(
    "--deep-split",
    type=options.IntegerRange(min=0, max=4),
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
    type=options.OutputFile(*TABLES),
    metavar="FILE",
    help="Where the table of items and clusters is written: .csv, .tsv or .json; by default to "
    "stdout in the form of --format.",
)
@click.option("--no-lengths", is_flag=True, help="Newick and Nexus without branch lengths.")
@options.with_options(*options.CELL_FILTERS)
@click.option(
    "--repetition",
    cls=options.TolerantOption,
    type=options.IntegerRange(min=0),
    default=0,
    metavar="N",
    help="Of a stored run: the repetition.",
)
@click.option(
    "--checkpoint",
    cls=options.TolerantOption,
    type=options.IntegerRange(min=0),
    metavar="N",
    help="Of a stored run: the result after this many queries; by default the final one.",
)
@click.option(
    "--seed",
    type=options.IntegerRange(min=0),
    default=0,
    metavar="N",
    help="Of a new fit: the base of all seeds, as of hcbench compare.",
)
@click.option(
    "--timeout",
    type=options.read_time,
    default="300s",
    metavar="TIME",
    help="Wall time for the call of the algorithm: seconds, or such as 90s, 10min, 1h; or none.",
)
@options.STORE
@options.PLUGIN
@options.format_option("table", "csv", "json")
@options.QUIET
def tree(
    *,
    source: tuple[str, ...],
    outputs: Sequence[Path],
    counts: tuple[int, ...] | None,
    heights: tuple[float, ...] | None,
    clusters: Path | None,
    no_lengths: bool,
    store: str | None,
    plugin: Sequence[Path],
    form: str,
    quiet: bool,
    **choices: Any,
) -> None:
    """Write the tree of a run, of a new fit or of a file, and the clusters of its cuts.

    ALGORITHM DATA fits an algorithm to a data set or file, as the first repetition of hcbench
    compare with the same --seed does. RUN is a number that hcbench results lists, the name of a
    run, or a suite; by default the last run. TREE is a file that hcbench score takes.

    Items have the names of the data. The branch lengths of Newick and Nexus are half of the
    differences of heights, as R's ape writes an hclust; a linkage matrix and JSON have the whole
    heights. A file beside a linkage matrix, NAME.names.txt, has the names of its items.
    """
    from hcbench.analysis.cluster_table import Cuts

    if len(source) > 2:
        raise click.UsageError("give RUN, TREE, or ALGORITHM DATA; put names with blanks in quotes")
    filters = {name: choices.pop(name) for name in _FILTERS}
    places = {name: choices.pop(name) for name in ("repetition", "checkpoint", "seed", "timeout")}
    cuts = Cuts(k=counts or (), heights=heights or (), **choices)
    registry = options.load_plugins(plugin, quiet=quiet)
    with stdout_for_data():
        fitted = Source(words=source, filters=filters, **places).read(store, registry)
    if not quiet:
        for note in fitted.notes:
            tell(f"note: {note}")
    _write_trees(fitted, outputs, lengths=not no_lengths, quiet=quiet)
    if cuts.any or clusters is not None or not _has_tree(fitted):
        _write_clusters(fitted, cuts, clusters, form, quiet=quiet)
    elif not outputs:
        from hcbench.files.tree_output import tree_text

        text_form = "json" if form == "json" else "newick"
        about = _describe(fitted)
        write_text(tree_text(fitted.tree, text_form, lengths=not no_lengths, about=about))


def _has_tree(fitted: Fitted) -> bool:
    from hcbench.model.trees import Tree

    return isinstance(fitted.result, Tree)


def _describe(fitted: Fitted) -> dict[str, Any]:
    """What a tree is of, for JSON."""
    return {
        "title": fitted.title,
        "algorithm": fitted.algorithm,
        "dataset": fitted.dataset,
        "oracle": fitted.oracle,
        "notes": list(fitted.notes),
    }


def _write_trees(fitted: Fitted, outputs: Sequence[Path], *, lengths: bool, quiet: bool) -> None:
    """Write the tree to files."""
    from hcbench.files import write_tree

    for path in outputs:
        files = write_tree(fitted.tree, path, lengths=lengths, about=_describe(fitted))
        if not quiet:
            tell(f"{fitted.title} is in {', '.join(map(str, files))}")


def _write_clusters(
    fitted: Fitted, cuts: Any, path: Path | None, form: str, *, quiet: bool
) -> None:
    """Write the table of items and clusters to a file or to stdout."""
    from hcbench.analysis.cluster_table import cluster_rows, cut_tree, describe_cuts

    leaf_order = None
    if _has_tree(fitted):
        if not cuts.any:
            raise click.UsageError("--clusters needs a cut: give --k, --height or --dynamic")
        labels = cut_tree(fitted.tree, cuts, _distances_of(fitted) if cuts.dynamic else None)
        leaf_order = fitted.tree.leaf_order
    else:
        labels = {"cluster": fitted.result.labels + 1}  # type: ignore[union-attr]
    rows = cluster_rows(fitted.result.names, labels, leaf_order)
    if not quiet:
        for line in describe_cuts(labels):
            tell(line)
    if path is not None:
        write_rows(rows, path)
        if not quiet:
            tell(f"the clusters are in {path}")
    elif form == "json":
        write_json({**_describe(fitted), "clusters": rows})
    elif form == "csv":
        from hcbench.results.results import to_csv

        write_text(to_csv(rows))
    else:
        header = list(rows[0])
        cells = [[str(value) for value in row.values()] for row in rows]
        write_table(header, cells, right=header[1:])


def write_rows(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Write rows in the format of the suffix of a file: .csv, .tsv or .json.

    Raises
    ------
    HcbenchError
        If the file cannot be written.
    """
    from hcbench.results.results import to_csv, write_text as write_file

    if path.suffix.lower() == ".json":
        text = json.dumps(list(rows), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    else:
        text = to_csv(rows, "\t" if path.suffix.lower() == ".tsv" else ",")
    write_file(text, path)


def _distances_of(fitted: Fitted) -> Any:
    """The distances of the items for a dynamic cut; None if only those of the tree are known."""
    from hcbench.analysis.item_distances import distances_of_problem

    if fitted.problem is None:
        return None
    try:
        return distances_of_problem(fitted.problem, fitted.metric)
    except HcbenchError:
        return None
