"""The checks as tests of pytest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from hcbench.authoring.testing.checks import Check, checks_of
from hcbench.authoring.testing.findings import NotCheckedError

F = TypeVar("F", bound=Callable[..., Any])


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
    what : list of str, Spec or module
        As `checks_of` takes it.
    exempt : mapping of str to str
        Of a check's name, or ``"NAME:check"`` for one plugin, to the reason why it is exempt.
    plugins : sequence of path
        Plugin files beside those that are installed, whose names can be listed then.

    Examples
    --------
    >>> @parametrize_with_checks(["UPGMA"])
    ... def test_conforms(check):
    ...     check()
    """
    import pytest

    tests = [
        pytest.param(_Test(check), id=check.id)
        for check in checks_of(what, exempt, plugins=plugins)
    ]
    decorate: Callable[[F], F] = pytest.mark.parametrize("check", tests)
    return decorate
