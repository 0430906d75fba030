"""The checks of a plugin, each with its name, and what is exempt."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeAlias

from hcbench.authoring.testing import (
    behaviour,
    datasets,
    declarations,
    degenerate,
    honesty,
    layouts,
    metrics,
    oracles,
    results,
)
from hcbench.authoring.testing.findings import (
    CheckFailedError,
    Finding,
    NotCheckedError,
    fail,
    skip,
)
from hcbench.authoring.testing.subjects import Subject, subjects_of
from hcbench.errors import DataNotAvailableError, NotApplicableError, ParameterError
from hcbench.registry.specs import AlgorithmSpec, DatasetSpec, MetricSpec, Spec
from hcbench.run.cell import describe

Function: TypeAlias = Callable[[Subject], None]

_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Check:
    """One check of one plugin; call it.

    Attributes
    ----------
    name : str
        Such as ``"same_seed"``.
    subject : Subject
    function : callable
    exempt : str
        Why the plugin cannot promise this; "" if it does.
    """

    name: str
    subject: Subject
    function: Function
    exempt: str = ""

    @property
    def id(self) -> str:
        """Such as ``"UPGMA:same_seed"``."""
        return f"{self.subject.label}:{self.name}"

    @property
    def doc(self) -> str:
        """What is checked, in one sentence."""
        return (self.function.__doc__ or "").partition("\n")[0]

    def run(self) -> Finding:
        """What it comes to."""
        if self.exempt:
            return Finding("exempt", self.exempt)
        try:
            self()
        except CheckFailedError as error:
            return Finding("failed", str(error))
        except NotCheckedError as error:
            return Finding("not applicable", str(error))
        return Finding("passed")

    def __call__(self) -> None:
        """Run it, exempt or not.

        Raises
        ------
        CheckFailedError
            If the plugin does not keep the promise.
        NotCheckedError
            If the check does not apply.
        """
        if self.subject.missing:
            name = self.subject.spec.name
            skip(f"{name} needs {self.subject.missing}: name {name}[{self.subject.missing}=...]")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what the author's own tests make of them is theirs
            try:
                self.function(self.subject)
            except (CheckFailedError, NotCheckedError, KeyboardInterrupt):
                raise
            except (DataNotAvailableError, NotApplicableError) as error:
                skip(describe(error))
            except BaseException as error:
                fail(f"{self.subject.label} fails: {describe(error)}{_where(error)}", error)


def _where(error: BaseException) -> str:
    """The last line of somebody else's code that an error came through."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if _HERE not in _parents(f)]
    return f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""


def _parents(frame: traceback.FrameSummary) -> Iterable[Path]:
    return Path(frame.filename).parents


def functions_of(spec: Spec) -> tuple[Function, ...]:
    """The checks of a kind of spec, in the order in which they are run."""
    if isinstance(spec, AlgorithmSpec):
        own: tuple[Function, ...] = (
            declarations.check_paper,
            *results.CHECKS,
            *honesty.CHECKS,
            *degenerate.CHECKS,
            *layouts.CHECKS,
        )
    elif isinstance(spec, MetricSpec):
        own = metrics.CHECKS
    elif isinstance(spec, DatasetSpec):
        own = datasets.CHECKS
    else:
        own = oracles.CHECKS
    return (*declarations.CHECKS, *own, *behaviour.CHECKS)


def name_of(function: Function) -> str:
    """The name of a check: its function's, without ``check_``."""
    return function.__name__.removeprefix("check_")


def checks_of(
    what: Any,
    exempt: Mapping[str, str] | None = None,
    *,
    plugins: Sequence[str | Path] = (),
) -> list[Check]:
    """All checks of what is named.

    Parameters
    ----------
    what : str, Spec, module, or iterable of these
        A registered name, as ``"NAME[param=value]"``; a plugin file, ``"./mine.py"``; a
        distribution, or one of its plugins as ``"distribution:plugin"``; a spec; a plugin module.
    exempt : mapping of str to str
        Of a check's name, or ``"NAME:check"`` for one plugin, to the reason why it is exempt.
    plugins : sequence of path
        Plugin files beside those that are installed, whose names can be listed then.

    Raises
    ------
    HcbenchError
        If a name is unknown, a plugin is broken, or an exemption is of no check or has no reason.
    """
    reasons = dict(exempt or {})
    for key, reason in reasons.items():
        if not isinstance(reason, str) or not reason.strip():
            raise ParameterError(f"exempt: {key} has no reason; say why it cannot be promised")
    checks = [
        _check(subject, function, reasons)
        for subject in subjects_of(what, plugins)
        for function in functions_of(subject.spec)
    ]
    known = {key for check in checks for key in (check.name, check.id)}
    for key in reasons:
        if key not in known:
            close = get_close_matches(key, known, 1) or sorted({check.name for check in checks})
            raise ParameterError(f"exempt: there is no check {key!r}; there is {', '.join(close)}")
    return checks


def _check(subject: Subject, function: Function, reasons: Mapping[str, str]) -> Check:
    check = Check(name_of(function), subject, function)
    reason = reasons.get(check.id, reasons.get(check.name, ""))
    return Check(check.name, subject, function, reason)
