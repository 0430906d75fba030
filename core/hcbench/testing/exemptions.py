"""Exemptions: checks that are expected to fail, each with the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Protocol

from hcbench.errors import ParameterError


class UnknownCheckWarning(UserWarning):
    """An exemption names no check of what is checked.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     checks = hcbench.testing.checks_of("UPGMA", exempt={"speed": "it is slow"})
    >>> caught[0].category.__name__
    'UnknownCheckWarning'
    """


class Named(Protocol):
    """What has the names of a check."""

    @property
    def name(self) -> str:
        """The name of the check."""

    @property
    def id(self) -> str:
        """The label of the plugin and the name of the check."""


class Exemptions:
    """Reasons by checks, of all plugins or of one.

    Parameters
    ----------
    reasons : mapping of str to str
        From ``"check"``, or ``"NAME:check"`` for one plugin, to the reason.

    Raises
    ------
    ParameterError
        If a reason is missing.
    """

    def __init__(self, reasons: Mapping[str, str]) -> None:
        for key, reason in reasons.items():
            if not isinstance(reason, str) or not reason.strip():
                raise ParameterError(f"exempt: {key} has no reason; say why it cannot be promised")
        self._reasons = dict(reasons)

    def reason(self, label: str, name: str) -> str:
        """Why a plugin is exempt from a check; "" if it is not."""
        # The exemption of one plugin says more than that of all.
        of_one = self._reasons.get(f"{label}:{name}")
        if of_one is not None:
            return of_one
        return self._reasons.get(name, "")

    def unknown(self, checks: Sequence[Named]) -> list[str]:
        """A sentence about each exemption that names none of the checks.

        This is no error: the check may be one of another version of hcbench.
        """
        sentences = []
        # In the order of the checks, so that suggestions come in it, too.
        names: dict[str, None] = {}
        ids: dict[str, None] = {}
        for check in checks:
            names[check.name] = None
            ids[check.id] = None
        for key in self._reasons:
            if key in names or key in ids:
                continue
            suggestions = get_close_matches(key, names | ids, 1) or list(names)
            sentences.append(
                f"exempt: there is no check {key!r}; there is {', '.join(suggestions)}"
            )
        return sentences
