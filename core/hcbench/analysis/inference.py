"""What the cells of a comparison allow to conclude: the blocks of its statistics.

Repetitions on the same data differ only in the random numbers of oracle and algorithm. As blocks
of a test they would be pseudo-replication [1]_: the same observation, counted many times. So would
the sizes, samples and preprocessings of one source of data, which is called a family
(`hcbench.registry.families`).

References
----------
.. [1] S. H. Hurlbert, "Pseudoreplication and the design of ecological field experiments",
   Ecological Monographs 54 (1984).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from hcbench.analysis.groups import Group

#: What a block of the statistics is.
Unit: TypeAlias = Literal["data set", "family", "repetition"]
_PLURALS: Mapping[Unit, str] = {
    "data set": "data sets",
    "family": "families",
    "repetition": "repetitions",
}
_MOST_NAMED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Inference:
    """What statements about algorithms the cells of a comparison allow.

    Attributes
    ----------
    unit : {"data set", "family", "repetition"}
        What a block is: a data set; a family of data sets, if one has several of them; or a
        repetition, if there is one family.
    subject : str
        What a statement is about: "data sets", "families of data sets", or the data set or family
        whose repetitions are blocks.
    draws : mapping of data set to bool
        Whether each of its repetitions has data of its own.
    families : mapping of family to tuple of str
        Its data sets that are compared.
    reason : str
        Why there is no test; "" if there is one.
    """

    unit: Unit
    subject: str
    draws: Mapping[str, bool]
    families: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    reason: str = ""

    @property
    def has_variants(self) -> bool:
        """Whether a family has several data sets, over which is averaged."""
        return any(len(datasets) > 1 for datasets in self.families.values())

    def family_of(self, dataset: str) -> str:
        """The family of a data set that is compared."""
        for family, datasets in self.families.items():
            if dataset in datasets:
                return family
        raise KeyError(dataset)

    def count(self, n: int) -> str:
        """A number of blocks, such as "3 families"."""
        if n == 1:
            return f"1 {self.unit}"
        return f"{n} {self.units}"

    @property
    def units(self) -> str:
        """What several blocks are called."""
        return _PLURALS[self.unit]

    @property
    def families_text(self) -> str:
        """How many data sets are of how many families: "12 data sets of 1 family: iris"."""
        names = list(self.families)
        n_datasets = sum(map(len, self.families.values()))
        listed = ", ".join(names[:_MOST_NAMED])
        if len(names) > _MOST_NAMED:
            listed += f" and {len(names) - _MOST_NAMED} more"
        of_families = "1 family"
        if len(names) > 1:
            of_families = f"{len(names)} families"
        return f"{n_datasets} data sets of {of_families}: {listed}"


def allowed_inference(
    groups: Iterable[Group],
    dependent: Iterable[str] = (),
    families: Mapping[str, str] | None = None,
) -> Inference:
    """What statements the cells of a comparison allow.

    Blocks are data sets, or families if one has several data sets: its sizes, parts and
    preprocessings are not independent. With a single family, blocks are its repetitions if each of
    them has data of its own, by the digests of the data, and they are independent; otherwise there
    is no test. Data sets with equal data are of one family.

    Parameters
    ----------
    groups : iterable of Group
    dependent : iterable of str
        Labels of data sets whose repetitions share items.
    families : mapping of label to str, optional
        The family of each data set; by default each is its own.
    """
    digests = _digests_of_datasets(groups)
    draws = {}
    for dataset, digest_of_repetition in digests.items():
        n_different = len(set(digest_of_repetition.values()))
        # Of one repetition it is unknown whether another one would have other data.
        draws[dataset] = n_different > 1 and n_different == len(digest_of_repetition)
    members = _group_families(digests, families or {})
    if len(members) == 1:
        return _inference_of_one(digests, draws, members, set(dependent))
    if len(members) < len(digests):
        return Inference(
            unit="family", subject="families of data sets", draws=draws, families=members
        )
    return Inference(unit="data set", subject="data sets", draws=draws, families=members)


#: The digest of the data in each repetition.
_Digests: TypeAlias = Mapping[int, str]


def _digests_of_datasets(groups: Iterable[Group]) -> dict[str, _Digests]:
    """The digests of the data of each data set.

    A repetition that failed before it had data has none.
    """
    digests: dict[str, dict[int, str]] = {}
    for group in groups:
        of_dataset = digests.setdefault(group.dataset, {})
        repetitions = group.outcomes.column("repetition").tolist()
        data_digests = group.outcomes.column("data_digest").tolist()
        for repetition, digest in zip(repetitions, data_digests, strict=True):
            if digest:
                of_dataset[repetition] = digest
    return dict(digests)


def _group_families(
    digests: Mapping[str, _Digests], families: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """The data sets of each family; those with equal data are of the family of the first."""
    members: dict[str, list[str]] = {}
    family_of_digest: dict[str, str] = {}
    for dataset, digest_of_repetition in digests.items():
        family = families.get(dataset, dataset)
        # Copies are not told by their names, as of one array that is given twice.
        for digest in digest_of_repetition.values():
            family = family_of_digest.get(digest, family)
        for digest in digest_of_repetition.values():
            family_of_digest[digest] = family
        members.setdefault(family, []).append(dataset)
    families_of_run = {}
    for family, datasets in members.items():
        families_of_run[family] = tuple(datasets)
    return families_of_run


def _inference_of_one(
    digests: Mapping[str, _Digests],
    draws: Mapping[str, bool],
    members: Mapping[str, tuple[str, ...]],
    dependent: Set[str],
) -> Inference:
    """What statements the data sets of one family allow, or the only data set."""
    ((family, datasets),) = members.items()
    unit: Unit = "data set"
    subject = datasets[0]
    if len(datasets) > 1:
        unit = "family"
        subject = f"{family} with these parameters"
    shares_items = not dependent.isdisjoint(datasets)
    if all(draws.values()) and not shares_items:
        # Each repetition is a new draw of the generator, with all of these parameters.
        return Inference(unit="repetition", subject=subject, draws=draws, families=members)
    inference = Inference(unit=unit, subject=subject, draws=draws, families=members)
    is_repeated = any(len(of_dataset) > 1 for of_dataset in digests.values())
    reason = _why_no_test(inference, is_repeated=is_repeated, shares_items=shares_items)
    return replace(inference, reason=reason)


def _why_no_test(inference: Inference, *, is_repeated: bool, shares_items: bool) -> str:
    """Why the repetitions on one data set or family are no blocks."""
    if inference.unit == "family":
        if is_repeated:
            return inference.families_text
        return f"{inference.families_text}, with one repetition on each"
    if not is_repeated:
        return f"there is one repetition on {inference.subject}"
    if shares_items:
        return f"all repetitions on {inference.subject} have some of the same items"
    return f"all repetitions on {inference.subject} have the same data"
