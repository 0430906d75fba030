"""The cross product: the cells to run, and the combinations that cannot be run.

Made from specs alone: no data exist yet, and nothing heavy is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b
from typing import TypeAlias, TypeVar

from hcbench.errors import HcbenchError, ParameterError, SuiteError
from hcbench.model.cost import TOKENS, Budget, split_budget
from hcbench.plan.cell import Cell
from hcbench.registry import Registry, make_use
from hcbench.registry.families import families_of
from hcbench.registry.fingerprint import installation
from hcbench.registry.repeats import Repeats
from hcbench.registry.specs import (
    DATA,
    AlgorithmSpec,
    DatasetSpec,
    MetricSpec,
    OracleSpec,
    Spec,
    Value,
    unmet,
)
from hcbench.registry.suite import Suite, without_repeats
from hcbench.registry.uses import Use, different_uses

#: The parameter of a metric that names a truth other than the first.
PARAMETER = "truth"


def with_all_truths(
    metrics: Iterable[Use[MetricSpec]], datasets: Iterable[Use[DatasetSpec]]
) -> list[Use[MetricSpec]]:
    """The metrics, and after each that names no truth, the same metric for each further truth.

    A metric that names no truth uses the first one of a data set.
    """
    others = {name: None for dataset in datasets for name in _others(dataset)}
    all_metrics: list[Use[MetricSpec]] = []
    for use in metrics:
        all_metrics.append(use)
        if use.params.get(PARAMETER, "") is None:
            all_metrics += [
                make_use(use.spec, use.plugin, {**use.params, PARAMETER: name}) for name in others
            ]
    return all_metrics


def truth_named(use: Use[MetricSpec]) -> str | None:
    """The truth that a metric names; None if it takes the first, or compares with none."""
    named = use.params.get(PARAMETER)
    return named if isinstance(named, str) else None


def label_without_truth(use: Use[MetricSpec]) -> str:
    """The label of a metric without the truth that it names: the same for all truths."""
    if truth_named(use) is None:
        return use.label
    return make_use(use.spec, use.plugin, {**use.params, PARAMETER: None}).label


def judged_by(
    use: Use[MetricSpec], beside: Collection[str], datasets: Iterable[Use[DatasetSpec]]
) -> tuple[str, ...] | None:
    """The only data sets for which a metric is shown; None for all.

    If it names a truth, and the same metric without it is among the others, these are the data sets
    that have this truth, but not as the first.

    Parameters
    ----------
    use : Use
    beside : collection of str
        The labels of all metrics.
    datasets : iterable of Use
    """
    if truth_named(use) is None or label_without_truth(use) not in beside:
        return None
    return tuple(dataset.label for dataset in datasets if truth_named(use) in _others(dataset))


def _others(dataset: Use[DatasetSpec]) -> tuple[str, ...]:
    """The truths of a data set after the first."""
    return dataset.spec.truths_with(dataset.params)[1:]


S = TypeVar("S", bound=Spec)


@dataclass(frozen=True, slots=True)
class Inapplicable:
    """A combination that cannot be run, in any repetition, and why."""

    algorithm: str
    dataset: str
    oracle: str
    reason: str


@dataclass(frozen=True, eq=False)
class Plan:
    """The cells to run.

    Attributes
    ----------
    suite : Suite
    cells : list of Cell
        Those that share data are adjacent.
    inapplicable : list of Inapplicable
    algorithms, datasets, metrics : tuple of Use
        In the order in which they were asked for.
    shard : Shard, optional
        Which part of the plan ``whole`` it is, if it is one.
    """

    suite: Suite
    cells: list[Cell] = field(default_factory=list)
    inapplicable: list[Inapplicable] = field(default_factory=list)
    algorithms: tuple[Use[AlgorithmSpec], ...] = ()
    datasets: tuple[Use[DatasetSpec], ...] = ()
    metrics: tuple[Use[MetricSpec], ...] = ()
    shard: Shard | None = None
    whole: Plan | None = None


def make_plan(
    suite: Suite,
    registry: Registry,
    *,
    algorithms: Sequence[Use[AlgorithmSpec]] = (),
    datasets: Sequence[Use[DatasetSpec]] = (),
    metrics: Sequence[Use[MetricSpec]] = (),
) -> Plan:
    """Build the cross product of a suite.

    Parameters
    ----------
    suite : Suite
    registry : Registry
    algorithms, datasets, metrics : sequence of Use
        A caller's own, beside those that the suite names.

    Raises
    ------
    SuiteError
        If there is nothing to compare.
    HcbenchError
        If names or parameters are wrong; the message has all of them.
    """
    wrong: list[HcbenchError] = []
    repeats = Repeats()

    def uses_of(entry: str, use: Callable[[str], list[Use[S]]]) -> list[Use[S]]:
        """The uses of the right names; errors of the others are collected."""
        named: list[tuple[str, list[Use[S]]]] = []
        for name in getattr(suite, entry):
            try:
                named.append((name, use(name)))
            except HcbenchError as error:
                wrong.append(error)
        return different_uses(entry, named, repeats)

    named_algorithms = uses_of("algorithms", registry.use_algorithms)
    named_datasets = uses_of("datasets", registry.use_datasets)
    named_metrics = uses_of("metrics", registry.use_metrics)
    named_oracles = uses_of("oracles", registry.use_oracles)
    if wrong:
        raise type(wrong[0])("; ".join(dict.fromkeys(map(str, wrong))))
    suite = without_repeats(suite, repeats)
    repeats.warn()
    all_algorithms = _with_unique_labels([*named_algorithms, *algorithms])
    all_datasets = _with_unique_labels([*named_datasets, *datasets])
    asked_for = [*named_metrics, *metrics]
    all_metrics = tuple(_with_unique_labels(with_all_truths(asked_for, all_datasets)))
    oracles = _with_unique_labels(named_oracles)
    for noun, uses in (("algorithms", all_algorithms), ("datasets", all_datasets)):
        if not uses:
            raise SuiteError(f"suite {suite.name} names no {noun}; add {noun} = [...]")
    _check_oracles(oracles, all_algorithms)
    families_of(all_datasets, suite.families)  # refuses names of no data set before anything runs
    plan = Plan(
        suite,
        algorithms=tuple(all_algorithms),
        datasets=tuple(all_datasets),
        metrics=all_metrics,
    )
    only = _restrictions(suite, registry)
    checkpoints = tuple(sorted(suite.checkpoints))
    for dataset in all_datasets:
        # What a data set declares to provide decides which oracles apply; no data exist yet.
        provided = dataset.spec.provides_with(dataset.params)
        makers = []
        for algorithm in all_algorithms:
            asked = _allowed(only, algorithm, dataset, oracles)
            if asked is None:
                continue
            able, unable = choose_oracles(
                algorithm, provided, dataset.label, asked, registry, dataset.params.get("n")
            )
            plan.inapplicable.extend(
                Inapplicable(algorithm.label, dataset.label, oracle, reason)
                for oracle, reason in unable
            )
            makers += [
                partial(
                    Cell,
                    algorithm=algorithm,
                    dataset=dataset,
                    oracle=oracle,
                    seed=suite.seed,
                    budget=budget,
                    checkpoints=checkpoints if oracle.spec.countable else (),
                    metrics=all_metrics,
                    threads=suite.threads,
                )
                for oracle in able
                for budget in _budgets_of(oracle.spec, suite.budgets)
            ]
        # Repetitions are interleaved over algorithms, so that a machine that slows down slows all.
        plan.cells.extend(
            make(repetition=number) for number in range(suite.repetitions) for make in makers
        )
    return plan


def _budgets_of(oracle: OracleSpec, budgets: Sequence[Budget]) -> Sequence[Budget | None]:
    """The budgets that limit an oracle: of queries if it counts them, of money if it is paid."""
    limiting: list[Budget | None] = []
    for budget in budgets:
        if isinstance(budget, int):
            limiting += [budget] * oracle.countable
        elif oracle.currency:
            amount, unit = split_budget(budget)
            if unit not in (TOKENS, oracle.currency):
                raise ParameterError(
                    f"{oracle.name} is paid in {oracle.currency}, not in {unit}: write for example "
                    f"{amount}{oracle.currency}"
                )
            limiting.append(budget)
    return limiting or (None,)


_Restrictions: TypeAlias = dict[str, dict[str, set[str]]]


def _restrictions(suite: Suite, registry: Registry) -> _Restrictions:
    """The only data sets and oracles of restricted algorithms, by identity.

    No oracle means all.
    """
    only: _Restrictions = {}
    for algorithm, dataset, *oracle in suite.only:
        through = {use.identity for text in oracle for use in registry.use_oracles(text)}
        for use in registry.use_algorithms(algorithm):
            on = only.setdefault(use.identity, {})
            for data in registry.use_datasets(dataset):
                on.setdefault(data.identity, set()).update(through)
    return only


def _allowed(
    only: _Restrictions,
    algorithm: Use[AlgorithmSpec],
    dataset: Use[DatasetSpec],
    oracles: Sequence[Use[OracleSpec]],
) -> Sequence[Use[OracleSpec]] | None:
    """The oracles allowed for an algorithm on a data set; None if the data set is not allowed.

    If none of those that its restriction names is requested, all that are requested are allowed.
    """
    if algorithm.identity not in only:
        return oracles
    through = only[algorithm.identity].get(replace(dataset, apart="").identity)
    if through is None:
        return None
    return [oracle for oracle in oracles if oracle.identity in through] or oracles


def _check_oracles(
    oracles: Sequence[Use[OracleSpec]], algorithms: Sequence[Use[AlgorithmSpec]]
) -> None:
    """Refuse an oracle that no algorithm accepts, as another one would replace it silently."""
    for oracle in oracles:
        if not any(oracle.spec.kind in algorithm.spec.accepts for algorithm in algorithms):
            accepted = "; ".join(
                f"{a.label} accepts {', '.join(a.spec.accepts)}" for a in algorithms
            )
            raise ParameterError(f"no algorithm accepts {oracle.label}: {accepted}")


def _with_unique_labels(uses: Sequence[Use[S]]) -> list[Use[S]]:
    """Each once, in the given order, with a unique label.

    If different ones share a label, it becomes their full name; if that is the same too, as of
    functions of one caller, they are numbered.
    """
    unique = list({use.identity: use for use in uses}.values())
    sharing: dict[str, list[Use[S]]] = {}
    for use in unique:
        sharing.setdefault(use.label, []).append(use)
    taken = set(sharing)
    labels: dict[str, str] = {}
    for label, same in sharing.items():
        one_plugin = len({use.plugin.distribution for use in same}) == 1
        for use in same[one_plugin:]:  # of one plugin the first keeps the label
            full = label if one_plugin else f"{use.plugin.distribution}:{label}"
            options = (full, *(f"{full}#{number}" for number in range(2, len(unique) + 2)))
            labels[use.identity] = next(option for option in options if option not in taken)
            taken.add(labels[use.identity])
    return [replace(use, label=labels.get(use.identity, use.label)) for use in unique]


def choose_oracles(
    algorithm: Use[AlgorithmSpec],
    provided: frozenset[str],
    source: str,
    requested: Sequence[Use[OracleSpec]],
    registry: Registry,
    n: Value = None,
) -> tuple[list[Use[OracleSpec]], list[tuple[str, str]]]:
    """The oracles for an algorithm on a data set, and why others are inapplicable.

    All requested ones of an accepted kind; where none of those is requested, the first kind in
    the algorithm's own order that the data set can provide.

    Parameters
    ----------
    algorithm : Use
    provided : frozenset of str
        What the data set provides.
    source : str
        Its name, for the reason.
    requested : sequence of Use
    registry : Registry
    n : int, optional
        How many items it has, if that is known; otherwise the worker checks it.

    Returns
    -------
    able : list of Use
    unable : list of (label, reason)
        Requested oracles that are inapplicable; "" if the algorithm has none at all.
    """
    spec = algorithm.spec
    command = installation(spec.requires)
    if command:
        return [], [("", f"{algorithm.label} needs what is not installed: {command}")]
    if isinstance(n, int) and n < spec.min_items:
        why = f"{algorithm.label} needs {spec.min_items} items or more, and {source} has {n}"
        return [], [("", why)]
    hints = spec.hints_of(algorithm.params)
    needs = (hint if hint in DATA else "truth" for hint in hints)
    missing = unmet((*spec.needs, *needs), provided)
    if missing:
        return [], [("", f"{algorithm.label} needs {missing}, which {source} does not provide")]
    wanted = [oracle for oracle in requested if oracle.spec.kind in spec.accepts]
    if wanted:
        reasons = [(use, _why_unusable(use, provided, source)) for use in wanted]
        return [use for use, why in reasons if not why], [
            (use.label, why) for use, why in reasons if why
        ]
    for kind in spec.accepts:
        entries = [
            e
            for e in registry.oracles.entries
            if e.spec.kind == kind
            and not e.spec.is_live
            and not any(p.required for p in e.spec.parameters)
        ]
        # First the one named like its kind.
        for entry in sorted(entries, key=lambda e: (e.spec.name != kind, e.spec.name)):
            if unmet(entry.spec.needs, provided) is None:
                return [make_use(entry.spec, entry.plugin, {})], []
    reason = (
        f"{algorithm.label} accepts {', '.join(spec.accepts)}; "
        f"{source} provides {', '.join(sorted(provided)) or 'nothing'}"
    )
    return [], [("", reason)]


def _why_unusable(oracle: Use[OracleSpec], provided: frozenset[str], source: str) -> str:
    """Why an oracle cannot be asked about a data set; "" if it can."""
    if command := installation(oracle.spec.requires):
        return f"{oracle.label} needs what is not installed: {command}"
    lack = unmet(oracle.spec.needs, provided)
    return "" if lack is None else f"{oracle.label} needs {lack}, which {source} does not provide"


def metric_keys(plan: Plan) -> dict[str, str]:
    """Label to key: the values of a changed metric are not those of the old one."""
    return {m.label: blake2b(m.identity.encode(), digest_size=16).hexdigest() for m in plan.metrics}


@dataclass(frozen=True, slots=True)
class Shard:
    """Which part of a plan a run is.

    Attributes
    ----------
    numbers : tuple of int
        From 1: one, or those that were merged.
    count : int
        Into how many parts the plan was split.
    plan : str
        32 hexadecimal digits: a hash of the keys of all cells of the plan.
    """

    numbers: tuple[int, ...]
    count: int
    plan: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether it has all parts."""
        return len(self.numbers) == self.count

    def __str__(self) -> str:
        if self.is_whole:
            return f"all {self.count} shards"
        noun = "shard" if len(self.numbers) == 1 else "shards"
        return f"{noun} {', '.join(map(str, self.numbers))} of {self.count}"


def take_shard(plan: Plan, number: int, count: int) -> Plan:
    """One part of a plan.

    All repetitions 0 of all data sets, then all repetitions 1 and so on, are cut into ``count``
    pieces whose numbers of cells differ by one at most. So a piece has whole repetitions of
    everything if there are enough of them, which take equally long, and cells that share data stay
    together. Inapplicable combinations belong to the first shard.

    Parameters
    ----------
    plan : Plan
    number : int
        From 1.
    count : int

    Raises
    ------
    ParameterError
        If there is no such part.
    """
    if not 1 <= number <= count:
        raise ParameterError(f"there is no shard {number} of {count}; they are 1 to {count}")
    cells = plan.cells
    digest = blake2b("".join(sorted(cell.key for cell in cells)).encode(), digest_size=16)
    in_order = sorted(range(len(cells)), key=lambda place: cells[place].repetition)
    first, last = ((n * len(cells)) // count for n in (number - 1, number))
    return replace(
        plan,
        cells=[cells[place] for place in sorted(in_order[first:last])],
        inapplicable=plan.inapplicable if number == 1 else [],
        shard=Shard((number,), count, digest.hexdigest()),
        whole=plan,
    )
