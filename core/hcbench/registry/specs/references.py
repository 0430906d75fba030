"""Where plugins' algorithms and data were published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hcbench.errors import InvalidSpecError


@dataclass(frozen=True, slots=True)
class Reference:
    """Where something was published.

    Attributes
    ----------
    key : str
        The BibTeX key, such as ``"gray2023"``.
    entry : str
        The BibTeX entry type, such as ``"inproceedings"``.
    fields : mapping of str to str
        The BibTeX fields; author, title and year are needed.
    """

    key: str
    entry: str
    fields: Mapping[str, str]

    def __post_init__(self) -> None:
        missing = {"author", "title", "year"} - set(self.fields)
        if missing:
            raise InvalidSpecError(f"reference {self.key}: no {', '.join(sorted(missing))}")

    @property
    def bibtex(self) -> str:
        """The BibTeX entry."""
        lines = [f"  {name} = {{{text}}}," for name, text in self.fields.items()]
        return "\n".join([f"@{self.entry}{{{self.key},", *lines, "}"])

    def __str__(self) -> str:
        names = self.fields["author"].split(" and ")
        surnames = [name.split(",")[0].strip() for name in names]
        who = surnames[0] if len(surnames) == 1 else " & ".join(surnames)
        if len(surnames) > 2:
            who = f"{surnames[0]} et al."
        return f"{who} {self.fields['year']}, {self.fields['title']}"
