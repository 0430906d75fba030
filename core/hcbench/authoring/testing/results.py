"""Checks of algorithms: what they return, and that nothing but data and seed decides it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hcbench.authoring.testing.elsewhere import job_of_algorithm, run_elsewhere
from hcbench.authoring.testing.findings import fail, require, skip
from hcbench.authoring.testing.items import own_arrays
from hcbench.authoring.testing.relays import renumbered
from hcbench.authoring.testing.running import (
    SEED,
    clusters_of,
    error_of,
    heard_of,
    hints,
    run,
    run_on,
    usual,
)
from hcbench.authoring.testing.subjects import Subject
from hcbench.errors import HcbenchError
from hcbench.model.trees import Tree
from hcbench.run.cell import describe, result_kind, run_job
from hcbench.run.given import give


def check_valid_result(subject: Subject) -> None:
    """A tree or partition of all items, as declared, from each kind of oracle it accepts."""
    for heard in heard_of(subject):
        problem = heard.problem()
        ran = run_on(subject, heard, problem)
        if ran.result is None:
            fail(
                f"{subject.label} has no valid result for {problem.n} ordinary items through "
                f"{heard.kind}: {error_of(ran)}",
                ran.error,
            )
        kind = result_kind(ran.result)
        require(
            kind == subject.spec.returns,
            f"{subject.label} declares a {subject.spec.returns} and returns a {kind}",
        )
        if isinstance(ran.result, Tree) and ran.result.names is not None:
            require(
                ran.result.names == problem.names,
                f"{subject.label} returns a tree whose leaves have other names than the items: "
                f"{ran.result.names[0]!r} for {problem.names[0]!r}",  # type: ignore[index]
            )


def check_input_unchanged(subject: Subject) -> None:
    """The data are as before, be they read-only, as in a cell, or not."""
    for heard in heard_of(subject):
        usual(subject, heard)
        planted = heard.problem()
        problem = own_arrays(planted)
        before = problem.digest()
        run_on(subject, heard, problem)
        require(problem.digest() == before, f"{subject.label} changes the data of the problem")
        answers = heard.answers(problem)
        if isinstance(answers.data, np.ndarray):
            data = np.array(answers.data)
            kept = data.tobytes()
            run(subject, replace(answers, data=data), give(problem, hints(subject)))
            require(data.tobytes() == kept, f"{subject.label} changes the {heard.kind} it reads")


def check_same_seed(subject: Subject) -> None:
    """The same data and the same seed give the same result again."""
    for heard in heard_of(subject):
        first = usual(subject, heard).result
        second = run_on(subject, heard, heard.problem()).result
        require(
            first == second,
            f"{subject.label} returns another result of the same data and the same seed",
        )


def check_another_process(subject: Subject) -> None:
    """The same data and the same seed give the same result in another process."""
    heard = heard_of(subject)[0]
    usual(subject, heard)
    job = job_of_algorithm(subject, heard)
    here, there = run_job(job), run_elsewhere(subject, job)
    if there.status != "ok":
        fail(f"{subject.label} fails in another process: {there.reason}")
    require(
        here.points[-1].result == there.points[-1].result,
        f"{subject.label} returns another result of the same data and seed in another process",
    )


def check_renumbered_items(subject: Subject) -> None:
    """Items in another order have the same clusters, unless random numbers decide them."""
    for heard in heard_of(subject):
        problem = heard.problem()
        expected = usual(subject, heard).result
        assert expected is not None
        if _depends_on_seed(subject):
            skip("its result depends on its random numbers")
        answers = heard.answers(problem)
        for seed in range(2):
            items = np.random.default_rng(seed).permutation(problem.n)
            given = give(problem.take(items), hints(subject))
            ran = run(subject, renumbered(answers, items), given)
            if ran.result is None:
                fail(f"{subject.label} fails on items in another order: {error_of(ran)}", ran.error)
            found = {frozenset(items[list(c)].tolist()) for c in clusters_of(ran.result)}
            require(
                found == clusters_of(expected),
                f"{subject.label} returns other clusters where the same items come in another "
                "order",
            )


def _depends_on_seed(subject: Subject) -> bool:
    heard = heard_of(subject)[0]
    expected = usual(subject, heard).result
    others = [run_on(subject, heard, heard.problem(), seed=SEED + k).result for k in range(1, 6)]
    return any(other != expected for other in others)


def check_questions(subject: Subject) -> None:
    """No more questions than it declares to ask at most."""
    if subject.spec.questions is None:
        skip("it does not declare how many questions it asks")
    for heard in heard_of(subject):
        problem = heard.problem()
        try:
            said = subject.spec.expected_queries(problem.n, subject.params)
        except HcbenchError as error:
            skip(describe(error))
        asked = usual(subject, heard).queries
        if said is None or not said[1]:
            skip("it declares no bound on its questions for these parameters")
        require(
            asked is None or asked <= said[0],
            f"{subject.label} declares at most {said[0]} questions about {problem.n} items and "
            f"asks {asked}",
        )


def check_anytime(subject: Subject) -> None:
    """Results are recorded on the way if that is declared, and only then."""
    for heard in heard_of(subject):
        asked = usual(subject, heard).queries
        if not asked:
            skip("it asks no questions, on the way of which it could record results")
        ran = run_on(
            subject, heard, heard.problem(), checkpoints=tuple(range(1, asked, max(asked // 5, 1)))
        )
        require(
            bool(ran.trace) or not subject.spec.anytime,
            f"{subject.label} is declared anytime and records no result at the checkpoints",
        )
        require(
            subject.spec.anytime or not ran.trace,
            f"{subject.label} records results on the way and is not declared anytime",
        )
        for point in ran.trace:
            require(
                point.result.n == heard.problem().n
                and result_kind(point.result) == subject.spec.returns,
                f"{subject.label} records what is no {subject.spec.returns} of the items after "
                f"{point.queries} questions",
            )


CHECKS = (
    check_valid_result,
    check_input_unchanged,
    check_same_seed,
    check_another_process,
    check_renumbered_items,
    check_questions,
    check_anytime,
)
