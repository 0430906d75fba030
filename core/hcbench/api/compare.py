"""``hcbench compare`` and ``hcbench run`` as functions."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from hcbench.api.notebook import StoredResults, default_observer
from hcbench.api.uses import (
    CallerFunction,
    SessionData,
    named_datasets,
    split_names,
    use_of_algorithm,
    use_of_metric,
    without_same_data,
)
from hcbench.errors import ParameterError
from hcbench.model.arguments import whole_number
from hcbench.model.cost import Budget
from hcbench.plan.plan import Plan, make_plan
from hcbench.registry import Registry, find_suite, load_registry, with_defaults
from hcbench.registry.metric_specs import MetricSpec
from hcbench.registry.repeats import Repeats
from hcbench.registry.specs import AlgorithmSpec
from hcbench.registry.suite import Suite
from hcbench.registry.suite_files import read_suite
from hcbench.run.options import LOCAL, RunOptions
from hcbench.run.record import Observer
from hcbench.run.run import run_plan
from hcbench.store import Store


def compare(
    algos: Iterable[str | AlgorithmSpec | CallerFunction] = (),
    datasets: Iterable[Any] | Mapping[str, Any] = (),
    oracles: str | Iterable[str] = (),
    metrics: Iterable[str | MetricSpec | CallerFunction] = (),
    *,
    repetitions: int = 5,
    seed: int = 0,
    families: Mapping[str, str] | None = None,
    budget: Budget | Sequence[Budget] | None = None,
    checkpoints: int | Sequence[int] = (),
    n_jobs: int | None = None,
    exclusive: bool = False,
    executor: str = LOCAL,
    scheduler: str | None = None,
    timeout: float | None = 300.0,
    memory: float | None = None,
    threads: int = 1,
    store: str | Path | None = None,
    fresh: bool = False,
    plugins: Sequence[str | Path] = (),
    progress: bool | None = None,
    observer: Observer | None = None,
    command: str = "hcbench.compare(...)",
) -> StoredResults:
    """Compare algorithms, as ``hcbench compare`` does.

    Parameters
    ----------
    algos : iterable of str, AlgorithmSpec or callable
        ``"NAME[param=value]"``, where a list is a grid; or a function of your own,
        ``f(X) -> tree`` with X of shape (n, p), which returns a Tree, a scipy linkage matrix or
        scikit-learn's ``children_`` (a parameter called ``rng`` receives a seeded generator).
        If there are none, the defaults of ``hcbench compare``.
    datasets : data, iterable or mapping
        Names; paths; arrays (n, p), of numpy or scipy.sparse; DataFrames, of which all columns are
        numbers; a `skbio.DistanceMatrix`; pairs ``(X, labels)`` or ``(X, tree)``, where labels of
        a DataFrame may be names of its columns, and items are matched by the names in an index and
        of leaves; Bunches of scikit-learn; Problems; functions ``f(seed) -> Problem``. One of them,
        several in a list, or a mapping that gives names to them. Such a function is called once
        with seed 0 in this process before anything runs, to learn what its problems provide; a
        `DatasetSpec` declares that and is called in the workers only.
    oracles : str or iterable of str
        An algorithm for which none is named uses the first kind that it accepts and the data can
        provide.
    metrics : iterable of str, MetricSpec or callable
        A callable is ``f(scored) -> float``, higher is better.
    repetitions : int
        How often each algorithm runs on each data set, with new data if they are random.
    seed : int
        The base of all seeds.
    families : mapping of data set to str, optional
        The source of a data set, where it is not its own: ``datasets={"raw": X, "scaled": Z}`` of
        the same items needs ``families={"scaled": "raw"}``. Average ranks and tests over data sets
        count a family once. Parameters of a data set, and files with the same content, are of one
        family anyway.
    budget : int, str, or sequence of these, optional
        The largest number of queries of an algorithm, or what the answers of a paid oracle may
        cost, such as ``"5USD"`` or ``"20000tokens"``; several budgets are separate runs.
    checkpoints : int or sequence of int
        Query counts at which the results of anytime algorithms are judged.
    n_jobs : int, optional
        Cells that run at the same time; by default one per core, or per thread of a cluster.
    exclusive : bool
        Run one cell at a time, for fair times.
    executor : str
        Where cells run: ``"local"`` in processes of this machine, or an executor of a plugin, such
        as ``"dask"``, in such processes on the machines of a cluster.
    scheduler : str, optional
        The address of the scheduler of a cluster, such as ``"tcp://host:8786"``.
    timeout : float, optional
        Wall seconds for one call of an algorithm; None is no limit. Making its data and computing
        its metrics may each take twice as long, and 120 s at least.
    memory : float, optional
        GiB that one call may hold above the warm worker.
    threads : int
        Threads of BLAS, OpenMP and numba in each cell.
    store : path or URL, optional
        The file or database that keeps the results; by default a file in the user's data directory.
    fresh : bool
        Run everything, even if results are stored.
    plugins : sequence of path
        Plugin files for this run.
    progress : bool, optional
        Whether a line shows how many cells have finished; by default on a terminal and in a
        notebook.
    observer : Observer, optional
        An object that follows the run, instead of that line.
    command : str
        What ``hcbench results`` shows as the origin of the run.

    Returns
    -------
    StoredResults

    Raises
    ------
    HcbenchError
        If a name, a parameter or data are wrong; failing cells are rows, not errors.

    Examples
    --------
    >>> def ward(X):
    ...     from scipy.cluster.hierarchy import linkage
    ...     return linkage(X, "ward")
    >>> data = {"pairs": ([[0.0], [1.0], [8.0], [9.0]], [0, 0, 1, 1])}
    >>> results = compare(
    ...     ["UPGMA", ward], data, metrics=["AARI"], repetitions=1, progress=False
    ... )
    >>> [(row["algorithm"], row["metrics"]) for row in results.rows]
    [('UPGMA', {'AARI': 1.0}), ('ward', {'AARI': 1.0})]
    >>> results.tree("UPGMA").to_newick()
    '((0:0.5,1:0.5):3.5,(2:0.5,3:0.5):3.5);'
    """
    registry = load_registry(plugins)
    budgets: Sequence[Budget] = ()
    if budget is not None:
        # One budget or several.
        budgets = np.atleast_1d(budget).tolist()
    with ExitStack() as stack:
        # Until the results are there: workers and metrics import functions of plugin files.
        stack.enter_context(registry.plugins.importable())
        # Data of the caller are in files that live as long as the run; the store has their digests.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hcbench-")))
        repeats = Repeats()
        session = SessionData(folder)
        entries = named_datasets(datasets)
        algo_names, algo_uses = split_names("algorithms", algos, use_of_algorithm, repeats)
        data_names, data_uses = split_names("datasets", entries, session.use_of_dataset, repeats)
        if not isinstance(datasets, Mapping):
            # Data of a list have no names by which equal ones could be told apart.
            data_uses = without_same_data(data_uses, repeats)
        metric_names, metric_uses = split_names("metrics", metrics, use_of_metric, repeats)
        repeats.warn()
        oracle_names = _names_of_oracles(oracles)
        uses = {"algorithms": algo_uses, "datasets": data_uses, "metrics": metric_uses}
        suite = Suite(
            name="compare",
            algorithms=algo_names,
            datasets=data_names,
            oracles=oracle_names,
            metrics=metric_names,
            repetitions=repetitions,
            seed=seed,
            families=families or {},
            budgets=tuple(budgets),
            checkpoints=tuple(np.atleast_1d(checkpoints).tolist()),
            timeout=timeout,
            memory=memory,
            threads=threads,
        )
        # Defaults fill only what has neither names nor objects of the caller.
        empty = []
        for entry, objects in uses.items():
            if not objects:
                empty.append(entry)
        suite = with_defaults(suite, registry, empty)
        plan = make_plan(suite, registry, **uses)
        results = _run(
            plan,
            registry,
            store,
            plugins,
            RunOptions(
                jobs=_read_jobs(n_jobs),
                fresh=fresh,
                exclusive=exclusive,
                command=command,
                executor=executor,
                scheduler=scheduler,
                files=sorted(folder.iterdir()),
            ),
            observer or default_observer(progress),
        )
    return replace(results, problems=session.problems)


def run_suite(
    suite: str | Path | Suite,
    *,
    repetitions: int | None = None,
    seed: int | None = None,
    n_jobs: int | None = None,
    store: str | Path | None = None,
    fresh: bool = False,
    plugins: Sequence[str | Path] = (),
    progress: bool | None = None,
) -> StoredResults:
    """Run a suite, as ``hcbench run`` does.

    Parameters
    ----------
    suite : str, path or Suite
        The name of a registered suite, or the path of a TOML file.
    repetitions, seed : int, optional
        The number of repetitions and the base of all seeds, instead of those of the suite.
    n_jobs, store, fresh, plugins, progress
        As for `compare`.

    Returns
    -------
    StoredResults
        ``verdicts`` has the verdicts on the claims of the suite.

    Raises
    ------
    HcbenchError
        If the suite does not exist or is wrong.

    Examples
    --------
    >>> suite = hcbench.Suite(
    ...     name="linkages",
    ...     algorithms=("UPGMA", "Single"),
    ...     datasets=("iris",),
    ...     metrics=("n-clusters",),
    ...     repetitions=1,
    ... )
    >>> results = run_suite(suite, progress=False)
    >>> results
    <Results: 2 cells, algorithms: 2, data sets: 1, failed: 0>
    """
    registry = load_registry(plugins)
    if not isinstance(suite, Suite):
        path = Path(suite).expanduser()
        # A file may have any ending. One that ends in .toml but is absent is no name of a suite.
        if path.suffix == ".toml" or path.is_file():
            suite = read_suite(path)
        else:
            suite = find_suite(registry, str(suite))
    if repetitions is not None:
        suite = replace(suite, repetitions=repetitions)
    # Zero is a seed, and means another than that of the suite.
    if seed is not None:
        suite = replace(suite, seed=seed)
    with registry.plugins.importable():
        plan = make_plan(with_defaults(suite, registry), registry)
        return _run(
            plan,
            registry,
            store,
            plugins,
            RunOptions(
                jobs=_read_jobs(n_jobs),
                fresh=fresh,
                command=f"hcbench.run_suite({suite.name!r})",
            ),
            default_observer(progress),
        )


def _names_of_oracles(oracles: object) -> tuple[str, ...]:
    """The names of one oracle or of several."""
    if isinstance(oracles, str):
        return (oracles,)
    names = []
    if isinstance(oracles, Iterable):
        for name in oracles:
            if isinstance(name, str):
                names.append(name)
                continue
            raise ParameterError(f"an oracle is a name, such as 'vectors'; got {name!r}")
        return tuple(names)
    raise ParameterError(f"oracles are names, such as ['vectors']; got {oracles!r}")


def _read_jobs(n_jobs: int | None) -> int | None:
    """The number of jobs, checked; None stays."""
    if n_jobs is None:
        return None
    try:
        return whole_number(n_jobs, "n_jobs", least=1)
    except ParameterError as error:
        raise ParameterError(f"{error}; None is one for each core") from None


def _run(
    plan: Plan,
    registry: Registry,
    location: str | Path | None,
    plugins: Sequence[str | Path],
    options: RunOptions,
    observer: Observer | None,
) -> StoredResults:
    """Run a plan in the store of a location."""
    with ExitStack() as stack:
        store = Store(location)
        # One in memory is gone when it is closed, so it stays open and the results keep it.
        in_memory = None
        if store.address:
            stack.enter_context(store)
        else:
            in_memory = store
        outcomes = run_plan(plan, registry.plugins, store, options, observer)
        run = store.run()
    results = StoredResults.of_plan(plan, outcomes)
    return replace(results, store=location, in_memory=in_memory, run=run.id, plugins=plugins)
