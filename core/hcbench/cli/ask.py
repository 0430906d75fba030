"""``ask``: a hierarchy by asking whoever sits at the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hcbench.cli.loading import load_plugins
from hcbench.cli.options import PLUGIN, examples
from hcbench.cli.param_types import OneName
from hcbench.cli.terminal import stdout_for_data, tell

if TYPE_CHECKING:
    from hcbench.asking.answers_file import AnswersFile
    from hcbench.asking.items import Items
    from hcbench.asking.recorded import Heading
    from hcbench.asking.session import Finding, Session
    from hcbench.model.trees import Tree
    from hcbench.registry import Registry, Use
    from hcbench.registry.specs import AlgorithmSpec

_FILE = click.Path(path_type=Path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What ``ask`` was told; None where nothing was said."""

    items: Path
    column: str | None
    algo: str | None
    noise: float | None
    delta: float | None
    tree: Path | None
    seed: int
    answers: Path | None
    output: Path | None
    undo: int
    open_pictures: bool
    plugin: Sequence[Path]

    @property
    def answers_file(self) -> Path:
        """Where answers are kept."""
        return self.answers or self.items.with_suffix(".answers.jsonl")


@click.command(
    epilog=examples(
        "hcbench ask films.txt",
        "hcbench ask animals.csv --column picture --open -o animals",
        "hcbench ask films.txt --noise 0.1 --answers mine.jsonl",
        "hcbench ask films.txt --algo 'InsertionClustering[order=given]'",
    )
)
@click.argument("items", type=_FILE)
@click.option(
    "--column",
    metavar="NAME",
    help="The column that has the items: its header, or its number from 1.",
)
@click.option(
    "--algo",
    type=OneName("algorithms"),
    metavar="NAME",
    help="The algorithm that asks: by default InsertionClustering, with --noise "
    "NoisyInsertion. What it accepts decides the kind of question.",
)
@click.option(
    "--noise",
    type=click.FloatRange(0, 0.5, max_open=True),
    metavar="Q",
    help="How often an answer is wrong, as a proportion: p = 1 - Q of the algorithm.",
)
@click.option(
    "--delta",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="DELTA",
    help="With --noise: how often the tree may be wrong.",
)
@click.option(
    "--tree",
    type=_FILE,
    metavar="FILE",
    help="A tree of the items, for who cuts one: Newick, or merges as for hcbench score.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="Of the order of the questions.",
)
@click.option(
    "--answers",
    type=_FILE,
    metavar="FILE",
    help="Where each answer is kept at once; by default beside ITEMS, as ITEMS.answers.jsonl "
    "without its own ending.",
)
@click.option(
    "-o",
    "--output",
    type=_FILE,
    metavar="STEM",
    help="Write the result to STEM.json, STEM.nwk and STEM.svg too.",
)
@click.option(
    "--undo",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Take the last N answers back first, and ask again.",
)
@click.option(
    "--open", "open_pictures", is_flag=True, help="Let the system's viewer show the pictures."
)
@PLUGIN
def ask(**given: object) -> None:
    """Build a hierarchy of ITEMS by asking you.

    ITEMS is a .csv or .tsv file, or a .txt file with an item a line: texts, or paths and URLs of
    pictures. One key answers a question: 1, 2 or 3, u if you are unsure, z to take the last answer
    back, q to leave. Every answer is on the disk before the next question is put, and the same
    command goes on where you left. Without a terminal, keys are read from stdin, one a line.

    The tree goes to stdout, as a drawing and as Newick.
    """
    _ask(Request(**given))  # type: ignore[arg-type]


def _ask(request: Request) -> None:
    from hcbench.asking.answers_file import AnswersFile
    from hcbench.asking.items import read_items
    from hcbench.asking.session import check_needs, heading_of
    from hcbench.registry.fingerprint import installed_version

    items = read_items(request.items, request.column)
    use = choose_algorithm(load_plugins(request.plugin), request)
    tree = None if request.tree is None else _read_tree(request.tree, items)
    check_needs(use, tree)
    heading = heading_of(use, items.texts, request.seed, tree)
    _check_number(heading, items)
    if items.header:
        tell(f"{len(items.texts)} items; {items.header!r} is the header")
    if items.missing:
        shown = ", ".join(map(repr, items.missing[:3]))
        tell(f"warning: {len(items.missing)} of the pictures are not there: {shown}")
    version = installed_version("hcbench")
    with AnswersFile(request.answers_file, heading, version) as file:
        finding = _hold(request, use, items, file, tree)
    _show(finding, heading, request, is_noisy="p" in use.params)


