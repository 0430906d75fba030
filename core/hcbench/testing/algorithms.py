"""Checks of algorithms: what they return, what it depends on, and what they pay for it.

Also on few items, equal items and ties; `hcbench.testing.algorithm_arrays` has those of types and
layouts of arrays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from hcbench.errors import BudgetExceededError, HcbenchError, InvalidQueryError, NotApplicableError
from hcbench.model.extras import is_extra
from hcbench.plan.outcome import unit_of_cost
from hcbench.registry.specs import HINTS
from hcbench.run.cell import run_job
from hcbench.run.failures import describe
from hcbench.run.inputs import give
from hcbench.run.returned import result_kind
from hcbench.testing.planted import Form, own_arrays
from hcbench.testing.recording import arrays_of, record, renumbered, replay
from hcbench.testing.running import (
    SEED,
    Ran,
    Source,
    clusters_of,
    job_of_algorithm,
    job_without_truth,
    require_valid,
    run,
    run_in_worker,
    run_on,
    sources_of,
    usual,
)
from hcbench.testing.subjects import CheckFailedError, Subject, fail, require, skip


def advise_paper(subject: Subject) -> None:
    """Its spec names the paper that introduced it."""
    if subject.spec.reference:
        # Such as the truth itself, or random trees.
        skip("it is a reference line")
    require(
        subject.spec.paper is not None,
        "has no paper; set paper=Reference(...)",
    )


def check_valid_result(subject: Subject) -> None:
    """A tree or partition of all items, as declared, from each kind of oracle it accepts."""
    for source in sources_of(subject):
        problem = source.problem()
        ran = run_on(subject, source)
        if ran.result is None:
            fail(
                f"has no valid result for {problem.n} ordinary items through {source.kind}: "
                f"{ran.reason}",
                ran.error,
            )
        require_valid(subject, ran, f"{problem.n} ordinary items")


def check_input_unchanged(subject: Subject) -> None:
    """The data are as before, be they read-only, as in a cell, or not."""
    for source in sources_of(subject):
        usual(subject, source)
        problem = own_arrays(source.problem())
        before = problem.digest()
        run_on(subject, source, problem)
        require(problem.digest() == before, "changes the data of the problem")
        # These arrays can be written to; read-only ones would raise instead.
        # What an oracle gives may be a copy of the data of the problem, and is shared, too.
        answers = source.answers(problem)
        if not arrays_of(answers.data):
            continue
        data: Any = answers.data
        data = data.copy()
        bytes_before = [array.tobytes() for array in arrays_of(data)]
        run(subject, replace(answers, data=data), give(problem, subject.hints))
        bytes_after = [array.tobytes() for array in arrays_of(data)]
        require(bytes_after == bytes_before, f"changes the {source.kind} it reads")


def check_same_seed(subject: Subject) -> None:
    """The same data and the same seed give the same result, and report the same numbers, again."""
    for source in sources_of(subject):
        first = usual(subject, source)
        again = run_on(subject, source)
        require(
            first.result == again.result,
            "returns another result of the same data and the same seed",
        )
        first_numbers = _numbers_without_costs(first.reported)
        numbers = _numbers_without_costs(again.reported)
        require(
            first_numbers == numbers,
            f"reports {numbers} of the same data and the same seed as {first_numbers}",
        )


def _numbers_without_costs(reported: Mapping[str, float]) -> dict[str, float]:
    """What an algorithm reported of its result; what it cost may be another number each time."""
    numbers = {}
    for name, number in reported.items():
        if unit_of_cost(name) is None:
            numbers[name] = number
    return numbers


def check_another_process(subject: Subject) -> None:
    """The same data and the same seed give the same result in another process."""
    # Other processes differ by what they hash, import and have drawn, whatever the oracle.
    source = sources_of(subject)[0]
    usual(subject, source)
    job = job_of_algorithm(subject, source)
    outcome = run_job(job)
    outcome_of_worker = run_in_worker(subject, job)
    if outcome_of_worker.status != "ok":
        fail(f"fails in another process: {outcome_of_worker.reason}")
    require(
        outcome.points[-1].result == outcome_of_worker.points[-1].result,
        "returns another result of the same data and seed in another process",
    )


def check_renumbered_items(subject: Subject) -> None:
    """Items in another order have the same clusters, unless random numbers decide them."""
    if subject.spec.order_dependent:
        skip("it declares that its result depends on their order")
    for source in sources_of(subject):
        problem = source.problem()
        expected = usual(subject, source).result
        assert expected is not None
        # Of one source, as this takes five calls.
        if _depends_on_seed(subject, sources_of(subject)[0]):
            # Random numbers are of positions: another order is another draw.
            skip("its result depends on its random numbers")
        answers = source.answers(problem)
        for seed in range(2):
            order = np.random.default_rng(seed).permutation(problem.n)
            items = give(problem.take(order), subject.hints)
            ran = run(subject, renumbered(answers, order), items)
            if ran.result is None:
                fail(f"fails on items in another order: {ran.reason}", ran.error)
            # By the numbers that the items had before.
            clusters = set()
            for cluster in clusters_of(ran.result):
                clusters.add(frozenset(order[list(cluster)].tolist()))
            require(
                clusters == clusters_of(expected),
                "returns other clusters where the same items come in another order",
            )


def check_declared_randomness(subject: Subject) -> None:
    """Another seed gives the same result if it declares that random numbers do not matter."""
    if subject.spec.random_with(subject.params):
        skip("it declares that its result may depend on random numbers")
    for source in sources_of(subject):
        require(
            not _depends_on_seed(subject, source),
            "is declared not random and returns another result for another seed",
        )


def _depends_on_seed(subject: Subject, source: Source) -> bool:
    expected = usual(subject, source).result
    # Five seeds: one alone may give the same result by chance.
    for seed in range(SEED + 1, SEED + 6):
        if run_on(subject, source, seed=seed).result != expected:
            return True
    return False


def check_queries(subject: Subject) -> None:
    """No more queries than the declared bound."""
    if subject.spec.queries is None:
        skip("it does not declare its number of queries")
    for source in sources_of(subject):
        n = source.problem().n
        try:
            expected = subject.spec.expected_queries(n, subject.params)
        except HcbenchError as error:
            skip(describe(error))
        queries = usual(subject, source).queries
        # An expected number that is no bound may be exceeded.
        if expected is None or not expected[1]:
            skip("it declares no bound on its queries for these parameters")
        require(
            queries is None or queries <= expected[0],
            f"declares at most {expected[0]} queries about {n} items and makes {queries}",
        )


def check_anytime(subject: Subject) -> None:
    """Results are recorded at checkpoints if that is declared, and only then."""
    declared = subject.spec.anytime
    kind = subject.spec.returns
    for source in sources_of(subject):
        queries = usual(subject, source).queries
        if not queries:
            skip("it makes no queries, so there are no checkpoints")
        # After one query, and about each fifth of all.
        checkpoints = tuple(range(1, queries, max(queries // 5, 1)))
        trace = run_on(subject, source, checkpoints=checkpoints).trace
        require(
            bool(trace) or not declared,
            "is declared anytime and records no result at the checkpoints",
        )
        require(declared or not trace, "records results on the way and is not declared anytime")
        for point in trace:
            require(
                point.result.n == source.problem().n and result_kind(point.result) == kind,
                f"records what is no {kind} of the items after {point.queries} queries",
            )


def check_budget(subject: Subject) -> None:
    """A budget is never exceeded: a result within it, or BudgetExceededError."""
    counted = []
    for source in sources_of(subject):
        # Data that are read whole have no queries to be limited.
        if source.use.spec.countable:
            counted.append(source)
    if not counted:
        skip("it asks nothing that is counted")
    for source in counted:
        queries = usual(subject, source).queries or 0
        # Nothing, hardly anything, half, one too few, and enough.
        for budget in sorted({0, 1, queries // 2, max(queries - 1, 0), queries}):
            ran = run_on(subject, source, budget=budget)
            _require_within(ran, budget, ran.queries or 0)
        _check_paid(subject, source, queries // 2)


def _check_paid(subject: Subject, source: Source, budget: int) -> None:
    """The ledger counts every answer."""
    # The record sees each answer that leaves the oracle, whoever asks for it.
    problem = source.problem()
    answers, recorded = record(source.answers(problem, budget))
    ran = run(subject, answers, give(problem, subject.hints), budget=budget)
    # Sets of comparisons are limited by their size, and not asked one by one.
    if answers.arity:
        _require_within(ran, budget, recorded.answered)
        require(
            recorded.answered == (ran.queries or 0),
            f"gets {recorded.answered} answers, of which the ledger counts {ran.queries}",
        )


def _require_within(ran: Ran, budget: int, answered: int) -> None:
    require(answered <= budget, f"gets {answered} answers with a budget of {budget}")
    # Too few queries may be a reason, in one line, why there is no result.
    if ran.result is None and not isinstance(ran.error, BudgetExceededError | NotApplicableError):
        fail(
            f"fails with a budget of {budget}, other than by BudgetExceededError: {ran.reason}",
            ran.error,
        )


def check_truth_unseen(subject: Subject) -> None:
    """The result is the same where nothing is left of the data but the answers it was given."""
    for source in sources_of(subject):
        problem = source.problem()
        expected = usual(subject, source).result
        # First the answers are recorded, then they are given again where there is nothing else. So
        # an algorithm that finds the truth by another way than its queries returns another result.
        answers, recorded = record(source.answers(problem))
        ran = run(subject, answers, give(problem, subject.hints))
        if ran.result != expected:
            because = ""
            if ran.error is not None:
                because = f": {describe(ran.error)}"
            fail(f"returns another result where its queries are recorded{because}")
        job = job_without_truth(subject, source, replay(answers, recorded))
        try:
            # Both in a worker, so that a difference is one of the truth alone.
            with_truth = run_in_worker(subject, job_of_algorithm(subject, source))
            without = run_in_worker(subject, job)
        except CheckFailedError as error:
            skip(f"it cannot be run where there is no truth (another_process): {error}")
        # Without points the worker has failed, which is compared below.
        if with_truth.points and with_truth.points[-1].result != expected:
            # Two workers differ, too, whatever they know.
            skip("its result is another one in another process (another_process)")
        results_with_truth = [point.result for point in with_truth.points]
        results_without_truth = [point.result for point in without.points]
        if results_with_truth != results_without_truth:
            because = ""
            if without.reason:
                because = f": {without.reason}"
            fail(
                "returns another result where the truth is removed and the same answers are given "
                f"again{because}"
            )


def check_needs(subject: Subject) -> None:
    """It needs no more than it declares: kinds of oracle, needs and hints."""
    unknown_hints = []
    for hint in subject.hints:
        # Hints of a plugin's own kind have a prefix.
        if hint not in HINTS and not is_extra(hint):
            unknown_hints.append(hint)
    require(not unknown_hints, f"declares hints that do not exist: {', '.join(unknown_hints)}")
    for source in sources_of(subject):
        _check_hints(subject, source)
        if "tree" not in subject.spec.needs:
            _check_without_tree(subject, source)


def _check_hints(subject: Subject, source: Source) -> None:
    problem = source.problem()
    all_hints: dict[str, Any] = {}
    for hint in HINTS:
        with suppress(NotApplicableError):  # as no items have both vectors and a graph
            all_hints |= give(problem, (hint,)).hints
    # More hints than it declares: it must not look at them.
    watched = _WatchedHints(all_hints)
    ran = run(subject, source.answers(problem), replace(give(problem, ()), hints=watched))
    undeclared = sorted(watched.read - set(subject.hints))
    noun = "hints"
    if len(undeclared) == 1:
        noun = "hint"
    require(
        not undeclared,
        f"reads the {noun} {', '.join(undeclared)}, which it does not declare",
    )
    if isinstance(ran.error, InvalidQueryError):
        fail(
            f"accepts {source.kind} and asks them for what they do not have: {ran.reason}",
            ran.error,
        )


def _check_without_tree(subject: Subject, source: Source) -> None:
    # A tree that is to be cut is there for whoever declares it; others must not look at it.
    problem = source.problem()
    items = give(problem, subject.hints)
    expected = run(subject, source.answers(problem), items)
    without = run(subject, source.answers(problem), replace(items, tree=None))
    if expected.result is None and without.result is None:
        skip(f"there is no valid result to compare with (valid_result): {without.reason}")
    require(without.result == expected.result, "uses items.tree, and its needs do not say tree")


class _WatchedHints(Mapping[str, Any]):
    """All hints, and which of them were read."""

    def __init__(self, hints: Mapping[str, Any]) -> None:
        self._hints = hints
        self.read: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.read.add(name)
        return self._hints[name]

    def __iter__(self) -> Iterator[str]:
        # Whoever goes through all of them may have read any.
        self.read.update(self._hints)
        return iter(self._hints)

    def __len__(self) -> int:
        return len(self._hints)


def check_few_items(subject: Subject) -> None:
    """The fewest items and two more: a valid result, or one line that says why there is none."""
    fewest = subject.spec.min_items
    for source in sources_of(subject):
        usual(subject, source)
        for n in range(fewest, fewest + 3):
            ran = run_on(subject, source, source.problem(n=n))
            items = f"{n} items"
            if n == 1:
                items = "1 item"
            try:
                require_valid(subject, ran, items)
            except CheckFailedError as error:
                if n > fewest:
                    raise
                # Of fewer items than it declares, it is not called.
                fail(f"{error}; if it needs more items, declare min_items={n + 1}", error.__cause__)


def check_duplicates(subject: Subject) -> None:
    """Duplicate items: a valid result, or one line that says why there is none."""
    _on_form(subject, "duplicates", "duplicate items")


def check_ties(subject: Subject) -> None:
    """Many equal distances: a valid result, or one line that says why there is none."""
    _on_form(subject, "ties", "items with many equal distances")


def check_constant_data(subject: Subject) -> None:
    """Identical items: a valid result, or one line that says why there is none."""
    _on_form(subject, "constant", "identical items")


def check_graph_parts(subject: Subject) -> None:
    """A graph that is not connected: a valid result, or one line that says why there is none."""
    graphs = []
    for source in sources_of(subject):
        if source.kind == "graph":
            graphs.append(source)
    if not graphs:
        skip("it reads no graph")
    forms: dict[Form, str] = {
        "unconnected": "a graph of several parts",
        "no edges": "a graph without edges",
    }
    for source in graphs:
        usual(subject, source)
        for form, description in forms.items():
            ran = run_on(subject, source, source.problem(form))
            require_valid(subject, ran, description)


def _on_form(subject: Subject, form: Form, description: str) -> None:
    planted = []
    for source in sources_of(subject):
        # Only of planted vectors there are the other forms.
        if source.form == "planted":
            planted.append(source)
    if not planted:
        skip("its oracle needs data that exist in one form only")
    for source in planted:
        usual(subject, source)
        require_valid(subject, run_on(subject, source, source.problem(form)), description)
