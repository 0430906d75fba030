"""The checks of a plugin, with their names, and how they are judged.

A check is required, or it is advice: a promise without which results cannot be trusted or compared,
or what makes a plugin better. In the modules of checks, the functions ``check_...`` are required
and the functions ``advise_...`` are advice.
"""

from __future__ import annotations

import os
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias, TypeVar

from threadpoolctl import ThreadpoolController

from hcbench.errors import DataNotAvailableError, NotApplicableError
from hcbench.registry.fingerprint import installation
from hcbench.registry.specs import AlgorithmSpec
from hcbench.run.failures import describe
from hcbench.testing import algorithm_arrays, algorithms, datasets, every_kind, metrics, oracles
from hcbench.testing.exemptions import Exemptions, UnknownCheckWarning
from hcbench.testing.subjects import (
    CheckFailedError,
    Finding,
    NotCheckedError,
    Subject,
    subjects_of,
)

Function: TypeAlias = Callable[[Subject], None]
F = TypeVar("F", bound=Callable[..., Any])

_HERE = Path(__file__).parent
#: The modules with the checks of each kind, in the order in which they are listed and run.
_MODULES = {
    "algorithm": (every_kind, algorithms, algorithm_arrays),
    "metric": (every_kind, metrics),
    "oracle": (every_kind, oracles),
    "data set": (every_kind, datasets),
}

#: Prefixes of the functions that are required checks, and of those that are advice.
_REQUIRED = "check_"
_ADVICE = "advise_"


@dataclass(frozen=True, slots=True)
class Check:
    """One check of one plugin; call it.

    Attributes
    ----------
    name : str
        Such as ``"same_seed"``.
    subject : Subject
    function : callable
    required : bool
        False for advice, which does not fail.
    exempt : str
        Why the check is expected to fail; "" if it is not.

    Examples
    --------
    >>> check = hcbench.testing.checks_of("UPGMA")[0]
    >>> check.id
    'UPGMA:signature'
    >>> check.run().status
    'passed'
    """

    name: str
    subject: Subject
    function: Function
    required: bool = True
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
        """Run it, and return its outcome."""
        finding, _ = self._judged()
        return finding

    def __call__(self) -> None:
        """Run it as a test of pytest.

        It is skipped if it does not apply, or is advice that is not followed, and an expected
        failure if it is exempt.

        Raises
        ------
        CheckFailedError
            If the plugin does not keep the promise, or keeps one from which it is exempt.
        """
        finding, cause = self._judged()
        if finding.status == "passed":
            return
        if finding.status == "failed":
            raise CheckFailedError(finding.reason) from cause
        import pytest

        if finding.status == "exempt":
            pytest.xfail(finding.reason)
        pytest.skip(f"{finding.status}: {finding.reason}")

    def failure(self, sentence: str) -> Finding:
        """The outcome where the plugin does not do what is checked, as a sentence says."""
        if self.exempt:
            return Finding("exempt", self.exempt)
        if not self.required:
            return Finding("advice", sentence)
        return Finding("failed", sentence)

    def _judged(self) -> tuple[Finding, BaseException | None]:
        """The outcome, and the exception behind a failure."""
        label = self.subject.label
        obstacle = _obstacle(self.subject)
        if obstacle:
            return Finding("not applicable", f"{label} needs {obstacle}"), None
        try:
            with _as_in_a_cell():
                self.function(self.subject)
        except KeyboardInterrupt:
            raise
        # Also of data that are not on this machine: no fault of the plugin.
        except (NotCheckedError, DataNotAvailableError, NotApplicableError) as error:
            return Finding("not applicable", " ".join(str(error).split())), None
        except CheckFailedError as error:
            return self.failure(f"{label} {error}"), error.__cause__
        # Whatever a plugin raises, also SystemExit, is its failure and ends no other check.
        except BaseException as error:
            return self.failure(f"{label} fails: {describe(error)}{_where(error)}"), error
        if self.exempt:
            # An exemption that is not needed any more would hide the next failure.
            return Finding(
                "failed",
                f"{label} passes {self.name}, from which it is exempt ({self.exempt}); remove the "
                "exemption",
            ), None
        return Finding("passed"), None


def _obstacle(subject: Subject) -> str:
    """What a plugin needs that is not there; "" if it can be called."""
    # A required parameter, such as a path, has no value of ours.
    if subject.missing:
        return f"{subject.missing}: name {subject.label}[{subject.missing}=...]"
    if not isinstance(subject.spec, AlgorithmSpec):
        return ""
    command = installation(subject.spec.requires)
    if command:
        return f"what is not installed: {command}"
    return ""


