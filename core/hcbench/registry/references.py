"""References to the papers of algorithms, data sets, metrics and suites, as BibTeX has them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

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

    Examples
    --------
    >>> reference = Reference(
    ...     key="ward1963",
    ...     entry="article",
    ...     fields={
    ...         "author": "Ward, Joe H.",
    ...         "title": "Hierarchical Grouping to Optimize an Objective Function",
    ...         "year": "1963",
    ...     },
    ... )
    >>> str(reference)
    'Ward 1963, Hierarchical Grouping to Optimize an Objective Function'
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
        lines = [f"@{self.entry}{{{self.key},"]
        for name, text in self.fields.items():
            lines.append(f"  {name} = {{{text}}},")
        lines.append("}")
        return "\n".join(lines)

    def __str__(self) -> str:
        names = self.fields["author"].split(" and ")
        # BibTeX writes "Surname, Given names".
        surnames = [name.split(",")[0].strip() for name in names]
        authors = " & ".join(surnames)
        if len(surnames) > 2:
            authors = f"{surnames[0]} et al."
        # Braces keep BibTeX from changing the case of letters.
        title = self.fields["title"].replace("{", "").replace("}", "")
        return f"{authors} {self.fields['year']}, {title}"


# Braces may be nested twice, as in {{\'E}lie}.
_BRACES = r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"
#: The kind, the key and the fields of an entry, and the name and value of a field.
_ENTRY = re.compile(r"(\w+)\s*\{\s*([^,\s]+)\s*,(.*)\}\s*", re.DOTALL)
_FIELD = re.compile(rf"\s*(\w+)\s*=\s*(?:{_BRACES}|\"([^\"]*)\"|(\d+))\s*(?:,|$)")


def read_references(path: Path) -> dict[str, Reference]:
    """The entries of a BibTeX file, as a package of plugins ships it.

    Parameters
    ----------
    path : Path
        Such as ``Path(__file__).with_name("references.bib")``. Values are in braces or quotes, or
        numbers; commands of LaTeX stay as they are written, so write accents in UTF-8.

    Returns
    -------
    dict of str to Reference
        The references by their keys, such as ``"gray2023"``.

    Raises
    ------
    InvalidSpecError
        If an entry cannot be read, or has no author, title or year.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("papers.bib").write_text('''
    ... @article{ward1963,
    ...   author = {Ward, Joe H.},
    ...   title = {Hierarchical Grouping to Optimize an Objective Function},
    ...   year = 1963
    ... }
    ... ''')
    >>> references = read_references(Path("papers.bib"))
    >>> str(references["ward1963"])
    'Ward 1963, Hierarchical Grouping to Optimize an Objective Function'
    """
    references = {}
    text = path.read_text(encoding="utf-8-sig")
    # What comes before the first entry is a comment.
    for entry in re.split(r"^@", text, flags=re.MULTILINE)[1:]:
        reference = _read_entry(entry, path)
        references[reference.key] = reference
    return references


def _read_entry(entry: str, path: Path) -> Reference:
    """The reference of an entry without its ``@``."""
    match = _ENTRY.fullmatch(entry)
    if match is None:
        raise _unreadable(path, f"@{entry}")
    kind, key, body = match.groups()
    unread = _FIELD.sub("", body).strip()
    if unread:
        raise _unreadable(path, unread)
    fields = {}
    for name, in_braces, in_quotes, number in _FIELD.findall(body):
        # One of the three is the value, and the others are empty.
        fields[name.lower()] = in_braces + in_quotes + number
    return Reference(key=key, entry=kind.lower(), fields=fields)


def _unreadable(path: Path, text: str) -> InvalidSpecError:
    line = text.splitlines()[0]
    return InvalidSpecError(f"{path}: cannot read {line!r}; write NAME = {{VALUE}}")
