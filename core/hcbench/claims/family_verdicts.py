"""The verdicts on families of claims (see `hcbench.claims.families`)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hcbench.claims.decisions import WORDS, Word
from hcbench.claims.descriptions import describe_measured
from hcbench.claims.verdicts import Verdict, judge_claim

if TYPE_CHECKING:
    from hcbench.analysis.comparison import Comparison
    from hcbench.claims.families import Family
    from hcbench.registry.suite import Claim

#: Verdicts on several claims, where they differ from those on one.
PLURALS: dict[str, str] = {
    "differs": "differ",
    "erratum confirmed": "errata confirmed",
    "erratum refuted": "errata refuted",
    "other data": "on other data",
}
#: At most so many members of a family are named in a note.
MOST_MEMBERS = 3


@dataclass(frozen=True, slots=True)
class FamilyVerdict:
    """The verdicts on a family of claims, which are one line of a suite.

    Attributes
    ----------
    claim : Claim
        As written in the suite.
    verdicts : tuple of Verdict
        On its members.
    """

    claim: Claim
    verdicts: tuple[Verdict, ...]

    @property
    def is_single(self) -> bool:
        """Whether it is one claim."""
        return len(self.verdicts) == 1

    @property
    def counts(self) -> dict[Word, int]:
        """The number of members of each verdict that occurs, in the order of `WORDS`."""
        count = Counter(verdict.verdict for verdict in self.verdicts)
        counts = {}
        for word in WORDS:
            if count[word]:
                counts[word] = count[word]
        return counts

    @property
    def verdict(self) -> str:
        """The verdict that all members have, or how many have the first of `WORDS`."""
        counts = self.counts
        word, number = next(iter(counts.items()))
        if self.is_single:
            return word
        words = PLURALS.get(word, word)
        if len(counts) == 1:
            return f"all {number:,} {words}"
        return f"{number:,} of {len(self.verdicts):,} {words}"

    @property
    def notes(self) -> tuple[str, ...]:
        """Of one claim its notes; of several those of all, and which members have which verdict."""
        if self.is_single:
            return self.verdicts[0].notes
        # What all members share, such as the choice that the claim states.
        notes = []
        for note in self.verdicts[0].notes:
            n_with_note = sum(note in verdict.notes for verdict in self.verdicts)
            if n_with_note == len(self.verdicts):
                notes.append(note)
        explanation = self.claim.explanation
        if "differs" in self.counts and explanation and explanation not in notes:
            notes.append(f"where it differs: {explanation}")
        # The members of the first verdict are the many; those of the others are named.
        for word in list(self.counts)[1:]:
            notes.append(f"{word}: {self._members_with(word)}")
        return tuple(notes)

    def _members_with(self, word: Word) -> str:
        """The members of a verdict, by the names that distinguish them; at most `MOST_MEMBERS`."""
        names = []
        for verdict in self.verdicts:
            if verdict.verdict == word:
                # A member's text is that of the family, followed by the names that distinguish it.
                names.append(verdict.claim.claim.removeprefix(f"{self.claim.claim}: "))
        text = "; ".join(names[:MOST_MEMBERS])
        if len(names) > MOST_MEMBERS:
            text += f"; and {len(names) - MOST_MEMBERS:,} more"
        return text

    @property
    def measured(self) -> str:
        """What was measured, as in `describe_measured`; of several members the range of means."""
        if self.is_single:
            return describe_measured(self.verdicts[0])
        means = []
        for verdict in self.verdicts:
            if verdict.measured is not None:
                means.append(verdict.measured)
        if not means:
            return ""
        least = min(means)
        greatest = max(means)
        if least == greatest:
            return f"{least:.4g}"
        return f"means from {least:.4g} to {greatest:.4g}"


def judge_family(family: Family, results: Comparison) -> FamilyVerdict:
    """Compare each member of a family with what was measured."""
    verdicts = tuple(judge_claim(member, results) for member in family.members)
    return FamilyVerdict(family.claim, verdicts)
