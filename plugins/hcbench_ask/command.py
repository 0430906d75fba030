"""The command ``hcbench ask``: build a hierarchy by asking people, on the terminal or a page."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from hcbench import commands

if TYPE_CHECKING:
    from hcbench import AlgorithmSpec, OracleSpec, Tree
    from hcbench.registry import Use
    from hcbench_ask.answers_file import AnswersFile, Header
    from hcbench_ask.session import SessionResult

_FILE = click.Path(path_type=Path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The arguments of ``ask``; None where an option was not given."""

    items: Path
    column: str | None
    algo: str | None
    oracle: str | None
    noise: float | None
    delta: float | None
    tree: str | None
    seed: int
    answers: Path | None
    output: Path | None
    undo: int
    open_pictures: bool
    web: bool
    annotators: int
    host: str
    port: int
    plugin: Sequence[Path]

    @property
    def folder(self) -> Path:
        """Folder to which the paths of pictures are relative."""
        if self.items.is_dir():
            return self.items
        return self.items.parent

    def answers_of(self, annotator: int) -> Path:
        """The file of an annotator's answers; the first one has no number."""
        name = self.items.stem
        if self.items.is_dir():
            name = self.items.name
        file = self.answers or self.items.with_name(f"{name}.answers.jsonl")
        if annotator == 1:
            return file
        # The number goes before ".answers.jsonl", or before the ending of another name.
        stem, separator, ending = file.name.partition(".answers.")
        if separator:
            return file.with_name(f"{stem}.{annotator}{separator}{ending}")
        return file.with_name(f"{file.stem}.{annotator}{file.suffix}")


