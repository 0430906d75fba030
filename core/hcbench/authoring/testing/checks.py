"""The checks of a plugin, with their names and exemptions."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from hcbench.authoring.testing import (
    datasets,
    declarations,
    leakage,
    metrics,
    oracles,
    results,
    side_effects,
    unusual_data,
)
from hcbench.authoring.testing.findings import CheckFailedError, Finding, NotCheckedError, skip
from hcbench.authoring.testing.subjects import Subject, subjects_of
from hcbench.errors import DataNotAvailableError, NotApplicableError, ParameterError
from hcbench.run.cell import describe

Function: TypeAlias = Callable[[Subject], None]
F = TypeVar("F", bound=Callable[..., Any])

_HERE = Path(__file__).parent
_MODULES = {
    "algorithm": (results, leakage, unusual_data),
    "metric": (metrics,),
    "oracle": (oracles,),
    "data set": (datasets,),
}
"""The modules with the checks of one kind; those of `declarations` and `side_effects` are for all.
"""


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
        """Run it unless it is exempt, and return its outcome."""
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
            warnings.simplefilter("ignore")  # how to treat them is for the author's own tests
            try:
                self.function(self.subject)
            except (CheckFailedError, NotCheckedError, KeyboardInterrupt):
                raise
            except (DataNotAvailableError, NotApplicableError) as error:
                skip(describe(error))
            except BaseException as error:
                self.subject.fail(f"fails: {describe(error)}{_where(error)}", error)


def _where(error: BaseException) -> str:
    """The last line outside of the checks that an error came through."""
    frames = traceback.extract_tb(error.__traceback__)
    others = [frame for frame in frames if _HERE not in Path(frame.filename).parents]
    return f" ({Path(others[-1].filename).name}:{others[-1].lineno})" if others else ""


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
        A registered name, ``NAME[param=value]``; a plugin file, or a distribution or one of its
        plugins, which mean all that it registers; a spec; a module with hooks.
    exempt : mapping of str to str
        From a check's name, or ``"NAME:check"`` for one plugin, to the reason why it is exempt.
    plugins : sequence of path
        Plugin files beside those that are installed, whose names can be given then.

    Raises
    ------
    HcbenchError
        If nothing has a name, a plugin is broken, or an exemption names no check or has no reason.
    """
    reasons = dict(exempt or {})
    for key, reason in reasons.items():
        if not isinstance(reason, str) or not reason.strip():
            raise ParameterError(f"exempt: {key} has no reason; say why it cannot be promised")
    checks = [
        Check(
            name, subject, function, reasons.get(f"{subject.label}:{name}", reasons.get(name, ""))
        )
        for subject in subjects_of(what, plugins)
        for name, function in _functions_of(subject)
    ]
    known = {key for check in checks for key in (check.name, check.id)}
    for key in reasons:
        if key not in known:
            close = get_close_matches(key, known, 1) or sorted({check.name for check in checks})
            raise ParameterError(f"exempt: there is no check {key!r}; there is {', '.join(close)}")
    return checks


def _functions_of(subject: Subject) -> list[tuple[str, Function]]:
    """The names and functions of the checks of a subject, in the order of the source."""
    return [
        (name.removeprefix("check_"), function)
        for module in (declarations, *_MODULES[subject.noun], side_effects)
        for name, function in vars(module).items()
        if name.startswith("check_")
    ]


@dataclass(frozen=True, slots=True)
class _Test:
    """A check that pytest skips where it does not apply."""

    check: Check

    def __call__(self) -> None:
        import pytest

        if self.check.exempt:
            pytest.skip(f"exempt: {self.check.exempt}")
        try:
            self.check()
        except NotCheckedError as error:
            pytest.skip(str(error))


def parametrize_with_checks(
    what: Any,
    *,
    exempt: Mapping[str, str] | None = None,
    plugins: Sequence[str | Path] = (),
) -> Callable[[F], F]:
    """Decorate a test that takes ``check`` and calls it: it becomes a test for each check.

    Parameters
    ----------
    what, exempt, plugins
        As `checks_of` takes them.

    Examples
    --------
    >>> @parametrize_with_checks(["UPGMA"])
    ... def test_conforms(check):
    ...     check()
    """
    import pytest

    checks = checks_of(what, exempt, plugins=plugins)
    tests = [pytest.param(_Test(check), id=check.id) for check in checks]
    decorate: Callable[[F], F] = pytest.mark.parametrize("check", tests)
    return decorate