@contextmanager
def prepared(subject: Subject) -> Iterator[None]:
    """What a block does with a subject is done as in a cell.

    Raises
    ------
    NotCheckedError
        If it needs what is not there.
    """
    obstacle = _obstacle(subject)
    if obstacle:
        raise NotCheckedError(f"{subject.label} needs {obstacle}")
    with _as_in_a_cell():
        yield


@contextmanager
def _as_in_a_cell() -> Iterator[None]:
    """One thread, and no warnings: how to treat these is for the author's own tests."""
    variable = "OMP_NUM_THREADS"
    before = os.environ.get(variable)
    # For libraries that are loaded from now on, which read it.
    os.environ[variable] = "1"
    try:
        with warnings.catch_warnings(), _libraries().limit(limits=1):
            warnings.simplefilter("ignore")
            yield
    finally:
        if before is None:
            del os.environ[variable]
        else:
            os.environ[variable] = before


@cache
def _libraries() -> Any:
    """The threads of the libraries that the first check finds; finding them takes 2 ms."""
    return ThreadpoolController()


def _where(error: BaseException) -> str:
    """The last line outside of the checks that an error came through."""
    # The plugin's own line is the one below which no frame is of hcbench's checks.
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if _HERE not in path.parents:
            return f" ({path.name}:{frame.lineno})"
    return ""


def checks_of(
    what: Any, exempt: Mapping[str, str] | None = None, *, plugins: Sequence[str | Path] = ()
) -> list[Check]:
    """All checks of what is named.

    Parameters
    ----------
    what : str, Spec, module, or iterable of these
        A registered name, ``NAME[param=value]``; a plugin file, or a distribution or one of its
        plugins, which mean all that it registers; a spec; a module with hooks.
    exempt : mapping of str to str
        The reason why a check is expected to fail, by its name or, for one plugin, by
        ``"NAME:check"``. An exempt check that passes fails.
    plugins : sequence of path
        Plugin files beside those that are installed, whose names can be given then.

    Raises
    ------
    HcbenchError
        If nothing has a name, a plugin is broken, or an exemption has no reason.

    Warns
    -----
    UnknownCheckWarning
        If an exemption names no check.

    Examples
    --------
    >>> checks = checks_of("UPGMA", exempt={"ties": "an example of a reason"})
    >>> checks[0].id
    'UPGMA:signature'
    >>> [check.name for check in checks if check.exempt]
    ['ties']
    """
    exemptions = Exemptions(exempt or {})
    checks = _find_checks(what, exemptions, plugins)
    for sentence in exemptions.unknown(checks):
        warnings.warn(sentence, UnknownCheckWarning, stacklevel=2)
    return checks


def _find_checks(what: Any, exemptions: Exemptions, plugins: Sequence[str | Path]) -> list[Check]:
    checks: list[Check] = []
    for subject in subjects_of(what, plugins):
        for module in _MODULES[subject.spec.noun]:
            checks += _checks_in(module, subject, exemptions)
    return checks


def _checks_in(module: ModuleType, subject: Subject, exemptions: Exemptions) -> list[Check]:
    """The checks of a subject in a module, in the order of the source."""
    checks = []
    # A module keeps its names in the order in which they were defined. What it imports for its own
    # use never has one of the two prefixes.
    for function_name, function in vars(module).items():
        if not function_name.startswith((_REQUIRED, _ADVICE)):
            continue
        required = function_name.startswith(_REQUIRED)
        name = function_name.removeprefix(_REQUIRED).removeprefix(_ADVICE)
        check = Check(
            name=name,
            subject=subject,
            function=function,
            required=required,
            exempt=exemptions.reason(subject.label, name),
        )
        checks.append(check)
    return checks


def parametrize_with_checks(
    what: Any, *, exempt: Mapping[str, str] | None = None, plugins: Sequence[str | Path] = ()
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

    exemptions = Exemptions(exempt or {})
    checks = _find_checks(what, exemptions, plugins)
    for sentence in exemptions.unknown(checks):
        warnings.warn(sentence, UnknownCheckWarning, stacklevel=2)
    cases = [pytest.param(check, id=check.id) for check in checks]
    decorate: Callable[[F], F] = pytest.mark.parametrize("check", cases)
    return decorate