def _complete_algorithms(
    ctx: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    from hcbench import HcbenchError, load_registry

    items = []
    with suppress(HcbenchError), redirect_stdout(sys.stderr):
        registry = load_registry(ctx.params.get("plugin") or ())
        for entry in registry.algorithms.entries:
            spec = entry.spec
            if spec.name.casefold().startswith(incomplete.casefold()):
                items.append(CompletionItem(spec.name, help=spec.doc))
    return items


@click.command(
    epilog="""\b
Examples:
  hcbench ask films.txt
  hcbench ask animals.csv --column picture --open -o animals
  hcbench ask birds/ --web --annotators 2
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
    cls=commands.TolerantOption,
    shell_complete=_complete_algorithms,
    metavar="NAME",
    help="The algorithm that asks: by default InsertionClustering, with --noise "
    "NoisyInsertion. The oracle that it accepts determines the kind of question.",
)
@click.option(
    "--oracle",
    cls=commands.TolerantOption,
    metavar="NAME",
    help="For a kind of question that a plugin defines: the oracle of this kind, where its "
    "parameters decide the question, such as odd-of-many[k=4].",
)
@click.option(
    "--noise",
    type=commands.NumberRange(0, 0.5, max_open=True),
    metavar="Q",
    help="Proportion of wrong answers: p = 1 - Q of the algorithm.",
)
@click.option(
    "--delta",
    type=commands.NumberRange(0, 1, min_open=True, max_open=True),
    metavar="DELTA",
    help="With --noise: probability that the tree is wrong.",
)
@click.option(
    "--tree",
    metavar="FILE",
    help="A tree of the items, for algorithms that cut one: Newick, Nexus, or merges as for "
    "hcbench score.",
)
@click.option(
    "--seed",
    type=commands.IntegerRange(min=0),
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
    type=commands.IntegerRange(min=0),
    default=0,
    metavar="N",
    help="Take back the last N answers first, and ask again.",
)
@click.option(
    "--open", "open_pictures", is_flag=True, help="Show the pictures in the system's viewer."
)
@click.option(
    "--web",
    is_flag=True,
    help="Ask on a local web page, with the pictures side by side; the link is printed.",
)
@click.option(
    "--annotators",
    type=commands.IntegerRange(1, 20),
    default=1,
    show_default=True,
    metavar="N",
    help="With --web: number of people, each with a link and answers of their own; those of the "
    "second are in ITEMS.2.answers.jsonl. Their agreement is reported.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="With --web: the address to listen on. Other machines can connect to 0.0.0.0, without "
    "encryption.",
)
@click.option(
    "--port",
    type=commands.IntegerRange(0, 65535),
    default=0,
    metavar="N",
    help="With --web: by default any free port.",
)
@commands.PLUGIN
def ask(**arguments: Any) -> None:
    """Build a hierarchy of ITEMS by asking you.

    ITEMS is a .csv or .tsv file, or a .txt file with one item per line: texts, or paths and URLs of
    pictures; or a folder of pictures. One key answers a question: 1, 2 or 3, u if you are unsure, d
    to defer it, z to take back the last answer, q to quit. Every answer is on the disk before the
    next question is shown, and the same command resumes the session; which questions were deferred
    is not stored. Without a terminal, keys are read from stdin, one per line.

    The tree goes to stdout, as a drawing and as Newick.
    """
    from hcbench import DataError
    from hcbench_ask.oracles import read_shape
    from hcbench_ask.session import check_needs, header_of, kind_of

    options = Options(**arguments)
    # All that can be refused is refused before the first question.
    if options.annotators > 1 and not options.web:
        raise click.UsageError(f"--annotators {options.annotators} needs --web")
    texts, head = _read_items(options)
    use, oracles = _choose_algorithm(options)
    tree = None
    if options.tree is not None:
        tree = read_shape(options.tree, texts)
    check_needs(use, tree)
    kind = kind_of(use, oracles)
    if len(texts) < kind.least:
        raise DataError(f"{options.items}: {len(texts)} items, but a question needs {kind.least}")
    if head:
        _print_message(f"{len(texts)} items; {head!r} is the header")
    _warn_of_missing_pictures(texts, options.folder)
    header = header_of(use, texts, options.seed, tree, kind)
    sessions, agreements = _ask_people(options, use, header, tree)
    # The files of the first annotator have no number.
    for number, session in enumerate(sessions, start=1):
        stem = options.output
        if stem is not None and number > 1:
            stem = stem.with_name(f"{stem.name}.{number}")
        _show(session, stem, is_noisy="p" in use.params)
    for line in agreements:
        _print_message(line)


def _ask_people(
    options: Options, use: Use[AlgorithmSpec], header: Header, tree: Tree | None
) -> tuple[list[SessionResult], list[str]]:
    """Ask each annotator; return their sessions, and lines about their agreement."""
    from hcbench_ask.answers_file import AnswersFile

    with ExitStack() as stack:
        files = []
        for number in range(1, options.annotators + 1):
            file = AnswersFile(options.answers_of(number), header)
            files.append(stack.enter_context(file))
        # Only the first annotator takes answers back here.
        for _ in range(options.undo):
            files[0].undo()
        with _how_to_resume(files, options):
            if options.web:
                return _run_web(options, use, files, tree)
            return [_run(options, use, files[0], tree)], []


def _read_items(options: Options) -> tuple[tuple[str, ...], str]:
    """The items, and the header of their column, if any."""
    from hcbench.files import read_items
    from hcbench_ask.pictures import pictures_in

    if options.items.is_dir():
        return pictures_in(options.items), ""
    items = read_items(options.items, options.column)
    return items.texts, items.header


def _choose_algorithm(options: Options) -> tuple[Use[AlgorithmSpec], Sequence[Use[OracleSpec]]]:
    """The algorithm that asks, with the parameters of the options, and oracles it may ask like."""
    from hcbench import load_registry
    from hcbench.registry import default_uses

    with redirect_stdout(sys.stderr):
        registry = load_registry(options.plugin)
    # Functions of --plugin files can be loaded as long as the command runs.
    click.get_current_context().with_resource(registry.plugins.importable())
    text = options.algo
    if not text:
        text = "InsertionClustering"
        if options.noise:
            text = "NoisyInsertion"
    params: dict[str, float] = {}
    # Without an algorithm, a noise of 0 is no noise; else it may be a parameter of the algorithm.
    if options.noise or (options.noise is not None and options.algo):
        # 1 - 0.1 is 0.9, as the name of the algorithm shows it.
        params["p"] = round(1 - options.noise, 12)
    if options.delta is not None:
        params["delta"] = options.delta
    spec = registry.algorithms.find(text.partition("[")[0]).spec
    parameters = {parameter.name for parameter in spec.parameters}
    for option, name in (("noise", "p"), ("delta", "delta")):
        if name in params and name not in parameters:
            raise click.UsageError(
                f"--{option} sets the parameter {name} of an algorithm, but {spec.name} has none: "
                "omit it, or use --algo NoisyInsertion with --noise"
            )
    uses = registry.use_algorithms(text, **params)
    if len(uses) > 1:
        raise click.UsageError(f"--algo {options.algo} gives several algorithms; name one")
    if options.oracle:
        return uses[0], registry.use_oracles(options.oracle)
    return uses[0], default_uses(registry.oracles)


def _warn_of_missing_pictures(items: Sequence[str], folder: Path) -> None:
    from os.path import isfile  # which is False for a path that is too long

    from hcbench_ask.pictures import picture_file

    missing = []
    for text in items:
        file = picture_file(text, folder)
        if file is not None and not isfile(file):
            missing.append(text)
    if missing:
        names = _first_names(missing)
        _print_message(f"warning: {len(missing)} of the pictures do not exist: {names}")


def _first_names(names: Sequence[str]) -> str:
    """The first three names, quoted."""
    return ", ".join(repr(name) for name in names[:3])


@contextmanager
def _how_to_resume(files: Sequence[AnswersFile], options: Options) -> Iterator[None]:
    """Say how to resume if the person leaves before the end."""
    from hcbench_ask.session import Leave

    try:
        yield
    except (KeyboardInterrupt, Leave):
        number = sum(len(file.recorded.answers) for file in files)
        stored = " and ".join(str(file.path) for file in files)
        again = "the same command"
        if options.undo:  # which would take back more answers
            again += ", without --undo,"
        raise click.Abort(
            f"stopped after {number} answer{'s' * (number != 1)}, stored in {stored}: {again} "
            "resumes"
        ) from None


def _run(
    options: Options, use: Use[AlgorithmSpec], file: AnswersFile, tree: Tree | None
) -> SessionResult:
    """Ask on the terminal."""
    from hcbench_ask.interview import Interview, Pages
    from hcbench_ask.session import Session
    from hcbench_ask.terminal import Terminal, is_interactive

    title = f"{options.items.name} · {use.label}"
    terminal = None
    with ExitStack() as stack:
        if is_interactive():
            terminal = stack.enter_context(Terminal())
        stack.enter_context(
            redirect_stdout(sys.stderr)
        )  # what a plugin prints; stdout has the tree
        pages = Pages(options.folder, title, terminal, open_pictures=options.open_pictures)
        return Session(use, file, Interview(pages.read), tree).run()


def _run_web(
    options: Options, use: Use[AlgorithmSpec], files: Sequence[AnswersFile], tree: Tree | None
) -> tuple[list[SessionResult], list[str]]:
    """Ask on web pages until every annotator has answered all queries.

    Returns
    -------
    sessions : list of SessionResult
    agreements : list of str
        A line for each two annotators.
    """
    from hcbench_ask.annotators import Annotator, agreement_lines
    from hcbench_ask.web import Server

    with redirect_stdout(sys.stderr):
        annotators = [Annotator(i, use, file, tree) for i, file in enumerate(files, start=1)]
        title = f"{options.items.name} · {use.label}"
        server = Server(annotators, options.folder, title, options.host, options.port)
        if outside := server.pictures.outside:
            _print_message(
                f"warning: {len(outside)} of the pictures are outside of {options.folder}, and the "
                f"page shows their names only: {_first_names(outside)}; copy them into it"
            )
        with server.running():
            for annotator in annotators:
                if annotator.query is None:  # all queries have recorded answers
                    continue
                name = ""
                if len(annotators) > 1:
                    name = f"annotator {annotator.number}: "
                _print_message(f"{name}open {server.link(annotator)}")
            if options.host not in ("127.0.0.1", "::1", "localhost"):
                _print_message("warning: what other machines send is not encrypted")
            _print_message("Ctrl-C stops; the same command resumes, with new links")
            # Pages are served by another thread.
            for annotator in annotators:
                annotator.wait()
    # The sessions of the others are over, too: their answers are stored.
    for annotator in annotators:
        if annotator.error is not None:
            raise annotator.error
    sessions = [annotator.result for annotator in annotators if annotator.result is not None]
    return sessions, agreement_lines(annotators)


def _show(session: SessionResult, stem: Path | None, *, is_noisy: bool) -> None:
    from hcbench import Tree
    from hcbench.model import printable
    from hcbench_ask.outline import outline
    from hcbench_ask.results import contradiction, describe_contradiction, report, save

    recorded = session.recorded
    # With noise, contradictions are expected.
    contradicting = []
    if not is_noisy:
        contradicting = contradiction(session)
    values = report(session, contradicting)
    click.echo("\n".join(outline(session.result, recorded.header.items)))
    if isinstance(session.result, Tree):
        # A terminal gets no control characters of names; a file gets the names as they are.
        newick = values["newick"]
        if sys.stdout.isatty():
            newick = printable(newick)
        click.echo(f"\n{newick}")
    counts = [f"{values[name]} {name}" for name in ("answers", "distinct", "unsure", "undone")]
    _print_message(f"{', '.join(counts)}; stored in {recorded.path}")
    for note in session.notes:
        _print_message(f"warning: {note}")
    if contradicting:
        _print_message(
            f"warning: no tree agrees with these answers: {describe_contradiction(contradicting)}; "
            "--undo N takes back the last N"
        )
    if values["disagreeing"]:
        _print_message(f"{values['disagreeing']} of the answers disagree with the result")
    if stem is not None:
        written = save(session.result, values, stem)
        _print_message(f"written: {', '.join(map(str, written))}")


def _print_message(text: str) -> None:
    """Write one line to stderr."""
    from hcbench_ask.outline import visible

    click.echo(f"hcbench: {visible(' '.join(text.split()))}", err=True)