def choose_algorithm(registry: Registry, request: Request) -> Use[AlgorithmSpec]:
    """The algorithm that asks, with the parameters that options stand for."""
    from hcbench.registry.names import format_name, parse_name

    default = "NoisyInsertion" if request.noise else "InsertionClustering"
    name = parse_name(request.algo or default)
    params = dict(name.params)
    known = {p.name for p in registry.algorithms.find(name.base).spec.parameters}
    right = None if request.noise is None else round(1 - request.noise, 12)
    if right == 1 and request.algo is None:
        right = None
    for option, parameter, value in (("noise", "p", right), ("delta", "delta", request.delta)):
        if value is None:
            continue
        if parameter not in known:
            raise click.UsageError(
                f"--{option} is the parameter {parameter} of an algorithm, and {name.base} has "
                f"none: leave it out, or take --algo NoisyInsertion with --noise"
            )
        if parameter in params:
            raise click.UsageError(f"--{option} and {parameter} of --algo: leave one out")
        params[parameter] = value
    uses = registry.use_algorithms(format_name(name.base, params))
    if len(uses) > 1:
        raise click.UsageError(f"--algo {request.algo} is several algorithms; one asks")
    return uses[0]


def _read_tree(path: Path, items: Items) -> Tree:
    """The tree that is to be cut: its shape matters, so that lengths need not be heights."""
    import warnings

    from hcbench.model.trees.files import read_tree
    from hcbench.model.trees.newick import NewickWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NewickWarning)
        return read_tree(path, items.texts)


def _check_number(heading: Heading, items: Items) -> None:
    from hcbench.asking.questions import KINDS
    from hcbench.errors import DataError

    least = KINDS[heading.kind].least
    if len(items.texts) < least:
        raise DataError(
            f"{items.path}: there are {len(items.texts)} items, and questions are about {least}"
        )


def _hold(
    request: Request,
    use: Use[AlgorithmSpec],
    items: Items,
    file: AnswersFile,
    tree: Tree | None,
) -> Finding:
    """Ask until the end; or until the person leaves, which is told."""
    from contextlib import nullcontext

    from hcbench.asking.session import Leave, Session
    from hcbench.cli.interview import Interview
    from hcbench.cli.keys import Terminal, is_interactive

    session: Session | None = None
    try:
        with Terminal() if is_interactive() else nullcontext() as terminal:
            if terminal is not None:
                terminal.write("One moment ...")
            title = f"{items.path.name} · {use.label}"
            person = Interview(items, title, terminal, open_pictures=request.open_pictures)
            session = Session(use, items.texts, file, person, tree)
            for _ in range(request.undo):
                session.undo()
            with stdout_for_data():
                return session.run()
    except (KeyboardInterrupt, Leave):
        answered = 0 if session is None else session.answered
        answers = f"{answered} answer{'s' * (answered != 1)}"
        again = "the same command" + (", without --undo," if request.undo else "")
        raise click.Abort(
            f"stopped after {answers}, kept in {file.path}: {again} goes on"
        ) from None


def _show(finding: Finding, heading: Heading, request: Request, *, is_noisy: bool) -> None:
    from hcbench.asking.findings import agreement, describe_contradiction, report, save
    from hcbench.cli.outline import outline
    from hcbench.model.trees import Tree

    agreed = agreement(finding, heading, look_for_contradictions=not is_noisy)
    click.echo("\n".join(outline(finding.result, heading.items)))
    if isinstance(finding.result, Tree):
        click.echo(f"\n{finding.result.to_newick(lengths=False)}")
    counts = report(finding, heading, agreed)
    told = [f"{counts[name]} {name}" for name in ("answers", "distinct", "unsure", "undone")]
    tell(f"{', '.join(told)}; kept in {request.answers_file}")
    for note in finding.notes:
        tell(f"warning: {note}")
    if agreed.contradiction:
        tell(
            f"warning: no tree agrees with these answers: "
            f"{describe_contradiction(agreed.contradiction)}; --undo N takes the last N back"
        )
    if agreed.disagreeing:
        tell(f"{agreed.disagreeing} of the answers disagree with the result")
    if request.output is not None:
        written = save(finding, heading, agreed, request.output)
        tell(f"written: {', '.join(map(str, written))}")
