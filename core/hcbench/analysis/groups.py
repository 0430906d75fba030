"""Repetitions that belong together, and what a metric says to each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hcbench.plan.outcome import Outcome, Value


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """The repetitions of one algorithm, on one data set, through one oracle, with one budget.

    Attributes
    ----------
    algorithm, dataset, oracle : str
    budget : int or None
    checkpoint : int or None
        At which point of the calls; None for the end.
    outcomes : tuple of Outcome
    """

    algorithm: str
    dataset: str
    oracle: str
    budget: int | None
    checkpoint: int | None
    outcomes: tuple[Outcome, ...]

    def values(self, metric: str) -> list[Value]:
        """What a metric says to each repetition."""
        return [value_at(outcome, self.checkpoint, metric) for outcome in self.outcomes]

    def numbers(self, metric: str) -> list[float]:
        """The values that there are."""
        return [value.value for value in self.values(metric) if value.value is not None]

    def failed(self, metric: str) -> int:
        """How many repetitions have no value although it could be: failures, not what is n/a."""
        judged = zip(self.outcomes, self.values(metric), strict=True)
        return sum(outcome.failed or value.status == "error" for outcome, value in judged)


def value_at(outcome: Outcome, checkpoint: int | None, metric: str) -> Value:
    """The value of a metric at one point of an outcome, or why there is none."""
    for point in outcome.points:
        if point.checkpoint == checkpoint and metric in point.values:
            return point.values[metric]
    if outcome.status == "ok":
        return Value(None, "skipped", "not computed")
    return Value(None, "skipped", f"{outcome.status}: {outcome.reason}")


def name_variants(groups: Sequence[Group]) -> dict[Group, str]:
    """The algorithm of each group, with all that tells it from others on the same data set.

    An algorithm that runs with several oracles or budgets on one data set competes as often.
    """
    varying: dict[str, set[str]] = {}
    for key in ("oracle", "budget"):
        seen: dict[tuple[str, str], set[str | int | None]] = {}
        for group in groups:
            if group.oracle:
                seen.setdefault((group.algorithm, group.dataset), set()).add(getattr(group, key))
        for (algorithm, _), values in seen.items():
            if len(values) > 1:
                varying.setdefault(algorithm, set()).add(key)
    names = {}
    for group in groups:
        told = varying.get(group.algorithm, ())
        parts = [group.algorithm]
        if "oracle" in told:
            parts.append(f"oracle {group.oracle or '-'}")
        if "budget" in told:
            parts.append(f"budget {'none' if group.budget is None else f'{group.budget:,}'}")
        names[group] = ", ".join(parts)
    return names


def group_outcomes(
    outcomes: Sequence[Outcome], algorithms: Sequence[str], datasets: Sequence[str]
) -> list[Group]:
    """Put repetitions together, by data set and algorithm; the checkpoints first, then the end.

    Parameters
    ----------
    outcomes : sequence of Outcome
    algorithms, datasets : sequence of str
        All labels, in the order wanted.
    """
    together: dict[tuple[str, str, str, int | None], list[Outcome]] = {}
    for outcome in outcomes:
        key = (outcome.algorithm, outcome.dataset, outcome.oracle, outcome.budget)
        together.setdefault(key, []).append(outcome)
    rank = {label: i for i, label in enumerate(algorithms)}
    place = {label: i for i, label in enumerate(datasets)}
    ordered = sorted(together.items(), key=lambda kv: (place[kv[0][1]], rank[kv[0][0]]))
    return [
        Group(*key, checkpoint, tuple(sorted(cells, key=lambda o: o.repetition)))
        for key, cells in ordered
        for checkpoint in _checkpoints(cells)
    ]


def _checkpoints(outcomes: Sequence[Outcome]) -> list[int | None]:
    counts = {p.checkpoint for o in outcomes for p in o.points if p.checkpoint is not None}
    return [*sorted(counts), None]
