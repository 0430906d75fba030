"""The checks of a plugin, with their names and exemptions, and how they are run.

On the command line they run in a process of their own, with a time limit: a hang or a crash ends
only the check at fault.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import traceback
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from threadpoolctl import ThreadpoolController

from hcbench.errors import DataNotAvailableError, NotApplicableError, ParameterError
from hcbench.registry.fingerprint import installation
from hcbench.registry.names import parse_name
from hcbench.registry.specs import AlgorithmSpec
from hcbench.run.cell import describe
from hcbench.run.workers.processes import has_gpu
from hcbench.testing import algorithms, datasets, every_kind, metrics, oracles
from hcbench.testing.subjects import (
    CheckFailedError,
    Finding,
    NotCheckedError,
    Subject,
    exemption,
    subjects_of,
)

Function: TypeAlias = Callable[[Subject], None]
F = TypeVar("F", bound=Callable[..., Any])

_HERE = Path(__file__).parent
_MODULES = {
    "algorithm": algorithms,
    "metric": metrics,
    "oracle": oracles,
    "data set": datasets,
}
"""The module with the checks of each kind."""


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
        finding, _ = self._run()
        return finding

    def __call__(self) -> None:
        """Run it as a test of pytest, which is skipped if it is exempt or does not apply.

        Raises
        ------
        CheckFailedError
            If the plugin does not keep the promise.
        """
        finding, cause = self._run()
        if finding.status == "failed":
            raise CheckFailedError(finding.reason) from cause
        if finding.reason:
            import pytest

            pytest.skip(f"{finding.status}: {finding.reason}")

    def _run(self) -> tuple[Finding, BaseException | None]:
        """The outcome, and the exception behind a failure."""
        if self.exempt:
            return Finding("exempt", self.exempt), None
        label, missing = self.subject.label, self.subject.missing
        if missing:
            return Finding(
                "not applicable", f"{label} needs {missing}: name {label}[{missing}=...]"
            ), None
        spec = self.subject.spec
        lacking = installation(spec.requires) if isinstance(spec, AlgorithmSpec) else ""
        if lacking:
            reason = f"{label} needs what is not installed: {lacking}"
            return Finding("not applicable", reason), None
        if isinstance(spec, AlgorithmSpec) and spec.gpu and not has_gpu():
            return Finding(
                "not applicable", f"{label} needs a GPU, and this machine has none"
            ), None
        with ExitStack() as stack:
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore")  # how to treat them is for the author's own tests
            stack.enter_context(_one_thread())
            stack.enter_context(self.subject.registry.plugins.importable())
            try:
                self.function(self.subject)
            except KeyboardInterrupt:
                raise
            except (NotCheckedError, DataNotAvailableError, NotApplicableError) as error:
                return Finding("not applicable", " ".join(str(error).split())), None
            except CheckFailedError as error:
                return Finding("failed", f"{label} {error}"), error.__cause__
            except BaseException as error:
                return Finding("failed", f"{label} fails: {describe(error)}{_where(error)}"), error
        return Finding("passed"), None


@contextmanager
def _one_thread() -> Iterator[None]:
    """Limit libraries to one thread, as in a cell."""
    before = os.environ.get(_THREADS)
    # Libraries that are loaded during the check read the variable, instead of being limited below.
    os.environ[_THREADS] = "1"
    try:
        with _libraries().limit(limits=1):
            yield
    finally:
        if before is None:
            del os.environ[_THREADS]
        else:
            os.environ[_THREADS] = before


_THREADS = "OMP_NUM_THREADS"


@cache
def _libraries() -> Any:
    """The threads of the libraries that the first check finds; finding them takes 2 ms."""
    return ThreadpoolController()


def _where(error: BaseException) -> str:
    """The last line outside of the checks that an error came through."""
    frames = traceback.extract_tb(error.__traceback__)
    others = [frame for frame in frames if _HERE not in Path(frame.filename).parents]
    return f" ({Path(others[-1].filename).name}:{others[-1].lineno})" if others else ""


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
        From a check's name, or ``"NAME:check"`` for one plugin, to the reason why it is exempt;
        beside what the spec itself declares.
    plugins : sequence of path
        Plugin files beside those that are installed, whose names can be given then.

    Raises
    ------
    HcbenchError
        If nothing has a name, a plugin is broken, or an exemption names no check or has no reason.
    """
    given = dict(exempt or {})
    checks = []
    for subject in subjects_of(what, plugins):
        functions = _functions_of(subject)
        declared = subject.spec.exempt
        named = {parse_name(key).base: reason for key, reason in declared.items()}
        _check_exemptions(named, functions)
        params = subject.params if subject.use else {}
        for name, function in functions.items():
            reason = given.get(f"{subject.label}:{name}", given.get(name, ""))
            reason = reason or exemption(declared, name, params)
            checks.append(Check(name, subject, function, reason))
    _check_exemptions(given, [key for check in checks for key in (check.name, check.id)])
    return checks


def _check_exemptions(exempt: Mapping[str, str], known: Iterable[str]) -> None:
    """Refuse exemptions without a reason, and those of no check that is known."""
    names = dict.fromkeys(known)
    for key, reason in exempt.items():
        if not isinstance(reason, str) or not reason.strip():
            raise ParameterError(f"exempt: {key} has no reason; say why it cannot be promised")
        if key not in names:
            close = get_close_matches(key, names, 1) or [name for name in names if ":" not in name]
            raise ParameterError(f"exempt: there is no check {key!r}; there is {', '.join(close)}")


def _functions_of(subject: Subject) -> dict[str, Function]:
    """The checks of a subject by their names, in the order of the source."""
    return {
        name.removeprefix("check_"): function
        for module in (every_kind, _MODULES[subject.spec.noun])
        for name, function in vars(module).items()
        if name.startswith("check_")
    }


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

    tests = [pytest.param(each, id=each.id) for each in checks_of(what, exempt, plugins=plugins)]
    decorate: Callable[[F], F] = pytest.mark.parametrize("check", tests)
    return decorate


def run_limited(checks: Sequence[Check], seconds: float | None) -> Generator[Finding, None, None]:
    """Run checks one after the other.

    Parameters
    ----------
    checks : sequence of Check
    seconds : float, optional
        Wall time of each; None is no limit.

    Yields
    ------
    Finding
    """
    done = 0
    while done < len(checks):
        for finding in _until_one_ends_it(checks[done:], seconds):
            done += 1
            yield finding


def _until_one_ends_it(
    checks: Sequence[Check], seconds: float | None
) -> Generator[Finding, None, None]:
    fork = multiprocessing.get_context("fork")  # a check holds functions that cannot be pickled
    reading, writing = fork.Pipe(duplex=False)
    process = fork.Process(target=_serve, args=(checks, writing))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # about threads, as those of a BLAS
        process.start()
    writing.close()
    try:
        for check in checks:
            if reading.poll(seconds):
                try:
                    finding = reading.recv()
                except EOFError:
                    process.join()
                    yield _ended(check, process.exitcode or 0)
                    return
                yield finding
            else:
                sentence = f"{check.subject.label} does not return within {seconds:g} s (--timeout)"
                yield Finding("failed", sentence)
                return
    finally:
        process.kill()
        process.join()
        reading.close()


def _ended(check: Check, code: int) -> Finding:
    how = f"by {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
    return Finding("failed", f"{check.subject.label} ends the process {how}")


def _serve(checks: Sequence[Check], writing: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller receives it too and ends this process
    for check in checks:
        writing.send(check.run())
