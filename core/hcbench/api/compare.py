"""``hcbench compare`` as a function."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from hcbench.analysis.results import Results
from hcbench.api.own import Own, named_pairs, own_algorithm, own_dataset, own_metric, sort_out
from hcbench.plan.plan import make_plan
from hcbench.registry import load_registry, with_defaults
from hcbench.registry.specs import AlgorithmSpec, MetricSpec
from hcbench.registry.suite import Suite
from hcbench.run.executors import LOCAL
from hcbench.run.record import Observer
from hcbench.run.run import run_plan
from hcbench.store import Store


def compare(
    algos: Iterable[str | AlgorithmSpec | Own] = (),
    datasets: Iterable[Any] | Mapping[str, Any] = (),
    oracles: Iterable[str] = (),
    metrics: Iterable[str | MetricSpec | Own] = (),
    *,
    repetitions: int = 5,
    seed: int = 0,
    budget: int | Sequence[int] | None = None,
    checkpoints: Sequence[int] = (),
    n_jobs: int | None = None,
    exclusive: bool = False,
    executor: str = LOCAL,
    scheduler: str | None = None,
    timeout: float | None = 300.0,
    memory: float | None = None,
    store: str | Path | None = None,
    fresh: bool = False,
    plugins: Sequence[str | Path] = (),
    observer: Observer | None = None,
) -> Results:
    """Compare algorithms, as ``hcbench compare`` does.

    Parameters
    ----------
    algos : iterable of str, AlgorithmSpec or callable
        ``"NAME[param=value]"``, where a list is a grid; or a function of your own,
        ``f(X) -> tree`` with X of shape (n, p), which returns a Tree, a scipy linkage matrix or
        scikit-learn's ``children_`` (a parameter called ``rng`` receives a seeded generator).
        Empty: the defaults of ``hcbench compare``.
    datasets : iterable or mapping
        Names; arrays (n, p); pairs ``(X, labels)``; Problems; functions ``f(seed) -> Problem``.
        A mapping gives names to them. Such a function is called once with seed 0 in this process
        before anything runs, to learn what its problems provide; a `DatasetSpec` declares that and
        is called in the workers only.
    oracles : iterable of str
        An algorithm for which none is named uses the first kind that it accepts and the data can
        provide.
    metrics : iterable of str, MetricSpec or callable
        A callable is ``f(scored) -> float``, higher is better.
    repetitions : int
    seed : int
        The base of all seeds.
    budget : int or sequence of int, optional
        The largest number of queries of an algorithm; several budgets are separate runs.
    checkpoints : sequence of int
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
    store : path or URL, optional
        Where results are stored; by default in the user's data directory.
    fresh : bool
        Run everything, even if results are stored.
    plugins : sequence of path
        Plugin files for this run.
    observer : Observer, optional
        Follows the run.

    Returns
    -------
    Results

    Raises
    ------
    HcbenchError
        If a name, a parameter or data are wrong; failing cells are rows, not errors.
    """
    registry = load_registry(plugins)
    budgets = () if budget is None else tuple(np.atleast_1d(budget).tolist())
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hcbench-")))
        algorithms, own_algorithms = sort_out(algos, own_algorithm)
        named, own_datasets = sort_out(named_pairs(datasets), lambda x: own_dataset(x, folder))
        named_metrics, own_metrics = sort_out(metrics, own_metric)
        own = {"algorithms": own_algorithms, "datasets": own_datasets, "metrics": own_metrics}
        suite = Suite(
            name="compare",
            algorithms=algorithms,
            datasets=named,
            oracles=tuple(oracles),
            metrics=named_metrics,
            repetitions=repetitions,
            seed=seed,
            budgets=budgets,
            checkpoints=tuple(checkpoints),
            timeout=timeout,
            memory=memory,
        )
        suite = with_defaults(suite, registry, [entry for entry, uses in own.items() if not uses])
        plan = make_plan(suite, registry, **own)
        opened = stack.enter_context(Store(store))
        outcomes = run_plan(
            plan,
            registry.plugins,
            opened,
            jobs=n_jobs,
            fresh=fresh,
            exclusive=exclusive,
            command="hcbench.compare(...)",
            observer=observer,
            executor=executor,
            scheduler=scheduler,
            files=sorted(folder.iterdir()),
        )
    return Results.of_plan(plan, outcomes)
