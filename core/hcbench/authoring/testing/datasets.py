"""Checks of data sets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hcbench.authoring.testing.elsewhere import job_of_dataset, run_elsewhere
from hcbench.authoring.testing.findings import fail, require, skip
from hcbench.authoring.testing.items import DATA_SEED
from hcbench.authoring.testing.making import make, usual_problem
from hcbench.authoring.testing.subjects import Subject
from hcbench.errors import HcbenchError
from hcbench.model.trees import Tree
from hcbench.run.cell import describe, rescore


def check_valid_problem(subject: Subject) -> None:
    """A Problem, whose parts fit together."""
    try:
        usual_problem(subject)
    except HcbenchError as error:
        fail(f"{subject.label} yields no valid problem: {describe(error)}", error)


def check_same_seed(subject: Subject) -> None:
    """The same seed gives the same data again."""
    first = usual_problem(subject).digest()
    again = make(subject, DATA_SEED).digest()
    require(first == again, f"{subject.label} yields other data for the same seed")


def check_another_process(subject: Subject) -> None:
    """The same seed gives the same data in another process."""
    usual_problem(subject)
    job = job_of_dataset(subject)
    here, there = rescore(job), run_elsewhere(subject, job)
    if there.status != "ok":
        fail(f"{subject.label} fails in another process: {there.reason}")
    require(
        here.data_digest == there.data_digest,
        f"{subject.label} yields other data for the same seed in another process",
    )


def check_random(subject: Subject) -> None:
    """Another seed gives other data if that is declared, and the same if not."""
    first = usual_problem(subject).digest()
    others = [make(subject, DATA_SEED + k).digest() for k in (1, 2)]
    if subject.spec.random_with(subject.params):
        require(
            any(other != first for other in others),
            f"{subject.label} is declared random and yields the same data for three seeds",
        )
    else:
        require(
            all(other == first for other in others),
            f"{subject.label} is declared not random and yields other data for another seed",
        )


def check_provides(subject: Subject) -> None:
    """It yields what it declares to provide, and nothing else."""
    declared = subject.spec.provides_with(subject.params)
    found = usual_problem(subject).provides
    lacking, extra = sorted(declared - found), sorted(found - declared)
    require(not lacking, f"{subject.label} declares {', '.join(lacking)} and does not yield it")
    require(not extra, f"{subject.label} yields {', '.join(extra)} and does not declare it")


def check_size(subject: Subject) -> None:
    """As many items as its parameter n says."""
    n = subject.params.get("n")
    if not isinstance(n, int) or isinstance(n, bool):
        skip("it has no parameter n, or leaves it open")
    found = usual_problem(subject).n
    require(found == n, f"{subject.label} yields {found} items with n={n}")


def check_truth(subject: Subject) -> None:
    """The true trees are those declared, of the items, and have the nested classes as clusters."""
    problem = usual_problem(subject)
    if not problem.truths:
        skip("it has no truth")
    declared = subject.spec.truths_with(subject.params)
    require(
        declared == tuple(problem.truths) or (not declared and len(problem.truths) == 1),
        f"{subject.label} declares the truths ({', '.join(declared)}) and yields "
        f"{', '.join(problem.truths)}, in this order",
    )
    for name, truth in problem.truths.items():
        if truth.names is not None and problem.names is not None:
            require(
                truth.names == problem.names,
                f"{subject.label}: the leaves of the truth {name} have other names than the "
                f"items, or another order: {truth.names[0]!r} for {problem.names[0]!r}",
            )
    if problem.levels is not None:
        loose = [_loose_classes(truth, problem.levels) for truth in problem.truths.values()]
        require(
            not min(loose),
            f"{subject.label}: {min(loose)} of the classes of its levels are clusters of no truth",
        )


def _loose_classes(truth: Tree, levels: NDArray[np.int64]) -> int:
    """How many classes are not all the leaves below their lowest common ancestor."""
    classes = Tree.from_levels(levels)
    loose = 0
    for node in range(classes.n, classes.n_nodes):
        members = classes.leaves(node)
        above = truth.lca(np.full(members.size, members[0]), members)
        loose += int(truth.sizes[above].max()) != members.size
    return loose


CHECKS = (
    check_valid_problem,
    check_same_seed,
    check_another_process,
    check_random,
    check_provides,
    check_size,
    check_truth,
)
