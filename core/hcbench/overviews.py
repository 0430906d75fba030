"""The tables of a comparison: of each data set, or of many at once; average ranks; verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from hcbench.tables import (
    ARROWS,
    KEYS,
    NOTHING,
    Block,
    Entry,
    Notes,
    dataset_block,
    joined,
    key_text,
    remarks_on,
    troubles,
    value_entry,
)
from hcbench.verdicts import WORDS, Verdict, describe_claimed

if TYPE_CHECKING:
    from hcbench.groups import Group
    from hcbench.layout import MetricInfo
    from hcbench.results import Results

UNGROUPED = 12  # so many claims are one table


def make_tables(results: Results, most: int | None = None) -> list[Block]:
    """All that there is to show: data sets, average ranks, verdicts.

    Parameters
    ----------
    results : Results
    most : int, optional
        Of more data sets than so many there is no table each, but one for each metric of quality,
        with a row for each data set.
    """
    if most is not None and len(results.datasets) > most:
        blocks = _overview_blocks(results)
    else:
        blocks = [dataset_block(results, dataset) for dataset in results.datasets]
    return [*blocks, *_ranking_blocks(results), *_verdict_blocks(results)]


# ---- Many data sets ------------------------------------------------------------------------------


def _overview_blocks(results: Results) -> list[Block]:
    """A table for each metric of quality; of all metrics, if there is none of quality."""
    metrics = [metric for metric in results.metrics if not metric.cost] or results.metrics
    groups = [group for group in results.groups if group.checkpoint is None]
    variants = _variants(groups)
    return [_overview_block(results, metric, groups, variants) for metric in metrics]


def _overview_block(
    results: Results, metric: MetricInfo, groups: Sequence[Group], variants: dict[Group, str]
) -> Block:
    columns = list(dict.fromkeys(variants.values()))
    place = {(group.dataset, variants[group]): group for group in groups}
    notes = Notes()
    rows = []
    for dataset in results.datasets:
        best = results.best_rows(dataset, metric)
        row = [Entry(dataset)]
        for column in columns:
            group = place.get((dataset, column))
            row.append(
                Entry(NOTHING) if group is None else _noted_entry(group, metric, best, notes)
            )
        rows.append(tuple(row))
    title = f"{metric.label}{ARROWS[metric.direction]}"
    numeric = (False, *(True for _ in columns))
    return Block(title, ("data set", *columns), numeric, tuple(rows), notes.texts)


def _noted_entry(group: Group, metric: MetricInfo, best: Sequence[Group], notes: Notes) -> Entry:
    """A value, marked with all that is to be known of its cells."""
    marks = notes.mark([*troubles(group), *remarks_on(group)])
    entry = value_entry(group, metric, group in best, notes)
    return Entry(entry.text, entry.bold, tuple(dict.fromkeys([*marks, *entry.marks])))


def _variants(groups: Sequence[Group]) -> dict[Group, str]:
    """The algorithm of each group, with all that tells it from others on the same data set."""
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
        told = [key for key in ("oracle", "budget") if key in varying.get(group.algorithm, ())]
        parts = [f"{KEYS[key]} {key_text(key, getattr(group, key))}" for key in told]
        names[group] = ", ".join([group.algorithm, *parts])
    return names


# ---- Ranks and verdicts --------------------------------------------------------------------------


def _ranking_blocks(results: Results) -> list[Block]:
    """Average ranks, if they say more than one block of a data set does."""
    ranking = results.ranking
    if len(results.datasets) < 2 or not ranking:
        return []
    metrics = list(dict.fromkeys(row["metric"] for row in ranking))
    names = list(dict.fromkeys(row["algorithm"] for row in ranking))
    rank = {(row["algorithm"], row["metric"]): row["average_rank"] for row in ranking}
    best = {metric: min(rank[name, metric] for name in names) for metric in metrics}
    blocks = {row["metric"]: row["blocks"] for row in ranking}
    rows = tuple(
        (
            Entry(name),
            *(Entry(f"{rank[name, m]:.2f}", rank[name, m] == best[m]) for m in metrics),
        )
        for name in names
    )
    counted = ", ".join(f"{metric}: {count}" for metric, count in blocks.items())
    note = f"over data sets and repetitions that all could do, a failure is last ({counted})"
    header = ("algorithm", *metrics)
    numeric = (False, *(True for _ in metrics))
    return [Block("average rank, 1 is best", header, numeric, rows, (note,))]


def _verdict_blocks(results: Results) -> list[Block]:
    """The verdicts, together; many are grouped by what stands before the colon of the claim."""
    verdicts = results.judged
    if not verdicts:
        return []
    heads = [_head(verdict.claim.claim) for verdict in verdicts]
    count = Counter(heads) if len(verdicts) > UNGROUPED else Counter()
    groups: dict[str, list[Verdict]] = {}
    for head, verdict in zip(heads, verdicts, strict=True):
        groups.setdefault(head if count[head] > 1 else "", []).append(verdict)
    if len(groups) == 1:
        groups = {"": verdicts}
    return [_verdict_block(head, of_group) for head, of_group in groups.items()]


def _head(claim: str) -> str:
    """What stands before the first colon: where it is, such as "Table 2"."""
    head, colon, _ = claim.partition(": ")
    return head if colon else ""


def _verdict_block(head: str, verdicts: Sequence[Verdict]) -> Block:
    notes: dict[str, int] = {}
    rows = []
    for verdict in verdicts:
        claim = verdict.claim.claim.removeprefix(f"{head}: ") if head else verdict.claim.claim
        marks = tuple(notes.setdefault(note, len(notes) + 1) for note in verdict.notes)
        measured = NOTHING
        if verdict.measured is not None:
            measured = joined(verdict.measured, verdict.standard_error, ".4g", "")
        rows.append(
            (
                Entry(claim, marks=marks),
                Entry(describe_claimed(verdict.claim)),
                Entry(measured),
                Entry(verdict.verdict, verdict.verdict == "reproduced"),
            )
        )
    return Block(
        f"{f'claims of {head}' if head else 'claims'}: {count_verdicts(verdicts)}",
        ("claim", "paper", "measured ± s.e.", "verdict"),
        (False, False, True, False),
        tuple(rows),
        tuple(notes),
    )


_PLURALS = {"differs": "differ", "erratum": "errata"}


def count_verdicts(verdicts: Iterable[Verdict]) -> str:
    """How many claims have which verdict: "52 reproduced, 5 differ, 3 errata"."""
    count = Counter(verdict.verdict for verdict in verdicts)
    return ", ".join(
        f"{count[word]} {word if count[word] == 1 else _PLURALS.get(word, word)}"
        for word in WORDS
        if count[word]
    )
