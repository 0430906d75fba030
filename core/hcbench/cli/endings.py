"""What ``compare`` and ``run`` say at the end of a run, on stderr."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hcbench.cli.terminal import tell

if TYPE_CHECKING:
    from hcbench.plan.columns import Outcomes
    from hcbench.plan.plan import Plan
    from hcbench.results.results import Results
    from hcbench.store import Store

#: The digits of a key that ``hcbench rerun`` needs to find a cell.
_DIGITS_OF_A_KEY = 8


@dataclass
class _Payment:
    """What the answers of a run cost in one currency.

    Attributes
    ----------
    paid : float
        The price of the answers that were asked for now.
    saved : float
        The price of the answers that were stored.
    """

    paid: float = 0.0
    saved: float = 0.0


def tell_end(results: Results, store: Store, plugins: Sequence[Path], plan: Plan) -> None:
    """Write how the cells of a run ended, what they cost, where they are, and what to do next."""
    from hcbench.results.verdict_tables import count_verdicts

    # First what matters whatever the user does next; the verdicts last, where they are seen.
    outcomes = results.outcomes
    tell(_count_outcomes(outcomes))
    for currency, payment in _payments(plan, outcomes).items():
        tell(
            f"answers: {payment.paid:.4g} {currency} paid, "
            f"{payment.saved:.4g} {currency} saved by stored ones"
        )
    _tell_how_to_rerun(outcomes, store, plugins)
    # A store in memory is gone when the command ends.
    if store.location != ":memory:":
        tell(f"stored in {store.location}; see hcbench results")
    if results.judged:
        tell(f"claims: {count_verdicts(results.judged)}")


def _count_outcomes(outcomes: Outcomes) -> str:
    """The numbers of cells, by how they ended."""
    from hcbench.cli.progress import count_cells

    counts = Counter(outcomes.column("status").tolist())
    counts["failed"] = int(outcomes.failed.sum())
    parts = []
    for status in ("ok", "failed", "skipped"):
        if counts[status]:
            parts.append(f"{counts[status]} {status}")
    number_reused = sum(outcomes.column("reused").tolist())
    if number_reused:
        parts.append(f"{number_reused} of them stored before")
    number_with_failed_metric = int(outcomes.metric_failed.sum())
    if number_with_failed_metric:
        parts.append(f"a metric failed in {number_with_failed_metric}")
    return f"{count_cells(len(outcomes))}: {', '.join(parts)}"


def _payments(plan: Plan, outcomes: Outcomes) -> dict[str, _Payment]:
    """What the answers of paid oracles cost, by currency."""
    # Oracles whose answers are free have no price, which is not the same as a price of 0.
    has_price = [price is not None for price in outcomes.column("price")]
    priced = outcomes.take(has_price)
    if not priced:
        return {}
    currencies = {}
    for cell in plan.cells:
        currencies[cell.oracle.label] = cell.oracle.spec.currency
    payments: dict[str, _Payment] = {}
    for price, saved, oracle, is_reused in zip(
        priced.column("price"),
        priced.column("saved"),
        priced.column("oracle"),
        priced.column("reused"),
        strict=True,
    ):
        payment = payments.setdefault(currencies[oracle], _Payment())
        # This run has paid nothing for a cell that was stored before.
        saved_now = saved or 0.0
        if is_reused:
            saved_now = price
        payment.paid += price - saved_now
        payment.saved += saved_now
    return payments


def _tell_how_to_rerun(outcomes: Outcomes, store: Store, plugins: Sequence[Path]) -> None:
    """Write the command that runs the first failed cell again."""
    failed_keys = []
    for key in outcomes.take(outcomes.failed).column("key"):
        # A combination that is inapplicable has none.
        if key:
            failed_keys.append(key)
    if not failed_keys:
        return
    words = ["rerun", failed_keys[0][:_DIGITS_OF_A_KEY], "--in-process"]
    for file in plugins:
        words += ["--plugin", str(file)]
    tell(f"run a failed cell again with: {store.command(*words)}")
