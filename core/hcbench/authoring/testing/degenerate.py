"""Checks of algorithms: few items, equal items, ties."""

from __future__ import annotations

from hcbench.authoring.testing.findings import skip
from hcbench.authoring.testing.items import Form
from hcbench.authoring.testing.running import heard_of, run_on, sound, usual
from hcbench.authoring.testing.subjects import Subject


def check_few_items(subject: Subject) -> None:
    """One, two and three items: a valid result, or one line that says why there is none."""
    for heard in heard_of(subject):
        usual(subject, heard)
        for n in (1, 2, 3):
            ran = run_on(subject, heard, heard.problem(n=n))
            sound(subject, ran, f"{n} item{'s' if n > 1 else ''}")


def check_duplicates(subject: Subject) -> None:
    """Items that are there twice: a valid result, or one line that says why there is none."""
    _on_form(subject, "duplicates", "items that are there twice")


def check_ties(subject: Subject) -> None:
    """Many equal distances: a valid result, or one line that says why there is none."""
    _on_form(subject, "ties", "items with many equal distances")


def check_constant_data(subject: Subject) -> None:
    """Items that are all alike: a valid result, or one line that says why there is none."""
    _on_form(subject, "constant", "items that are all alike")


def _on_form(subject: Subject, form: Form, on: str) -> None:
    fed = [heard for heard in heard_of(subject) if heard.form == "planted"]
    if not fed:
        skip("its oracle needs data that there are in one form only")
    for heard in fed:
        usual(subject, heard)
        sound(subject, run_on(subject, heard, heard.problem(form)), on)


CHECKS = (check_few_items, check_duplicates, check_ties, check_constant_data)
