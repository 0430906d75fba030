"""``compare`` and ``run``: plan, run what is missing, show what came out.

A cell gets from here to its rows in the store as follows:

1. `hcbench.plan.plan.make_plan` makes the cells (`hcbench.plan.cell.Cell`).
2. `hcbench.run.run.run_plan` selects those that are not stored.
3. `hcbench.run.tasks.make_job` makes what a worker needs, a `hcbench.run.job.Job`, which
   `hcbench.run.schedule.Schedule` gives to a worker.
4. `hcbench.run.cell.run_job` makes the data and the oracle, calls the algorithm, computes the
   metrics, and returns an `hcbench.plan.outcome.Outcome`.
5. `hcbench.run.record.RunRecord.save` completes it with what only the main process knows, and
   `hcbench.store.store.Store.save` writes its rows (`hcbench.store.rows`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hcbench.cli import options
from hcbench.cli.endings import tell_end
from hcbench.cli.loading import load_plugins, notes_on_kernels, open_store
from hcbench.cli.option_types import OneName
from hcbench.cli.terminal import stdout_for_data, tell
from hcbench.errors import DataError, ExitCode, HcbenchError, ParameterError, SuiteError

if TYPE_CHECKING:
    from hcbench.figures.suites import Drawn
    from hcbench.plan.plan import Plan
    from hcbench.registry import Registry
    from hcbench.registry.suite import Suite
    from hcbench.results.results import Results
    from hcbench.run.options import RunOptions
    from hcbench.store import Store


@click.command(
    epilog=options.examples(
        "hcbench compare --algos 4-AL,UPGMA,HDBSCAN",
        "hcbench compare --algos \"UPGMA[metric=['cosine','euclidean']]\" --datasets ./mydata.csv",
        'hcbench compare --algos 4-AL --oracles "quadruplet-set[p=[0.01,0.1],noise=0.1]" -r 10',
        'hcbench compare --datasets "planted[N0=20],iris" --metrics AARI,queries --format csv',
        "hcbench compare --algos UPGMA,Random --dry-run",
    ),
)
@options.with_options(*options.SUITE_OPTIONS, options.REPLAY, *options.RUN_OPTIONS)
@click.pass_context
def compare(context: click.Context, /, **settings: Any) -> None:
    """Compare algorithms on data sets.

    Every algorithm runs on every data set, with new data in each repetition. Stored results are
    not computed again: the same command resumes an interrupted run. Options that are not given
    take the defaults of the suite compare (see hcbench info compare), or of compare-cuts if all
    algorithms cut a given tree.

    Names are written NAME[param=value]; a list of values is a grid. Quote them, since shells
    expand brackets.
    """
    from hcbench.registry import default_suite
    from hcbench.registry.suite import Suite

    # Which suite has the defaults depends on the plugins, which are not loaded yet.
    def defaults(registry: Registry) -> Suite:
        suite = default_suite(registry, settings["algorithms"]) or Suite(name="compare")
        if settings["algorithms"] or settings["datasets"]:
            # The suite's description is about its own algorithms and data sets.
            suite = replace(suite, doc="")
        return suite

    carry_out(context, defaults, **settings)


@click.command(
    epilog=options.examples(
        "hcbench run ./mysuite.toml",
        "hcbench run ./mysuite.toml --repetitions 20 --format json",
        "hcbench run ./mysuite.toml --figures ./figures --figure-format pdf",
    )
)
@click.argument("suite", type=OneName("suites"))
@options.with_options(*options.SUITE_OPTIONS, *options.RUN_OPTIONS, *options.FIGURE_OPTIONS)
@click.pass_context
def run(context: click.Context, /, suite: str, **settings: Any) -> None:
    """Run a suite: a TOML file, or one that a plugin registers.

    Options override the suite. A suite with claims, such as the table of a paper, ends with a
    verdict on each. --figures draws its figures.
    """
    carry_out(context, lambda registry: suite_named(suite, registry), **settings)


def suite_named(text: str, registry: Registry) -> Suite:
    """The suite of a file or of a registered name.

    Examples
    --------
    >>> from hcbench.commands import load_plugins
    >>> registry = load_plugins(quiet=True)
    >>> suite_named("compare", registry).name
    'compare'
    >>> from pathlib import Path
    >>> written = Path("tiny.toml").write_text("algorithms = ['Single']")
    >>> suite_named("tiny.toml", registry).algorithms
    ('Single',)
    """
    from hcbench.registry import find_suite
    from hcbench.registry.suite_files import read_suite

    # No suite has a slash in its name. Of other words, a file that exists comes before a suite.
    path = Path(text).expanduser()
    is_file = path.suffix == ".toml" or "/" in text or path.is_file()
    if is_file:
        return read_suite(path)
    try:
        return find_suite(registry, text)
    except SuiteError as error:
        # The user has left out the suffix, as if it were a registered name.
        if Path(f"{text}.toml").is_file():
            raise SuiteError(f"no suite is called {text!r}; write ./{text}.toml") from error
        raise


def carry_out(
    context: click.Context,
    base: Callable[[Registry], Suite],
    *,
    plugin: Sequence[Path],
    store: str | None,
    shard: tuple[int, int] | None,
    dry_run: bool,
    form: str,
    quiet: bool,
    replay: Sequence[Path] = (),
    figures: Path | None = None,
    figure_format: Any = "svg",
    **entries: Any,
) -> None:
    """Plan, run and show a suite; ``entries`` are those of the suite to change, and `RUNNING`."""
    from hcbench.cli.draw import write_results
    from hcbench.cli.dry_run import show_plan
    from hcbench.run.options import RunOptions

    run_settings = {}
    for name in RUNNING:
        run_settings[name] = entries.pop(name)
    # The command is stored with the run, so that others see how it was made.
    run_options = RunOptions(command=context.obj, **run_settings)
    registry = load_plugins(plugin, quiet=quiet)
    with stdout_for_data():
        suite = _with_entries(base(registry), entries, replay, registry)
        plan = _make_plan(suite, registry, shard, has_budgets=bool(entries["budgets"]))
    drawn: list[Drawn] = []
    with open_store(store) as opened_store:
        if dry_run:
            show_plan(plan, opened_store, form, fresh=run_options.fresh, jobs=run_options.jobs)
            return
        # A mistake in the options of figures must not show only after hours of running.
        if figures is not None:
            _check_figures(suite, figures)
        with stdout_for_data():
            results = _run(plan, registry, opened_store, run_options, quiet=quiet)
            if figures is not None:
                from hcbench.figures.suites import draw_figures

                drawn = draw_figures(
                    results, figures, format=figure_format, store=opened_store, plugins=plugin
                )

    write_results(results, form)
    if not quiet:
        for warning in registry.plugins.warnings:
            tell(f"warning: {warning}")
        tell_end(results, opened_store, plugin, plan)
    _tell_figures(drawn, figures, quiet=quiet)
    failed = bool((results.outcomes.failed | results.outcomes.metric_failed).any())
    # A shard may have no cells, as there may be more shards than cells.
    if shard is None and not results.run_groups:
        tell("nothing ran; hcbench info NAME shows what an algorithm accepts and needs")
        failed = True
    for figure in drawn:
        failed = failed or figure.failed
    if failed:
        context.exit(ExitCode.CELLS_FAILED)


#: Options that are fields of `RunOptions`.
RUNNING = ("jobs", "exclusive", "executor", "scheduler", "fresh")


def _with_entries(
    suite: Suite, entries: Mapping[str, Any], replay: Sequence[Path], registry: Registry
) -> Suite:
    """A suite with the entries that options set, and with the recorded answers of files."""
    changes = {}
    for name, value in entries.items():
        # An option that is not used is None, or of repeatable ones empty.
        if value not in (None, ()):
            changes[name] = value
    if replay:
        oracles = list(entries["oracles"])
        datasets = []
        for path in replay:
            oracle, dataset = _recorded_uses(path, registry)
            oracles.append(oracle)
            datasets.append(dataset)
        changes["oracles"] = tuple(oracles)
        # Without --datasets, the data sets are the items of the files.
        if not entries["datasets"]:
            changes["datasets"] = tuple(datasets)
    # "none" is read as infinity, since None stands for the suite's timeout.
    if changes.get("timeout") == math.inf:
        changes["timeout"] = None
    changed = replace(suite, **changes)
    # The oracles of a suite fit its own algorithms, and perhaps none of those of --algos.
    if "algorithms" in changes and "oracles" not in changes:
        changed = _with_accepted_oracles(changed, registry)
    return changed


def _with_accepted_oracles(suite: Suite, registry: Registry) -> Suite:
    """A suite without those of its oracles that none of the algorithms of --algos accepts.

    An algorithm that accepts none of the others gets the first kind that it accepts.
    """
    accepted: set[str] = set()
    oracles = []
    try:
        for name in suite.algorithms:
            for use in registry.use_algorithms(name):
                accepted.update(use.spec.accepts)
        for name in suite.oracles:
            # A name with a grid of parameters is several oracles, all of one kind.
            kinds = {use.spec.kind for use in registry.use_oracles(name)}
            if kinds & accepted:
                oracles.append(name)
            else:
                tell(f"{name} of the suite is not used: no algorithm of --algos accepts it")
    except HcbenchError:
        return suite  # the plan says all that is wrong at once
    return replace(suite, oracles=tuple(oracles))


def _recorded_uses(path: Path, registry: Registry) -> tuple[str, str]:
    """The names of the oracle and of the data set of a file of recorded answers.

    Raises
    ------
    DataError
        If no data set, or more than one, reads such a file.
    """
    from hcbench.registry.names import format_name
    from hcbench.registry.specs import load_function

    readers = []
    readers_of_suffix = []
    for entry in registry.datasets.entries:
        if entry.spec.recorded_oracle is None:
            continue
        readers.append(entry.spec)
        if path.suffix in entry.spec.suffixes:
            readers_of_suffix.append(entry.spec)
    # A suffix that nobody declares decides nothing.
    if readers_of_suffix:
        readers = readers_of_suffix
    if len(readers) != 1:
        raise DataError(
            f"{path}: {len(readers)} data sets replay such a file; name one by --datasets, and its "
            "oracle by --oracles"
        )
    dataset = readers[0]
    assert dataset.recorded_oracle is not None
    oracle_name, oracle_params = load_function(dataset.recorded_oracle)(str(path))
    oracle_use = format_name(oracle_name, oracle_params)
    dataset_use = format_name(dataset.name, {"path": str(path)})
    return oracle_use, dataset_use


def _make_plan(
    suite: Suite, registry: Registry, shard: tuple[int, int] | None, *, has_budgets: bool
) -> Plan:
    """The plan of a suite.

    Raises
    ------
    ParameterError
        If ``--budget`` was given and limits no cell.
    """
    from hcbench.plan.plan import make_plan, take_shard
    from hcbench.registry import with_defaults

    plan = make_plan(with_defaults(suite, registry), registry)
    # The budgets of a suite may limit some of its algorithms only; one that a user writes is meant.
    if has_budgets and plan.cells:
        used_budgets = {cell.budget for cell in plan.cells}
        for budget in suite.budgets:
            if budget not in used_budgets:
                raise ParameterError(
                    f"--budget {budget} limits nothing here: numbers limit queries, and 5USD the "
                    "answers of paid oracles"
                )
    if shard is not None:
        number, count = shard
        plan = take_shard(plan, number, count)
    return plan


def _tell_figures(drawn: Sequence[Drawn], folder: Path | None, *, quiet: bool) -> None:
    """Write which figures are not drawn and why, and where the others are."""
    number_drawn = 0
    for figure in drawn:
        if figure.path is None:
            tell(f"figure {figure.name} is not drawn: {figure.reason}")
        else:
            number_drawn += 1
    if number_drawn and not quiet:
        tell(f"{number_drawn} of {len(drawn)} figures are in {folder}")


def _check_figures(suite: Suite, folder: Path) -> None:
    """Check before the run whether its figures can be drawn."""
    from hcbench.figures.plots import style
    from hcbench.figures.suites import make_folder

    if not suite.figures:
        raise SuiteError(f"suite {suite.name} has no figures; omit --figures")
    style()  # matplotlib is installed
    make_folder(folder)


def _run(
    plan: Plan, registry: Registry, store: Store, run_options: RunOptions, *, quiet: bool
) -> Results:
    from hcbench.cli.progress import follow
    from hcbench.results.results import Results
    from hcbench.run.run import run_plan

    with follow(store, quiet=quiet) as observer:
        outcomes = run_plan(plan, registry.plugins, store, run_options, observer)
    results = Results.of_plan(plan, outcomes)
    # What this run measured has the same kernels everywhere; reused cells may have others.
    if any(results.outcomes.column("reused").tolist()):
        results = replace(results, remarks=results.remarks + notes_on_kernels(store))
    return results
