"""Verifying results of others: a random share of their cells is run again and compared.

Whoever sends results cannot know which cells are run again, so that a value that was changed, or a
row that was invented, is found with the probability of the share. What can be checked without
running a cell is checked of all: its seeds follow from names and the base seed, and its key from
all that decides its result.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from hcbench.errors import HcbenchError, ParameterError
from hcbench.plan.outcome import REPORTED, Outcome
from hcbench.registry.fingerprint import installation
from hcbench.run.again import rebuild, run_in_workers

if TYPE_CHECKING:
    from hcbench.plan.cell import Cell
    from hcbench.registry import Registry
    from hcbench.registry.uses import Use
    from hcbench.store import Store

ROUNDING = 1e-9
"""Values that differ by at most this, relative to the larger of 1 and their size, are equal but for
rounding."""

Agreement: TypeAlias = Literal["equal", "rounding", "different"]

#: Statuses that follow from the algorithm, and not from the machine.
_REPEATABLE = ("ok", "error", "budget", "unanswered")
#: Costs that are counted, and therefore the same each time.
_COUNTED = ("queries", "distinct_queries", "rounds", "draws")
#: Units of metrics that are measured, and differ each time.
_MEASURED_UNITS = ("s", "bytes")
#: Algorithms, data sets and oracles that a message about a change names.
_MOST_SUBJECTS = 3
_SEEDS = ("data_seed", "noise_seed", "algorithm_seed")


@dataclass(frozen=True, slots=True)
class Compared:
    """A number of a cell, as it is stored and as it is now.

    Attributes
    ----------
    cell : str
        The key of the cell.
    algorithm, dataset, oracle : str
        Its labels.
    repetition : int
    name : str
        Of the number: the label of a metric, possibly at a checkpoint, a counted cost, or "status".
    stored, now : float, str or None
    agreement : {"equal", "rounding", "different"}
        Equal to the bit, equal but for rounding, or different.
    """

    cell: str
    algorithm: str
    dataset: str
    oracle: str
    repetition: int
    name: str
    stored: float | str | None
    now: float | str | None
    agreement: Agreement


@dataclass(slots=True)
class Verification:
    """What verifying a run has shown.

    Attributes
    ----------
    seed : int
        Which selects the same cells again.
    cells : int
        How many cells the run has.
    faults : list of str
        What contradicts itself in cells, run again or not.
    changes : list of str
        What of plugins and files differs from what the cells were made with, each once.
    compared : list of Compared
        All numbers of the cells that were run again.
    seconds : list of (float, float)
        The time of each of these cells, as it is stored and now.
    excluded : dict of str to int
        Why cells cannot be run again here, and how many these are.
    """

    seed: int
    cells: int = 0
    faults: list[str] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    compared: list[Compared] = field(default_factory=list)
    seconds: list[tuple[float, float]] = field(default_factory=list)
    excluded: dict[str, int] = field(default_factory=dict)

    @property
    def run_again(self) -> int:
        """The number of cells that were run again."""
        return len({compared.cell for compared in self.compared})

    @property
    def is_met(self) -> bool:
        """Whether cells were run again, and nothing was different or contradicted itself."""
        if self.faults or not self.compared:
            return False
        return all(compared.agreement != "different" for compared in self.compared)

    @property
    def time_rank_correlation(self) -> float | None:
        """Kendall's tau of the stored and the new times; None for fewer than three cells.

        Times of two machines cannot be compared as numbers, but which cells take longer can.
        """
        if len(self.seconds) < 3:
            return None
        from scipy.stats import kendalltau

        stored = [pair[0] for pair in self.seconds]
        now = [pair[1] for pair in self.seconds]
        tau = float(kendalltau(stored, now).statistic)
        # NaN if all times are equal.
        if math.isnan(tau):
            return None
        return tau


def verify_run(
    store: Store,
    run: int,
    registry: Registry,
    *,
    share: float,
    seed: int,
    timeout: float,
    jobs: int,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> Verification:
    """Run a random share of the cells of a run again.

    Parameters
    ----------
    store : Store
        With the run, which may be in memory.
    run : int
    registry : Registry
        The installed plugins: no code of the results is executed.
    share : float
        Of the cells that can be run again, at least one; above 0, at most 1.
    seed : int
        Selects the cells.
    timeout : float
        Wall time for the call of an algorithm, in seconds.
    jobs : int
        How many cells run at a time.
    progress : callable
        ``progress(done, all)`` is called after each cell.

    Returns
    -------
    Verification

    Raises
    ------
    ParameterError
        If the share is not in its interval.
    """
    if not 0 < share <= 1:
        raise ParameterError(f"a share is above 0 and at most 1, not {share:g}; try 0.05")
    verification = Verification(seed)
    candidates = _candidates(store, run, registry, verification)
    n_selected = min(len(candidates), math.ceil(share * len(candidates)))
    places = sorted(random.Random(seed).sample(range(len(candidates)), n_selected))
    selected = [candidates[place] for place in places]
    # Two cells are never equal, even of one description: each is its own key.
    stored_of = {cell: stored for stored, cell in selected}
    done = 0
    # The threads of the processes are those of their cells.
    for threads in sorted({cell.threads for _, cell in selected}):
        cells = [cell for _, cell in selected if cell.threads == threads]
        for cell, now in run_in_workers(cells, None, registry, timeout, jobs=jobs):
            done += 1
            progress(done, n_selected)
            if now.status == "skipped" and now.phase == "data":
                # A file or a download that is not there says nothing about the result.
                _exclude(verification, now.reason)
                continue
            stored = stored_of[cell]
            verification.compared += _compare(cell, stored, now)
            if stored.cost.seconds is not None and now.cost.seconds is not None:
                verification.seconds.append((stored.cost.seconds, now.cost.seconds))
    return verification


def _candidates(
    store: Store, run: int, registry: Registry, verification: Verification
) -> list[tuple[Outcome, Cell]]:
    """The cells that can be run again, after what is wrong with any was noted."""
    outcomes = store.cells(run=run)
    rows = outcomes.column("row").tolist()
    descriptions = store.row_descriptions(rows)
    # What has changed, and for which algorithms, data sets and oracles.
    changes: dict[str, dict[str, None]] = {}
    candidates = []
    for row, stored in zip(rows, outcomes, strict=True):
        if not stored.key:
            # An inapplicable combination: there is nothing to run.
            continue
        verification.cells += 1
        description = descriptions[row]
        try:
            cell, changes_of_cell = rebuild(stored, description, registry)
        except HcbenchError as error:
            _exclude(verification, str(error))
            continue
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            verification.faults.append(f"{_name_of(stored)}: its description is damaged: {error!r}")
            continue
        _note(changes, changes_of_cell, cell)
        if not _is_named(stored.dataset, cell.dataset, registry.use_datasets):
            # The user may have given it a name, as in --datasets "genes=./expr.csv".
            name_given = f"{stored.dataset} is a name that was given to {cell.dataset.label}"
            changes[name_given] = {"": None}
        fault = _wrong_name(cell, stored, registry)
        if not fault:
            fault = _fault_of(cell, stored, description, has_changed=bool(changes_of_cell))
        if fault:
            verification.faults.append(f"{_name_of(stored)}: {fault}")
        reason = _why_excluded(cell, stored)
        if reason:
            _exclude(verification, reason)
        else:
            candidates.append((stored, cell))
    for text, subjects in changes.items():
        verification.changes.append(_with_subjects(text, list(subjects)))
    return candidates


def _note(changes: dict[str, dict[str, None]], changes_of_cell: Sequence[str], cell: Cell) -> None:
    """Note the changes of a cell with those of the others."""
    for change in changes_of_cell:
        subject, text = _subject_of(change, cell)
        changes.setdefault(text, {})[subject] = None


def _subject_of(change: str, cell: Cell) -> tuple[str, str]:
    """What of a cell has changed, "" if that is unknown, and how."""
    for use in (cell.algorithm, cell.dataset, cell.oracle):
        prefix = f"{use.label}: "
        if change.startswith(prefix):
            return use.label, change.removeprefix(prefix)
    return "", change


def _with_subjects(text: str, subjects: Sequence[str]) -> str:
    """A change with what it concerns: a library is another one for many algorithms alike."""
    if len(subjects) > _MOST_SUBJECTS:
        more = len(subjects) - _MOST_SUBJECTS
        named = f"{', '.join(subjects[:_MOST_SUBJECTS])} and {more} more"
    else:
        named = ", ".join(subjects)
    if not named:
        return text
    return f"{named}: {text}"


def _exclude(verification: Verification, reason: str) -> None:
    verification.excluded[reason] = verification.excluded.get(reason, 0) + 1


def _name_of(stored: Outcome) -> str:
    """A cell in a message."""
    labels = f"{stored.algorithm} on {stored.dataset} through {stored.oracle}"
    return f"cell {stored.key[:8]} ({labels}, repetition {stored.repetition})"


def _wrong_name(cell: Cell, stored: Outcome, registry: Registry) -> str:
    """Which name of a stored cell is not that of what it has run; "" if both are."""
    names = (
        ("algorithm", stored.algorithm, cell.algorithm, registry.use_algorithms),
        ("oracle", stored.oracle, cell.oracle, registry.use_oracles),
    )
    for noun, label, use, resolve in names:
        if not _is_named(label, use, resolve):
            return f"its {noun} is called {label}, and what it has run is {use.label}"
    return ""


def _is_named(label: str, use: Use[Any], resolve: Callable[[str], list[Any]]) -> bool:
    """Whether a label means what was used, with the same parameters."""
    try:
        uses = resolve(label)
    except HcbenchError:
        return False
    # A grid means several uses, and no cell has several.
    if len(uses) != 1:
        return False
    return bool(uses[0].spec == use.spec) and bool(uses[0].params == use.params)


def _fault_of(
    cell: Cell, stored: Outcome, description: Mapping[str, Any], *, has_changed: bool
) -> str:
    """What contradicts itself in a stored cell; "" if nothing does."""
    for name in _SEEDS:
        if description.get(name) != getattr(cell, name):
            return (
                f"its {name.replace('_', ' ')} is {description.get(name)}, and follows from its "
                f"names and base seed as {getattr(cell, name)}"
            )
    if not has_changed and cell.key != stored.key:
        return f"its key is {stored.key[:8]}, and follows from what it has run as {cell.key[:8]}"
    return ""


def _why_excluded(cell: Cell, stored: Outcome) -> str:
    """Why a cell is not run again; "" if it can be."""
    if cell.oracle.spec.is_live:
        return f"the answers of {cell.oracle.label} cost money or a person's time"
    for use in (cell.algorithm, cell.dataset, cell.oracle):
        command = installation(use.spec.requires)
        if command:
            return f"{use.label} needs what is not installed: {command}"
    if stored.status not in _REPEATABLE:
        return f"the status {stored.status} depends on the machine"
    return ""


def _compare(cell: Cell, stored: Outcome, now: Outcome) -> Iterator[Compared]:
    """All numbers of a cell that was run again."""
    units = {metric.label: metric.spec.unit for metric in cell.metrics}
    before = _numbers_of(stored, units)
    after = _numbers_of(now, units)
    for name, number in before.items():
        yield Compared(
            cell=stored.key,
            algorithm=stored.algorithm,
            dataset=stored.dataset,
            oracle=stored.oracle,
            repetition=stored.repetition,
            name=name,
            stored=number,
            now=after.get(name),
            agreement=_agreement(number, after.get(name)),
        )


def _numbers_of(outcome: Outcome, units: Mapping[str, str]) -> dict[str, float | str | None]:
    """Status, data, counted costs and values of a cell, without what is measured."""
    numbers: dict[str, float | str | None] = {"status": outcome.status}
    numbers["data"] = outcome.data_digest
    for name in _COUNTED:
        numbers[name.replace("_", " ")] = getattr(outcome.cost, name)
    for point in outcome.points:
        place = ""
        if point.checkpoint is not None:
            place = f" at {point.checkpoint:,}"
        for label, value in point.values.items():
            # Reported numbers may be times, of which nothing is known.
            is_measured = units.get(label) in _MEASURED_UNITS or label.endswith(REPORTED)
            # Values that are not final were lost with their worker.
            if is_measured or not value.final:
                continue
            name = f"{label}{place}"
            numbers[name] = value.value
            if value.value is None:
                # That there is none must be the same, too.
                numbers[name] = value.status
    return numbers


def _agreement(stored: float | str | None, now: float | str | None) -> Agreement:
    """How two numbers agree."""
    if stored == now:
        return "equal"
    if not isinstance(stored, int | float) or not isinstance(now, int | float):
        return "different"
    if math.isnan(stored) and math.isnan(now):
        return "equal"
    if abs(stored - now) <= ROUNDING * max(1.0, abs(stored), abs(now)):
        return "rounding"
    return "different"
