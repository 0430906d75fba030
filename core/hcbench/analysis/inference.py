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

from collections.abc import Collection, Iterable, Mapping
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
    about : str
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
    about: str
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
        return f"{n} {self.unit if n == 1 else self.units}"

    @property
    def units(self) -> str:
        """What several blocks are called."""
        return _PLURALS[self.unit]

    @property
    def families_text(self) -> str:
        """How many data sets are of how many families: "12 data sets of 1 family: iris"."""
        n_datasets = sum(len(datasets) for datasets in self.families.values())
        n_families = len(self.families)
        noun = "family" if n_families == 1 else _PLURALS["family"]
        names = list(self.families)
        listed = ", ".join(names[:_MOST_NAMED])
        if n_families > _MOST_NAMED:
            listed += f" and {n_families - _MOST_NAMED} more"
        return f"{n_datasets} data sets of {n_families} {noun}: {listed}"


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
    digests: dict[str, dict[int, str]] = {}
    for group in groups:
        repetition, digest = map(group.outcomes.column, ("repetition", "data_digest"))
        has_digest = digest != ""
        pairs = zip(repetition[has_digest].tolist(), digest[has_digest].tolist(), strict=True)
        digests.setdefault(group.dataset, {}).update(pairs)
    draws = {
        dataset: 1 < len(of_one) == len(set(of_one.values())) for dataset, of_one in digests.items()
    }
    members = _group_families(digests, families or {})
    if len(members) == 1:
        return _inference_of_one(digests, draws, members, set(dependent))
    if len(members) < len(digests):
        unit: Unit = "family"
        about = "families of data sets"
    else:
        unit = "data set"
        about = "data sets"
    return Inference(unit=unit, about=about, draws=draws, families=members)


def _group_families(
    digests: Mapping[str, Mapping[int, str]], families: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """The data sets of each family; those with equal data are of the family of the first."""
    members: dict[str, list[str]] = {}
    family_of_digest: dict[str, str] = {}
    for dataset, of_one in digests.items():
        family = families.get(dataset, dataset)
        for digest in of_one.values():
            family = family_of_digest.get(digest, family)
        members.setdefault(family, []).append(dataset)
        for digest in of_one.values():
            family_of_digest[digest] = family
    return {family: tuple(datasets) for family, datasets in members.items()}


def _inference_of_one(
    digests: Mapping[str, Mapping[int, str]],
    draws: Mapping[str, bool],
    members: Mapping[str, tuple[str, ...]],
    dependent: Collection[str],
) -> Inference:
    """What statements the data sets of one family allow, or the only data set."""
    ((family, datasets),) = members.items()
    is_alone = len(datasets) == 1
    about = datasets[0] if is_alone else f"{family} with these parameters"
    shares_items = any(dataset in dependent for dataset in datasets)
    if all(draws.values()) and not shares_items:
        return Inference(unit="repetition", about=about, draws=draws, families=members)
    is_repeated = any(len(of_one) > 1 for of_one in digests.values())
    inference = Inference(
        unit="data set" if is_alone else "family", about=about, draws=draws, families=members
    )
    if is_alone:
        same = "some of the same items" if shares_items else "the same data"
        reason = f"all repetitions on {about} have {same}"
        if not is_repeated:
            reason = f"there is one repetition on {about}"
    else:
        reason = inference.families_text
        if not is_repeated:
            reason += ", with one repetition on each"
    return replace(inference, reason=reason)
