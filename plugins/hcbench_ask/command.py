"""The command ``hcbench ask``: build a hierarchy by asking the person at the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from hcbench import AlgorithmSpec, Tree, Use
    from hcbench_ask.answers_file import AnswersFile
    from hcbench_ask.session import SessionResult

_FILE = click.Path(path_type=Path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The arguments of ``ask``; None where an option was not given."""

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


def _complete_algorithms(
    ctx: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    from hcbench import HcbenchError, load_registry

    with suppress(HcbenchError), redirect_stdout(sys.stderr):
        specs = [e.spec for e in load_registry(ctx.params.get("plugin") or ()).algorithms.entries]
        return [
            CompletionItem(spec.name, help=spec.doc)
            for spec in specs
            if spec.name.casefold().startswith(incomplete.casefold())
        ]
    return []


@click.command(
    epilog="""\b
Examples:
  hcbench ask films.txt
  hcbench ask animals.csv --column picture --open -o animals
  hcbench ask films.txt --noise 0.1 --answers mine.jsonl
  hcbench ask films.txt --algo 'InsertionClustering[order=given]'"""
)
@click.argument("items", type=_FILE)
@click.option(
    "--column",
    metavar="NAME",
    help="The column of the items: its header, or its number from 1.",
)
@click.option(
    "--algo",
    shell_complete=_complete_algorithms,
    metavar="NAME",
    help="The algorithm that asks: by default InsertionClustering, with --noise "
    "NoisyInsertion. The oracle that it accepts determines the kind of question.",
)
@click.option(
    "--noise",
    type=click.FloatRange(0, 0.5, max_open=True),
    metavar="Q",
    help="Proportion of wrong answers: p = 1 - Q of the algorithm.",
)
@click.option(
    "--delta",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="DELTA",
    help="With --noise: probability that the tree is wrong.",
)
@click.option(
    "--tree",
    type=_FILE,
    metavar="FILE",
    help="A tree of the items, for algorithms that cut one: Newick, or merges as for hcbench "
    "score.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="Seed of the order of the questions.",
)
@click.option(
    "--answers",
    type=_FILE,
    metavar="FILE",
    help="File to which each answer is written at once; by default ITEMS.answers.jsonl in the "
    "folder of ITEMS, without the suffix of ITEMS.",
)
@click.option(
    "-o",
    "--output",
    type=_FILE,
    metavar="STEM",
    help="Also write the result to STEM.json, STEM.nwk and STEM.svg.",
)
@click.option(
    "--undo",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Take back the last N answers first, and ask again.",
)
@click.option(
    "--open", "open_pictures", is_flag=True, help="Show the pictures in the system's viewer."
)
@click.option(
    "--plugin",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    multiple=True,
    metavar="FILE",
    help="A Python file with plugin hooks, for this command only. Repeatable.",
)
def ask(**given: Any) -> None:
    """Build a hierarchy of ITEMS by asking you.

    ITEMS is a .csv or .tsv file, or a .txt file with one item per line: texts, or paths and URLs of
    pictures. One key answers a question: 1, 2 or 3, u if you are unsure, z to take back the last
    answer, q to quit. Every answer is on the disk before the next question is shown, and the same
    command resumes the session. Without a terminal, keys are read from stdin, one per line.

    The tree goes to stdout, as a drawing and as Newick.
    """
    from hcbench import DataError, read_items
    from hcbench_ask.answers_file import AnswersFile
    from hcbench_ask.oracles import read_shape
    from hcbench_ask.session import check_needs, header_of, kind_of

    options = Options(**given)
    items = read_items(options.items, options.column)
    use = _choose_algorithm(options)
    tree = None if options.tree is None else read_shape(options.tree, items.texts)
    check_needs(use, tree)
    least = kind_of(use).least
    if len(items.texts) < least:
        raise DataError(f"{options.items}: {len(items.texts)} items, but a question needs {least}")
    if items.header:
        _print_message(f"{len(items.texts)} items; {items.header!r} is the header")
    _warn_of_missing_pictures(items.texts, options.items.parent)
    answers = options.answers or options.items.with_suffix(".answers.jsonl")
    header = header_of(use, items.texts, options.seed, tree)
    with AnswersFile(answers, header) as file, _how_to_resume(file, options):
        session = _run(options, use, file, tree)
    _show(session, options, is_noisy="p" in use.params)


def _choose_algorithm(options: Options) -> Use[AlgorithmSpec]:
    """The algorithm that asks, with the parameters of the options."""
    from hcbench import load_registry

    with redirect_stdout(sys.stderr):
        registry = load_registry(options.plugin)
    text = options.algo or ("NoisyInsertion" if options.noise else "InsertionClustering")
    params: dict[str, float] = {}
    if options.noise or (options.noise is not None and options.algo):
        params["p"] = round(1 - options.noise, 12)
    if options.delta is not None:
        params["delta"] = options.delta
    spec = registry.algorithms.find(text.partition("[")[0]).spec
    for option, name in (("noise", "p"), ("delta", "delta")):
        if name in params and name not in {parameter.name for parameter in spec.parameters}:
            raise click.UsageError(
                f"--{option} sets the parameter {name} of an algorithm, but {spec.name} has none: "
                "omit it, or use --algo NoisyInsertion with --noise"
            )
    uses = registry.use_algorithms(text, **params)
    if len(uses) > 1:
        raise click.UsageError(f"--algo {options.algo} gives several algorithms; name one")
    return uses[0]


def _warn_of_missing_pictures(items: Sequence[str], folder: Path) -> None:
    from os.path import isfile  # which is False for a path that is too long

    from hcbench_ask.pictures import picture_file

    files = {text: picture_file(text, folder) for text in items}
    missing = [text for text, file in files.items() if file is not None and not isfile(file)]
    if missing:
        shown = ", ".join(map(repr, missing[:3]))
        _print_message(f"warning: {len(missing)} of the pictures do not exist: {shown}")


@contextmanager
def _how_to_resume(file: AnswersFile, options: Options) -> Iterator[None]:
    """Say how to resume if the person leaves before the end."""
    from hcbench_ask.session import Leave

    try:
        yield
    except (KeyboardInterrupt, Leave):
        number = len(file.recorded.answers)
        again = "the same command" + (", without --undo," if options.undo else "")
        raise click.Abort(
            f"stopped after {number} answer{'s' * (number != 1)}, stored in {file.path}: {again} "
            "resumes"
        ) from None


def _run(
    options: Options, use: Use[AlgorithmSpec], file: AnswersFile, tree: Tree | None
) -> SessionResult:
    from hcbench_ask.interview import Interview
    from hcbench_ask.session import Session
    from hcbench_ask.terminal import Terminal, is_interactive

    title = f"{options.items.name} · {use.label}"
    with (
        Terminal() if is_interactive() else nullcontext() as terminal,
        redirect_stdout(sys.stderr),  # what a plugin prints; stdout is for the tree
    ):
        person = Interview(
            options.items.parent, title, terminal, open_pictures=options.open_pictures
        )
        session = Session(use, file, person, tree)
        for _ in range(options.undo):
            file.undo()
        return session.run()


def _show(session: SessionResult, options: Options, *, is_noisy: bool) -> None:
    from hcbench import Tree
    from hcbench_ask.outline import outline
    from hcbench_ask.results import contradiction, describe_contradiction, report, save

    recorded = session.recorded
    contradicting = [] if is_noisy else contradiction(session)
    said = report(session, contradicting)
    click.echo("\n".join(outline(session.result, recorded.header.items)))
    if isinstance(session.result, Tree):
        click.echo(f"\n{said['newick']}")
    counts = [f"{said[name]} {name}" for name in ("answers", "distinct", "unsure", "undone")]
    _print_message(f"{', '.join(counts)}; stored in {recorded.path}")
    for note in session.notes:
        _print_message(f"warning: {note}")
    if contradicting:
        _print_message(
            f"warning: no tree agrees with these answers: {describe_contradiction(contradicting)}; "
            "--undo N takes back the last N"
        )
    if said["disagreeing"]:
        _print_message(f"{said['disagreeing']} of the answers disagree with the result")
    if options.output is not None:
        written = save(session.result, said, options.output)
        _print_message(f"written: {', '.join(map(str, written))}")


def _print_message(text: str) -> None:
    """Write one line to stderr."""
    from hcbench_ask.outline import visible

    click.echo(f"hcbench: {visible(' '.join(text.split()))}", err=True)
