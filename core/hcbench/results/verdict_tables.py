"""The tables of verdicts on claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from hcbench.analysis.tables import (
    NOTHING,
    Block,
    TableEntry,
    mark_texts,
)
from hcbench.claims.decisions import WORDS
from hcbench.claims.descriptions import describe_claimed
from hcbench.claims.family_verdicts import PLURALS, FamilyVerdict
from hcbench.claims.verdicts import Verdict

if TYPE_CHECKING:
    from hcbench.results.evaluation import Evaluation

UNGROUPED = 12  # at most this many claims are in one table


def verdict_blocks(results: Evaluation) -> list[Block]:
    """The verdicts; more than `UNGROUPED` are grouped by the text before the colon of the claim."""
    families = results.judged_families
    if not families:
        return []
    if len(families) <= UNGROUPED:
        return [_verdict_block("", families)]
    count = Counter(map(_head_of, families))
    groups: dict[str, list[FamilyVerdict]] = {}
    for family in families:
        head = _head_of(family)
        if count[head] == 1:
            # A claim that is alone with its head stands in the table without one.
            head = ""
        groups.setdefault(head, []).append(family)
    if len(groups) == 1:
        # A head that all claims share distinguishes nothing.
        return [_verdict_block("", families)]
    blocks = []
    for head, families_of_head in groups.items():
        blocks.append(_verdict_block(head, families_of_head))
    return blocks


def _head_of(family: FamilyVerdict) -> str:
    """The text before the first colon of a claim, such as "Table 2"; "" without a colon."""
    head, colon, _ = family.claim.claim.partition(": ")
    if not colon:
        return ""
    return head


def _verdict_block(head: str, families: Sequence[FamilyVerdict]) -> Block:
    """The table of some claims; their head, if any, is in its title."""
    # Footnotes by their text, with their numbers.
    notes: dict[str, int] = {}
    rows = []
    verdicts: list[Verdict] = []
    for family in families:
        verdicts += family.verdicts
        text = family.claim.claim
        if head:
            text = text.removeprefix(f"{head}: ")
        marks = mark_texts(notes, family.notes)
        # Bold if all members are reproduced.
        is_reproduced = set(family.counts) == {"reproduced"}
        rows.append(
            (
                TableEntry(text, marks=marks),
                TableEntry(describe_claimed(family.claim)),
                TableEntry(family.measured or NOTHING),
                TableEntry(family.verdict, is_reproduced),
            )
        )
    title = "claims"
    if head:
        title = f"claims of {head}"
    return Block(
        f"{title}: {count_verdicts(verdicts)}",
        ("claim", "paper", "measured, 95 % interval", "verdict"),
        (False, False, True, False),
        tuple(rows),
        tuple(notes),
    )


def count_verdicts(verdicts: Iterable[Verdict]) -> str:
    """Numbers of claims by verdict: "52 reproduced, 5 differ, 3 errata confirmed"."""
    count = Counter(verdict.verdict for verdict in verdicts)
    texts = []
    for word in WORDS:
        number = count[word]
        if number == 1:
            texts.append(f"1 {word}")
        elif number:
            texts.append(f"{number} {PLURALS.get(word, word)}")
    return ", ".join(texts)
