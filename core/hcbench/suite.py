"""Suites: what is to be compared, as a TOML file or as registered by a plugin."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, fields, replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from hcbench.errors import SuiteError
from hcbench.specs import Reference


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One value, or one statement in words, that a paper makes and a suite measures.

    Attributes
    ----------
    claim : str
        What the paper says, and where.
    algorithm, dataset, metric : str
        Names as in the suite, parameters included.
    oracle : str, optional
        Needed where the algorithm runs with several.
    paper : str
        The value as printed, so that its rounding is known; "" for a statement in words.
    paper_error : float
        The standard error that the paper prints beside it, 0 if none.
    better_than : str, optional
        For a statement in words: the algorithm that ``algorithm`` is said to beat.
    erratum : str, optional
        Why the printed value is wrong, if it is known to be.
    note : str
        The choice made where the paper leaves freedom.
    """

    claim: str
    algorithm: str
    dataset: str
    metric: str
    oracle: str = ""
    paper: str = ""
    paper_error: float = 0.0
    better_than: str = ""
    erratum: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        if bool(self.paper) == bool(self.better_than):
            raise SuiteError(f"claim {self.claim!r} needs either paper or better_than")
        if self.paper:
            try:
                finite = Decimal(self.paper).is_finite()
            except InvalidOperation:
                finite = False
            if not finite:
                raise SuiteError(
                    f"claim {self.claim!r}: paper is the printed number as text, "
                    f'such as "0.86"; got {self.paper!r}'
                )

    @property
    def rounding(self) -> float:
        """Half a unit of the last printed digit."""
        exponent = Decimal(self.paper).as_tuple().exponent
        return 0.5 * 10.0 ** int(exponent) if self.paper else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """What is to be compared.

    Attributes
    ----------
    name, doc : str
    algorithms, datasets, oracles, metrics : tuple of str
        ``NAME[param=value]``; a list is a grid.
    repetitions : int
    seed : int
        The base of all seeds.
    budgets : tuple of int
        The most questions an algorithm may ask, each a run of its own; empty: unlimited.
    checkpoints : tuple of int
        Query counts at which the results of anytime algorithms are judged.
    timeout : float, optional
        Wall seconds for one call of an algorithm; see ``hcbench.compare``.
    memory : float, optional
        GiB that one call may hold above the warm worker.
    claims : tuple of Claim
    paper : Reference, optional
    """

    name: str
    doc: str = ""
    algorithms: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    oracles: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    repetitions: int = 5
    seed: int = 0
    budgets: tuple[int, ...] = ()
    checkpoints: tuple[int, ...] = ()
    timeout: float | None = 300.0
    memory: float | None = None
    claims: tuple[Claim, ...] = ()
    paper: Reference | None = None

    def __post_init__(self) -> None:
        positive: dict[str, float | None] = {
            "repetitions": self.repetitions,
            "timeout": self.timeout,
            "memory": self.memory,
        }
        for name, value in positive.items():
            if value is not None and value <= 0:
                raise SuiteError(f"{name} must be positive, got {value}")
        for name, counts in (("budget", self.budgets), ("checkpoints", self.checkpoints)):
            if any(count < 0 for count in counts):
                raise SuiteError(f"{name} cannot be negative, got {min(counts)}")
        if self.seed < 0:
            raise SuiteError(f"seed cannot be negative, got {self.seed}")


def read_suite(path: Path) -> Suite:
    """Read a suite from a TOML file.

    Relative file names in it are resolved against its own folder.

    Raises
    ------
    SuiteError
        If the file is missing, is no TOML, or has an unknown or wrong entry.
    """
    try:
        text = path.read_bytes().decode()
        entries = tomllib.loads(text)
    except OSError as error:
        raise SuiteError(f"cannot read suite {path}: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SuiteError(f"suite {path} is no TOML: {error}") from error
    entries.setdefault("name", path.stem)
    suite = suite_from_entries(entries, source=str(path))
    return replace(
        suite,
        datasets=tuple(_beside(path, name) for name in suite.datasets),
        claims=tuple(replace(c, dataset=_beside(path, c.dataset)) for c in suite.claims),
    )


def _beside(suite: Path, dataset: str) -> str:
    """A relative file name, as seen from where the suite is read."""
    if not dataset.startswith(("./", "../")):
        return dataset
    name, bracket, params = dataset.partition("[")
    return f"{os.path.normpath(suite.parent / name)}{bracket}{params}"


_LISTS = ("algorithms", "datasets", "oracles", "metrics")
_COUNTS = ("budgets", "checkpoints")
_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "name": str,
    "doc": str,
    "repetitions": int,
    "seed": int,
    "timeout": (int, float),
    "memory": (int, float),
}


def suite_from_entries(entries: Mapping[str, Any], source: str) -> Suite:
    """Make a suite of the entries of a TOML table.

    Raises
    ------
    SuiteError
        If an entry is unknown or of the wrong type.
    """
    known = {f.name for f in fields(Suite)} - {"paper"}
    values: dict[str, Any] = {}
    for name, value in entries.items():
        if name not in known:
            raise SuiteError(
                f"{source}: unknown entry {name!r}; there are {', '.join(sorted(known))}"
            )
        values[name] = _entry(name, value, source)
    return Suite(**values)


def _entry(name: str, value: Any, source: str) -> Any:
    if name == "claims":
        if not isinstance(value, list) or not all(isinstance(claim, dict) for claim in value):
            raise SuiteError(f"{source}: claims are tables, each under [[claims]]")
        return tuple(_claim(claim, source) for claim in value)
    if name in _LISTS or name in _COUNTS:
        wanted = str if name in _LISTS else int
        if not isinstance(value, list) or not all(isinstance(v, wanted) for v in value):
            raise SuiteError(f"{source}: {name} must be a list of {wanted.__name__}, got {value!r}")
        return tuple(value)
    if not isinstance(value, _TYPES[name]) or isinstance(value, bool):
        raise SuiteError(f"{source}: {name} has the wrong type: {value!r}")
    return value


def _claim(entries: Mapping[str, Any], source: str) -> Claim:
    known = {f.name: f.default for f in fields(Claim)}
    for name, value in entries.items():
        if name not in known:
            raise SuiteError(
                f"{source}: a claim has no entry {name!r}; there are {', '.join(known)}"
            )
        wanted = (int, float) if name == "paper_error" else str
        if not isinstance(value, wanted) or isinstance(value, bool):
            hint = ": write the printed number as text" if name == "paper" else ""
            raise SuiteError(f"{source}: {name} of a claim has the wrong type: {value!r}{hint}")
    missing = [
        name for name, default in known.items() if default is MISSING and name not in entries
    ]
    if missing:
        raise SuiteError(f"{source}: a claim needs {', '.join(missing)}; got {dict(entries)!r}")
    return Claim(**entries)


def describe_suite(suite: Suite) -> dict[str, Any]:
    """A suite in plain values, without its paper."""
    described = asdict(suite)
    del described["paper"]
    return described


def rebuild_suite(described: Mapping[str, Any]) -> Suite:
    """The suite that `describe_suite` described, also if it was written as JSON meanwhile."""
    values: dict[str, Any] = {
        k: tuple(v) if isinstance(v, list) else v for k, v in described.items()
    }
    return Suite(**{**values, "claims": tuple(Claim(**claim) for claim in described["claims"])})
