"""Whether results have changed while their edition has not.

A spec with an edition promises that its results are those of the edition, whatever becomes of its
code. A record, a JSON file that its author keeps beside the tests, has what a small probe of each
spec gave, and the digest of the code that gave it. When the code has changed, the probe is
repeated: either it gives the same, or the edition has to be raised.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from hcbench.errors import DataError, DataNotAvailableError, HcbenchError, NotApplicableError
from hcbench.model.problem import Result
from hcbench.model.regular_files import read_regular
from hcbench.model.trees import Tree
from hcbench.registry.fingerprint import CORE_EDITION
from hcbench.testing import datasets, oracles
from hcbench.testing.checks import prepared
from hcbench.testing.metric_values import usual_values
from hcbench.testing.planted import DATA_SEED
from hcbench.testing.running import clusters_of, sources_of, usual
from hcbench.testing.subjects import NotCheckedError, Subject

Number: TypeAlias = int | float | str
Status: TypeAlias = Literal["as before", "same results", "recorded", "changed", "not checked"]

#: Numbers that differ by less, relative to the larger of 1 and their size, are equal but for
#: rounding, which differs between processors.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Recorded:
    """What the probe of a spec gave.

    Attributes
    ----------
    edition : int
    code : str
        The digest of the code of its plugin then.
    numbers : mapping of str to number or str
        What the probe gave.
    """

    edition: int
    code: str
    numbers: Mapping[str, Number]


@dataclass(frozen=True, slots=True)
class EditionFinding:
    """What became of the results of a spec.

    Attributes
    ----------
    name : str
        The full name of the spec, with its kind.
    edition : int or None
    status : {"as before", "same results", "recorded", "changed", "not checked"}
        As before: the code is the same. Same results: the code is another. Recorded: the edition is
        new. Changed: the results are others, and the edition is the same.
    reason : str
        What has changed, or why it is not checked.
    """

    name: str
    edition: int | None
    status: Status
    reason: str = ""


def compare_editions(subjects: Iterable[Subject], record: Path) -> list[EditionFinding]:
    """Compare the results of specs with those of a record, and bring it up to date.

    What has changed although its edition has not stays in the record as it was.

    Parameters
    ----------
    subjects : iterable of Subject
    record : Path
        It is made if it does not exist.

    Returns
    -------
    list of EditionFinding

    Raises
    ------
    DataError
        If the record cannot be read or written.
    """
    recorded = _read(record)
    findings = []
    for subject in subjects:
        name = f"{subject.spec.noun} {subject.label}"
        edition = _edition_of(subject)
        if edition is None:
            reason = "it has no edition: its results are those of the same code"
            findings.append(EditionFinding(name, None, "not checked", reason))
            continue
        assert subject.use is not None
        # The same edition of the same code has the same results: nothing needs to be called.
        code = subject.use.plugin.digest
        before = recorded.get(name)
        if before is not None and (before.edition, before.code) == (edition, code):
            findings.append(EditionFinding(name, edition, "as before"))
            continue
        try:
            numbers = probe(subject)
        except (NotCheckedError, NotApplicableError, DataNotAvailableError) as error:
            findings.append(EditionFinding(name, edition, "not checked", str(error)))
            continue
        finding = _judge(name, edition, before, numbers)
        if finding.status != "changed":
            recorded[name] = Recorded(edition, code, numbers)
        findings.append(finding)
    _write(record, recorded)
    return findings


def _edition_of(subject: Subject) -> int | None:
    """The edition of a spec; that of core for built-in ones without another."""
    if subject.use is None:
        return None
    edition: int | None = subject.spec.edition
    if edition is None and subject.use.plugin.is_built_in:
        return CORE_EDITION
    return edition


def _judge(
    name: str, edition: int, before: Recorded | None, numbers: Mapping[str, Number]
) -> EditionFinding:
    if before is None or before.edition != edition:
        return EditionFinding(name, edition, "recorded")
    changed = []
    # What only one of both has is a change as well.
    for number in sorted(before.numbers.keys() | numbers.keys()):
        if not _are_equal(before.numbers.get(number), numbers.get(number)):
            changed.append(
                f"{number} is {numbers.get(number)}, and was {before.numbers.get(number)}"
            )
    if not changed:
        return EditionFinding(name, edition, "same results")
    reason = f"{changed[0]}; write edition={edition + 1} in its spec, or restore its results"
    return EditionFinding(name, edition, "changed", reason)


def _are_equal(before: Number | None, now: Number | None) -> bool:
    if isinstance(before, int | float) and isinstance(now, int | float):
        if math.isnan(before) and math.isnan(now):
            return True
        # Infinities are close to themselves.
        return math.isclose(before, now, rel_tol=_ROUNDING, abs_tol=_ROUNDING)
    return before == now


# ---- Probes --------------------------------------------------------------------------------------


def probe(subject: Subject) -> dict[str, Number]:
    """What a spec gives on planted items, as numbers and digests that can be compared.

    Raises
    ------
    NotCheckedError
        If it cannot be tried here.
    """
    probes = {
        "algorithm": _probe_algorithm,
        "data set": _probe_dataset,
        "oracle": _probe_oracle,
        "metric": _probe_metric,
    }
    with prepared(subject):
        return probes[subject.spec.noun](subject)


def _probe_algorithm(subject: Subject) -> dict[str, Number]:
    """The clusters, the heights and the number of queries, for each kind of oracle."""
    numbers: dict[str, Number] = {}
    for source in sources_of(subject):
        ran = usual(subject, source)
        assert ran.result is not None
        numbers[f"{source.kind}: clusters"] = _digest_of_clusters(ran.result)
        if isinstance(ran.result, Tree) and ran.result.height is not None:
            # Inner nodes may be numbered in any order.
            heights = np.sort(ran.result.height)
            numbers |= _summary(f"{source.kind}: heights", heights)
        if ran.queries is not None:
            numbers[f"{source.kind}: queries"] = ran.queries
    return numbers


def _probe_dataset(subject: Subject) -> dict[str, Number]:
    """The size, and a summary of all that the problem has."""
    problem = datasets.make(subject, DATA_SEED)
    numbers: dict[str, Number] = {"n": problem.n}
    for name in ("vectors", "similarity", "graph"):
        values = getattr(problem, name)
        if values is not None:
            # Of a sparse matrix those that it holds.
            numbers |= _summary(name, getattr(values, "data", values))
    if problem.names is not None:
        numbers["names"] = _digest(list(problem.names))
    if problem.levels is not None:
        numbers["levels"] = _digest(np.asarray(problem.levels).tolist())
    if problem.truth is not None:
        numbers["truth"] = _digest_of_clusters(problem.truth)
    return numbers


def _probe_oracle(subject: Subject) -> dict[str, Number]:
    """Its answers to random queries, or a summary of what is read whole."""
    answers = oracles.answers_of(subject, oracles.problem_of(subject))
    if answers.arity:
        return {"answers": _digest(oracles.all_answers(answers))}
    data = answers.data
    if isinstance(data, np.ndarray):
        return _summary("data", data)
    return {"data": type(data).__name__}


def _probe_metric(subject: Subject) -> dict[str, Number]:
    """Its values of the truth and of random results."""
    values = usual_values(subject)
    numbers: dict[str, Number] = {}
    for place, value in enumerate(values):
        numbers[f"value {place}"] = value
    return numbers


def _summary(name: str, values: Any) -> dict[str, Number]:
    """Shape, mean, spread and a weighted sum of an array, which notices a changed order."""
    array = np.asarray(values)
    numbers: dict[str, Number] = {f"{name}: shape": str(array.shape)}
    if array.dtype.kind not in "biuf" or array.size == 0:
        return numbers
    flat = array.astype(np.float64).ravel()
    # Weights without a period, so that two numbers that change places are noticed.
    weights = np.cos(np.arange(flat.size))
    numbers[f"{name}: mean"] = float(flat.mean())
    numbers[f"{name}: weighted mean"] = float((weights * flat).mean())
    return numbers


def _digest_of_clusters(result: Result) -> str:
    """A digest of the sets of items, which have no order."""
    clusters = []
    for cluster in clusters_of(result):
        clusters.append(sorted(cluster))
    clusters.sort()
    return _digest(clusters)


def _digest(value: Any) -> str:
    return blake2b(json.dumps(value).encode(), digest_size=8).hexdigest()


# ---- The record ----------------------------------------------------------------------------------


def _read(record: Path) -> dict[str, Recorded]:
    if not record.exists():
        return {}
    try:
        entries = json.loads(read_regular(record))
        return {name: Recorded(**entry) for name, entry in entries.items()}
    except OSError as error:
        raise DataError.of_file("read", record, error) from error
    except (ValueError, TypeError, AttributeError) as error:
        raise DataError(
            f"{record} is no record of hcbench check --editions; give another file"
        ) from error


def _write(record: Path, recorded: Mapping[str, Recorded]) -> None:
    # Sorted, so that a difference of two versions shows what has changed.
    entries = {}
    for name, entry in sorted(recorded.items()):
        entries[name] = asdict(entry)
    text = json.dumps(entries, indent=1) + "\n"
    try:
        if not record.exists() or record.read_text() != text:
            record.write_text(text)
    except OSError as error:
        raise HcbenchError.of_file("write", record, error) from error
