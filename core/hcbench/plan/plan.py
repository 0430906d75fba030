"""The cross product: the cells to run, and the combinations that cannot be run.

Made from specs alone: no data exist yet, and nothing heavy is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, TypeAlias, TypeVar

from hcbench.errors import HcbenchError, ParameterError, SuiteError
from hcbench.model.cost import TOKENS, Budget, split_budget
from hcbench.plan.cell import Cell
from hcbench.plan.oracles import choose_oracles
from hcbench.plan.truths import with_all_truths
from hcbench.registry import Registry
from hcbench.registry.families import families_of
from hcbench.registry.metric_specs import MetricSpec
from hcbench.registry.names import split_alias
from hcbench.registry.registered_names import with_registered_names
from hcbench.registry.repeats import Repeats
from hcbench.registry.specs import AlgorithmSpec, DatasetSpec, OracleSpec, Spec, load_function
from hcbench.registry.suite import Suite, without_repeats
from hcbench.registry.uses import Use, different_uses

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
        Which part of ``full_plan`` it is, if it is one.

    Examples
    --------
    >>> suite = hcbench.Suite(
    ...     name="small", algorithms=("UPGMA", "ERM"), datasets=("shapes[n=20]",), repetitions=1
    ... )
    >>> plan = hcbench.plan.make_plan(suite, hcbench.load_registry())
    >>> [cell.algorithm.label for cell in plan.cells]
    ['UPGMA']
    >>> [combination.algorithm for combination in plan.inapplicable]
    ['ERM']
    """

    suite: Suite
    cells: list[Cell] = field(default_factory=list)
    inapplicable: list[Inapplicable] = field(default_factory=list)
    algorithms: tuple[Use[AlgorithmSpec], ...] = ()
    datasets: tuple[Use[DatasetSpec], ...] = ()
    metrics: tuple[Use[MetricSpec], ...] = ()
    shard: Shard | None = None
    full_plan: Plan | None = None


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
        Those of a caller, beside those that the suite names.

    Raises
    ------
    SuiteError
        If there is nothing to compare.
    HcbenchError
        If names or parameters are wrong; the message has all of them.

    Examples
    --------
    >>> suite = hcbench.Suite(
    ...     name="small", algorithms=("UPGMA", "Ward"), datasets=("shapes[n=20]",), repetitions=2
    ... )
    >>> plan = make_plan(suite, hcbench.load_registry())
    >>> for cell in plan.cells:
    ...     print(cell.algorithm.label, cell.repetition)
    UPGMA 0
    Ward 0
    UPGMA 1
    Ward 1
    """
    repeats = Repeats()
    uses_of_suite = _uses_of_suite(suite, registry, repeats)
    suite = with_registered_names(without_repeats(suite, repeats), registry)
    repeats.warn()

    all_algorithms = _with_unique_labels(uses_of_suite.algorithms + list(algorithms))
    all_datasets = _with_unique_labels(uses_of_suite.datasets + list(datasets))
    # A metric of the first truth is followed by the same one of each further truth.
    all_metrics = with_all_truths(uses_of_suite.metrics + list(metrics), all_datasets)
    all_metrics = _with_unique_labels(all_metrics)
    oracles = _with_unique_labels(uses_of_suite.oracles)

    for noun, uses in (("algorithms", all_algorithms), ("datasets", all_datasets)):
        if not uses:
            raise SuiteError(f"suite {suite.name} names no {noun}; add {noun} = [...]")
    _check_oracles(oracles, all_algorithms)
    # Refuses names of no data set before anything runs.
    families_of(all_datasets, suite.families)

    plan = Plan(
        suite,
        algorithms=tuple(all_algorithms),
        datasets=tuple(all_datasets),
        metrics=tuple(all_metrics),
    )
    only = _restrictions(suite, registry)
    for dataset in all_datasets:
        _add_cells(plan, dataset, oracles, only, registry)
    return plan


@dataclass(slots=True)
class _NamedUses:
    """What the names in a suite mean."""

    algorithms: list[Use[AlgorithmSpec]]
    datasets: list[Use[DatasetSpec]]
    metrics: list[Use[MetricSpec]]
    oracles: list[Use[OracleSpec]]


def _uses_of_suite(suite: Suite, registry: Registry, repeats: Repeats) -> _NamedUses:
    """Find what a suite names, and raise one error for all names that are wrong."""
    # All wrong names are told at once, so that a user corrects them in one go.
    errors: list[HcbenchError] = []

    def uses_of(entry: str, find: Callable[[str], list[Use[S]]]) -> list[Use[S]]:
        uses_by_name: list[tuple[str, list[Use[S]]]] = []
        for name in getattr(suite, entry):
            try:
                uses_by_name.append((name, find(name)))
            except HcbenchError as error:
                errors.append(error)
        return different_uses(entry, uses_by_name, repeats)

    uses = _NamedUses(
        algorithms=uses_of("algorithms", registry.use_algorithms),
        datasets=uses_of("datasets", registry.use_datasets),
        metrics=uses_of("metrics", registry.use_metrics),
        oracles=uses_of("oracles", registry.use_oracles),
    )
    if errors:
        # A name that the suite has in two places is told once.
        texts = dict.fromkeys(map(str, errors))
        raise type(errors[0])("; ".join(texts))
    _check_labels(suite)
    return uses


def _check_labels(suite: Suite) -> None:
    """Refuse a label that a suite gives to several data sets, as in ``LABEL=NAME``."""
    labels = []
    for name in dict.fromkeys(suite.datasets):
        label, _ = split_alias(name)
        if label:
            labels.append(label)
    for label in labels:
        if labels.count(label) > 1:
            raise ParameterError(
                f"{label} is the label of several data sets; give each one a label of its own: "
                f"{label}1=NAME,{label}2=NAME"
            )


def _add_cells(
    plan: Plan,
    dataset: Use[DatasetSpec],
    oracles: Sequence[Use[OracleSpec]],
    only: _Restrictions,
    registry: Registry,
) -> None:
    """Add the cells of a data set to a plan, and what is inapplicable to it."""
    suite = plan.suite
    # What a data set declares to provide decides which oracles apply; no data exist yet.
    provided = dataset.provides
    first_repetition = []
    for algorithm in plan.algorithms:
        allowed = _allowed(only, algorithm, dataset, oracles)
        if allowed is None:
            continue
        able, unable = choose_oracles(
            algorithm, provided, dataset.label, allowed, registry, dataset.params.get("n")
        )
        # What cannot run is shown with its reason, and is no cell.
        for label, reason in unable:
            combination = Inapplicable(algorithm.label, dataset.label, label, reason)
            plan.inapplicable.append(combination)
        for oracle in able:
            # Checkpoints are numbers of queries.
            checkpoints: tuple[int, ...] = ()
            if oracle.spec.countable:
                checkpoints = tuple(sorted(suite.checkpoints))
            for budget in _budgets_of(oracle, suite.budgets):
                cell = Cell(
                    algorithm=algorithm,
                    dataset=dataset,
                    oracle=oracle,
                    repetition=0,
                    seed=suite.seed,
                    budget=budget,
                    checkpoints=checkpoints,
                    metrics=plan.metrics,
                    threads=suite.threads,
                )
                first_repetition.append(cell)

    # Repetitions are interleaved over algorithms, so that a machine that slows down slows all.
    for repetition in range(suite.repetitions):
        for cell in first_repetition:
            plan.cells.append(replace(cell, repetition=repetition))


def _check_price(oracle: Use[OracleSpec], budget: Budget) -> None:
    """Refuse a budget of money for an oracle whose parameters say that answers cost nothing."""
    if oracle.spec.price is None:
        return
    if load_function(oracle.spec.price)(**oracle.params) == 0:
        raise ParameterError(
            f"{oracle.label}: its answers have no price, so a budget of {budget} would limit "
            f"nothing; set its prices (hcbench info {oracle.spec.name}), or write a budget of "
            f"tokens, such as 5000{TOKENS}"
        )


def _budgets_of(use: Use[OracleSpec], budgets: Sequence[Budget]) -> Sequence[Budget | None]:
    """The budgets that limit an oracle: of queries if it counts them, of money if it is paid."""
    oracle = use.spec
    limiting: list[Budget | None] = []
    for budget in budgets:
        if isinstance(budget, int):
            if oracle.countable:
                limiting.append(budget)
        elif oracle.currency:
            amount, unit = split_budget(budget)
            # Tokens limit every paid oracle; money only one that is paid in it, as rates change.
            if unit not in (TOKENS, oracle.currency):
                raise ParameterError(
                    f"{oracle.name} is paid in {oracle.currency}, not in {unit}: write for example "
                    f"{amount}{oracle.currency}"
                )
            if unit == oracle.currency:
                _check_price(use, budget)
            limiting.append(budget)
    # An oracle that no budget limits runs once, without one.
    return limiting or (None,)


#: By algorithm and data set the oracles, all by identity.
_Restrictions: TypeAlias = dict[str, dict[str, set[str]]]


def _restrictions(suite: Suite, registry: Registry) -> _Restrictions:
    """The only data sets and oracles of restricted algorithms, by identity.

    No oracle means all.
    """
    only: _Restrictions = {}
    for algorithm, dataset, *oracles in suite.only:
        oracle_identities: set[str] = set()
        for name in oracles:
            oracle_identities.update(map(_identity, registry.use_oracles(name)))
        # A name may be a grid or a pattern, and several entries may be about one algorithm: their
        # data sets and oracles add up.
        for algorithm_use in registry.use_algorithms(algorithm):
            on_datasets = only.setdefault(algorithm_use.identity, {})
            for dataset_use in registry.use_datasets(dataset):
                on_datasets.setdefault(dataset_use.identity, set()).update(oracle_identities)
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
    # Equal files under two names are kept apart by `apart`, which no restriction mentions.
    identities = only[algorithm.identity].get(replace(dataset, apart="").identity)
    if identities is None:
        return None
    allowed = []
    for oracle in oracles:
        if oracle.identity in identities:
            allowed.append(oracle)
    return allowed or oracles


def _check_oracles(
    oracles: Sequence[Use[OracleSpec]], algorithms: Sequence[Use[AlgorithmSpec]]
) -> None:
    """Refuse an oracle that no algorithm accepts, as another one would replace it silently."""
    accepted_kinds: set[str] = set()
    texts = []
    for algorithm in algorithms:
        accepted_kinds.update(algorithm.spec.accepts)
        texts.append(f"{algorithm.label} accepts {', '.join(algorithm.spec.accepts)}")
    for oracle in oracles:
        if oracle.spec.kind not in accepted_kinds:
            raise ParameterError(f"no algorithm accepts {oracle.label}: {'; '.join(texts)}")


def _with_unique_labels(uses: Sequence[Use[S]]) -> list[Use[S]]:
    """Each use once, in their order, with a unique label.

    If different ones share a label, it becomes their full name; if that is the same too, as of
    functions of one caller, they are numbered.
    """
    use_of_identity: dict[str, Use[S]] = {}
    for use in uses:
        use_of_identity[use.identity] = use
    unique = list(use_of_identity.values())
    sharing: dict[str, list[Use[S]]] = {}
    for use in unique:
        sharing.setdefault(use.label, []).append(use)

    # All labels count as used from the beginning, so that no new label takes one of a later use.
    used_labels = set(sharing)
    new_labels: dict[str, str] = {}
    for label, same in sharing.items():
        for identity, full_label in _labels_apart(label, same).items():
            new_labels[identity] = _numbered(full_label, used_labels)
            used_labels.add(new_labels[identity])

    relabelled = []
    for use in unique:
        label = new_labels.get(use.identity, use.label)
        relabelled.append(replace(use, label=label))
    return relabelled


def _labels_apart(label: str, same: Sequence[Use[Any]]) -> dict[str, str]:
    """By identity, what distinguishes uses of one label; without those that keep the label."""
    distributions = {use.plugin.distribution for use in same}
    if len(distributions) == 1:
        # Of one plugin, the first keeps the label, and those after it are numbered.
        return {use.identity: label for use in same[1:]}
    full_labels = {}
    for use in same:
        full_labels[use.identity] = f"{use.plugin.distribution}:{label}"
    return full_labels


def _identity(use: Use[Any]) -> str:
    """What distinguishes a use from others, whatever its label is."""
    return use.identity


def _numbered(label: str, used_labels: Collection[str]) -> str:
    """A label, with the first number that makes it unique if it is used already."""
    unique = label
    number = 2
    while unique in used_labels:
        unique = f"{label}#{number}"
        number += 1
    return unique


def metric_keys(plan: Plan) -> dict[str, str]:
    """Label to key: the values of a changed metric are not those of the old one."""
    keys = {}
    for metric in plan.metrics:
        keys[metric.label] = blake2b(metric.identity.encode(), digest_size=16).hexdigest()
    return keys


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
        numbers = ", ".join(map(str, self.numbers))
        if len(self.numbers) == 1:
            return f"shard {numbers} of {self.count}"
        return f"shards {numbers} of {self.count}"


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
    # The same for all shards, in whatever order the cells are.
    keys = [cell.key for cell in cells]
    keys.sort()
    digest = blake2b("".join(keys).encode(), digest_size=16)

    # Sorting is stable: within a repetition the cells keep the order of the plan.
    by_repetition = sorted(range(len(cells)), key=lambda place: cells[place].repetition)
    first = (number - 1) * len(cells) // count
    last = number * len(cells) // count
    # In the order of the plan again, so that cells that share data are adjacent.
    places = sorted(by_repetition[first:last])
    inapplicable: list[Inapplicable] = []
    if number == 1:
        # They take no time, and are in one shard.
        inapplicable = plan.inapplicable

    return replace(
        plan,
        cells=[cells[place] for place in places],
        inapplicable=inapplicable,
        shard=Shard((number,), count, digest.hexdigest()),
        full_plan=plan,
    )
