"""Selection of the true hierarchy that a result is compared with.

Leaves are matched by their ids; node ids are ignored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hcbench import NotApplicableError, Parameter

if TYPE_CHECKING:
    from hcbench import Problem, Tree

TRUTH = Parameter(
    "truth", None, "Name of the true hierarchy to compare with; by default the first.", type="str"
)


def named_truth(problem: Problem, name: str | None) -> Tree:
    """Return the true hierarchy of this name, or the first if ``name`` is None.

    Raises
    ------
    NotApplicableError
        If the problem has no truth, or none of this name.
    """
    if name is None:
        return problem.truth
    if name not in problem.truths:
        has = "it has no true hierarchy"
        if problem.truths:
            has = f"its truths are {', '.join(problem.truths)}"
        raise NotApplicableError(f"this data set has no truth {name!r}; {has}")
    return problem.truths[name]
