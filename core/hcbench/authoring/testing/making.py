"""Making what a data set yields."""

from __future__ import annotations

from hcbench.authoring.testing.findings import fail, skip
from hcbench.authoring.testing.items import DATA_SEED
from hcbench.authoring.testing.subjects import Subject
from hcbench.errors import DataNotAvailableError
from hcbench.model.notes import collect_notes
from hcbench.model.problem import Problem
from hcbench.run.cell import describe


def make(subject: Subject, seed: int) -> Problem:
    """What it yields for a seed; not applicable where its files are not on this machine."""
    try:
        with collect_notes():
            made = subject.call(seed)
    except DataNotAvailableError as error:
        skip(f"its data are not on this machine: {describe(error)}")
    if not isinstance(made, Problem):
        fail(f"{subject.label} returns {type(made).__name__}; a data set returns a Problem")
    return made


def usual_problem(subject: Subject) -> Problem:
    """What it yields for the first seed, remembered."""
    if "problem" not in subject.memory:
        subject.memory["problem"] = make(subject, DATA_SEED)
    problem: Problem = subject.memory["problem"]
    return problem
