"""The cases to measure: every registered algorithm, oracle and metric, at each size, and the data.

The data provide what any spec can need.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hcbench import (
    REQUIRED,
    DataRequest,
    DatasetSpec,
    HcbenchError,
    HeightKind,
    OracleSpec,
    Parameter,
    ParameterError,
    Problem,
    Suite,
    Tree,
    Value,
    load_registry,
)
from hcbench.errors import UnknownNameError
from hcbench.plan import Cell, Plan, make_plan
from hcbench.registry import Entry, Interval, Plugin, Registry, Spec, Use, make_use
from hcbench_asv.quantities import REPETITIONS, SIZES, TRACKS, Case, sizes_of

LEVELS = 3
FEATURES = 20
#: Standard deviation of a step below the labelled levels; above them it is 1.
_STEP = 0.3
#: Standard deviation of the noise of an item.
_NOISE = 0.5


def make_problem(request: DataRequest, *, n: int) -> Problem:
    """Items at the leaves of a balanced binary tree, by a random walk down its branches.

    Each of the `FEATURES` coordinates of a node is normal around that of its parent, with variance
    1 in the first `LEVELS` levels and 0.09 below; items have additional noise of variance 0.25. The
    expected product of two items is the height of their lowest common ancestor; similarities are
    the mean products over the coordinates, clipped at 0. O(n^2).

    Parameters
    ----------
    request : DataRequest
    n : int
        Number of items, at least 16.

    Returns
    -------
    Problem
        Vectors (n, 20), similarity, the true tree with its heights, which is also the tree to cut,
        and the subtrees of its first three levels as labels.
    """
    rng = np.random.default_rng(request.seed)
    depth = math.ceil(math.log2(n))
    # The number of the subtree of each item at each level below the root: (n, depth).
    groups = np.arange(n)[:, None] * 2 ** np.arange(1, depth + 1) // n
    steps = np.where(np.arange(depth) < LEVELS, 1.0, _STEP)
    vectors = rng.normal(scale=_NOISE, size=(n, FEATURES))
    for step, group in zip(steps, groups.T, strict=True):
        vectors += step * rng.standard_normal((group[-1] + 1, FEATURES))[group]
    shape = Tree.from_levels(groups)
    # Two items share a step if they are in one subtree; of a node's leaves, the first and the last
    # share only what all of them share.
    ends = np.array([shape.leaves(node)[[0, -1]] for node in range(shape.n_nodes)])
    height = (groups[ends[:, 0]] == groups[ends[:, 1]]) @ steps**2
    height[:n] += _NOISE**2
    tree = Tree(shape.parent, height, HeightKind.AFFINITY)
    return Problem(
        n=n,
        vectors=vectors,
        similarity=np.maximum(vectors @ vectors.T / FEATURES, 0.0),
        truths={"exact": tree},
        levels=groups[:, :LEVELS],
        tree=tree,
    )


DATA = DatasetSpec(
    name="hcbench-asv",
    function="hcbench_asv.cases:make_problem",
    doc="A random walk down a balanced binary tree.",
    parameters=(Parameter("n", REQUIRED, "Number of items.", type="int", interval="[16, inf)"),),
    provides=("vectors", "similarity", "truth", "levels", "heights", "tree"),
)


QUALITY = {"tree": "hcbench:AARI", "partition": "hcbench:ARI"}
"""The metric that is subtracted from 1 to get the loss."""

GROWING = ("seconds", "peak_memory", "queries")
"""Quantities that asv tracks at all sizes."""

_PLAIN_VALUES = {"bool": False, "int": 1, "float": 1.0}
"""Values for required parameters that declare neither choices nor an interval."""


@dataclass(frozen=True)
class Cases:
    """The cases to measure.

    Attributes
    ----------
    kinds : dict of name to {"algorithm", "oracle", "metric"}
    uses : dict of name to Use
        Only registrations whose required parameters have values.
    reasons : dict of (name, n) to str
        Why a case is inapplicable.
    cells : dict of (name, n) to list of Cell
        The repetitions of an algorithm.
    plan : Plan
        The plan of all these cells.
    datasets : dict of n to Use
    registry : Registry
    """

    kinds: dict[str, str]
    uses: dict[str, Use[Any]]
    reasons: dict[Case, str]
    cells: dict[Case, list[Cell]]
    plan: Plan
    datasets: dict[int, Use[DatasetSpec]]
    registry: Registry = field(repr=False)

    @property
    def all(self) -> list[Case]:
        """Every case: its name and number of items."""
        cases: list[Case] = []
        for name, kind in self.kinds.items():
            cases += [(name, n) for n in sizes_of(kind)]
        return cases

    def tracks(self) -> dict[str, dict[str, list[int]]]:
        """The quantities that asv tracks of each case, and at which numbers of items.

        asv starts a process for each, so those that say nothing are excluded.
        """
        return {name: self._tracks_of(name, kind) for name, kind in self.kinds.items()}

    def _tracks_of(self, name: str, kind: str) -> dict[str, list[int]]:
        largest = SIZES[-1]
        if (name, largest) in self.reasons:
            # One benchmark, which is n/a, shows the reason.
            return {"seconds": [largest]}
        tracks = {quantity: [largest] for quantity in TRACKS[kind]}
        if kind == "algorithm":
            for quantity in GROWING:
                tracks[quantity] = list(SIZES)
            if not self.cells[name, largest][0].oracle.spec.countable:
                del tracks["queries"]
        elif kind == "oracle" and not self.uses[name].spec.countable:
            del tracks["seconds_per_query"]
        return tracks

    def loss_label(self, name: str) -> str:
        """The label of the quality metric of an algorithm; "" if it is not registered."""
        quality = QUALITY[self.uses[name].spec.returns]
        for metric in self.plan.metrics:
            if quality.endswith(f":{metric.label}"):
                return metric.label
        return ""


def find_cases(distributions: Iterable[str] = (), data: str = "") -> Cases:
    """The cases of everything registered, or of what some packages register.

    Parameters
    ----------
    distributions : iterable of str
        The packages; none means all.
    data : str
        A data set, as `hcbench_asv.registered` takes it; "" for `DATA`.

    Raises
    ------
    UnknownNameError
        If a package registers nothing.
    """
    registry = load_registry()
    kinds: dict[str, str] = {}
    uses: dict[str, Use[Any]] = {}
    reasons: dict[Case, str] = {}
    for name, (kind, entry) in _entries(registry, set(distributions)).items():
        kinds[name] = kind
        try:
            uses[name] = entry.use(required_values(entry.spec))
        except HcbenchError as error:
            for n in sizes_of(kind):
                reasons[name, n] = str(error)
    datasets = {n: _dataset(registry, data, n) for n in SIZES}
    algorithms = {name: use for name, use in uses.items() if kinds[name] == "algorithm"}
    plan = _plan(registry, algorithms, datasets)
    cells, excluded = _cells(plan, algorithms, datasets)
    return Cases(
        kinds=kinds,
        uses=uses,
        reasons=reasons | excluded,
        cells=cells,
        plan=plan,
        datasets=datasets,
        registry=registry,
    )


def _entries(registry: Registry, distributions: set[str]) -> dict[str, tuple[str, Entry[Any]]]:
    """The kind and the registration of each name, of some distributions or, if none, of all."""
    entries: dict[str, tuple[str, Entry[Any]]] = {}
    with_entries: set[str] = set()
    for catalogue in (registry.algorithms, registry.oracles, registry.metrics):
        for entry in catalogue.entries:
            if isinstance(entry.spec, OracleSpec) and entry.spec.currency:
                continue  # each measurement would be paid
            called = {name for name in distributions if entry.plugin.is_called(name)}
            if distributions and not called:
                continue
            with_entries |= called
            name = _identifier(f"{catalogue.noun}_{entry.spec.name}")
            if name in entries:
                # Two packages have registered this name.
                name = _identifier(f"{catalogue.noun}_{entry.full_name}")
            entries[name] = (catalogue.noun, entry)
    for distribution in sorted(distributions - with_entries):
        raise UnknownNameError(
            f"{distribution} registers no algorithm, oracle or metric; hcbench plugins lists what "
            "is loaded and what is broken"
        )
    return entries


def _identifier(name: str) -> str:
    return re.sub(r"\W", "_", name)


def required_values(spec: Spec) -> dict[str, Value]:
    """A value for each required parameter: the first choice or the middle of the interval.

    Raises
    ------
    ParameterError
        If the spec does not determine a value, as for a file.
    """
    values = {}
    for parameter in spec.parameters:
        if parameter.required:
            values[parameter.name] = _some_value(spec.name, parameter)
    return values


def _some_value(owner: str, parameter: Parameter) -> Value:
    if parameter.choices:
        return parameter.choices[0]
    if parameter.type not in _PLAIN_VALUES:
        raise ParameterError(
            f"{owner} needs {parameter.name}, a {parameter.type}, and its spec gives no value"
        )
    if not parameter.interval:
        plain: Value = _PLAIN_VALUES[parameter.type]
        return plain
    middle = _middle(Interval(parameter.interval))
    return math.ceil(middle) if parameter.type == "int" else middle


def _middle(interval: Interval) -> float:
    """The middle; of an unbounded interval, a value 1 beside its bound."""
    if math.isfinite(interval.low) and math.isfinite(interval.high):
        return (interval.low + interval.high) / 2
    if math.isfinite(interval.low):
        return interval.low + 1
    if math.isfinite(interval.high):
        return interval.high - 1
    return 1.0


def _dataset(registry: Registry, data: str, n: int) -> Use[DatasetSpec]:
    if data:
        (use,) = registry.use_datasets(data.replace("{n}", str(n)))
        return use
    return make_use(DATA, Plugin("hcbench", "asv", ""), {"n": n})


def _plan(
    registry: Registry, algorithms: dict[str, Use[Any]], datasets: dict[int, Use[DatasetSpec]]
) -> Plan:
    metrics = {entry.full_name for entry in registry.metrics.entries}
    suite = Suite(
        name="asv",
        metrics=tuple(name for name in QUALITY.values() if name in metrics),
        repetitions=REPETITIONS,
    )
    if not algorithms:
        return Plan(suite)
    return make_plan(
        suite, registry, algorithms=list(algorithms.values()), datasets=list(datasets.values())
    )


def _cells(
    plan: Plan, algorithms: dict[str, Use[Any]], datasets: dict[int, Use[DatasetSpec]]
) -> tuple[dict[Case, list[Cell]], dict[Case, str]]:
    """The cells of each case of an algorithm, or why there are none."""
    # make_plan may change labels to distinguish algorithms of two packages, but not their order.
    names = {use.label: name for use, name in zip(plan.algorithms, algorithms, strict=True)}
    sizes = {use.label: n for use, n in zip(plan.datasets, datasets, strict=True)}
    cells: dict[Case, list[Cell]] = {}
    for cell in plan.cells:
        case = (names[cell.algorithm.label], sizes[cell.dataset.label])
        cells.setdefault(case, []).append(cell)
    excluded = {}
    for combination in plan.inapplicable:
        case = (names[combination.algorithm], sizes[combination.dataset])
        excluded[case] = combination.reason
    return cells, excluded
