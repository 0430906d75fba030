"""Families of data sets: those of one source, which are not independent of each other.

The source is a file, a collection or a generator. All its sizes, parts, preprocessings and
parameters are of one family, which statistics count once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from hcbench.errors import SuiteError
from hcbench.registry.names import parse_file, same_name
from hcbench.registry.parameters import Params
from hcbench.registry.specs import DatasetSpec
from hcbench.registry.uses import Use


def family_of(use: Use[DatasetSpec]) -> str:
    """The family of a data set, without its data.

    It is the one that its spec declares. By default it is that of the data set that its parameters
    name, as of ``subsample[of=iris]``; else the digest of its file; else its name without
    parameters.
    """
    declared = use.family
    if declared:
        return declared
    for part in use.parts:
        if isinstance(part.spec, DatasetSpec):
            return family_of(part)
    # Copies of a file in two places are one family, as their content is the same.
    for digest in use.digests.values():
        return digest
    return use.spec.name


def families_of(
    uses: Iterable[Use[DatasetSpec]], by_name: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The names of the families of the data sets of a plan, by the labels of the data sets.

    Parameters
    ----------
    uses : iterable of Use
        The data sets.
    by_name : mapping of data set to str, optional
        Families that the user states, which count more than those of `family_of`. A name without
        parameters stands for all data sets of this name.

    Raises
    ------
    SuiteError
        If a family is stated of what is none of the data sets.
    """
    uses = list(uses)
    parameters = {use.label: use.params for use in uses}
    stated: dict[str, str] = {}
    for name, family in (by_name or {}).items():
        labels = []
        for label in parameters:
            if _describes(name, label, parameters):
                labels.append(label)
        if not labels:
            labels_of_suite = ", ".join(parameters)
            raise SuiteError(
                f"families: {name!r} is none of the data sets; they are {labels_of_suite}"
            )
        for label in labels:
            stated[label] = family
    names = _readable_names(uses)
    families = {}
    for use in uses:
        families[use.label] = stated.get(use.label, names[family_of(use)])
    return families


def _describes(name: str, label: str, parameters: Mapping[str, Params]) -> bool:
    """Whether a name in a user's table of families describes a data set."""
    return same_name(name, label, parameters) or name == label.partition("[")[0]


def _readable_names(uses: Iterable[Use[DatasetSpec]]) -> dict[str, str]:
    """A name for each family: of files, that of the first file instead of its digest."""
    names: dict[str, str] = {}
    for use in uses:
        family = family_of(use)
        if family in names:
            continue
        names[family] = family
        path = _path_of(use, family)
        if path is not None:
            # Files of other folders may have the same name and other content.
            if path.name in names.values():
                names[family] = str(path)
            else:
                names[family] = path.name
    return names


def _path_of(use: Use[DatasetSpec], digest: str) -> Path | None:
    """The file with this digest among the parameters of a data set or of those it is made of."""
    for name, digest_of_file in use.digests.items():
        if digest_of_file == digest:
            return Path(parse_file(str(use.params[name])).base)
    for part in use.parts:
        path = _path_of(part, digest)
        if path is not None:
            return path
    return None
