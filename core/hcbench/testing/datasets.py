"""Checks of data sets."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import DataNotAvailableError, HcbenchError, NotApplicableError
from hcbench.model.cost import Cost, collect_notes
from hcbench.model.problem import Problem, Result
from hcbench.model.trees import Tree
from hcbench.oracle import Answers
from hcbench.oracle.answers import Scored
from hcbench.oracle.requests import takes_request
from hcbench.registry.making import make_use
from hcbench.registry.metric_specs import MetricSpec
from hcbench.registry.resolving import default_uses
from hcbench.registry.specs import unmet
from hcbench.run.cell import rescore_job
from hcbench.run.failures import describe
from hcbench.run.requests import call_dataset
from hcbench.testing.items import shared_items
from hcbench.testing.planted import DATA_SEED
from hcbench.testing.running import job_of_dataset, run_in_worker
from hcbench.testing.subjects import Subject, fail, require, skip
from hcbench.testing.truths import (
    better_than_truth,
    compares_with_truth,
    prefers_others_by_definition,
)

_COMPARED_ITEMS = 60  # some metrics take time proportional to the cube of the number


def make(subject: Subject, seed: int) -> Problem:
    """Call a data set; not applicable where its files are not on this machine."""
    try:
        with collect_notes():
            problem = call_dataset(subject.call, seed)
    except DataNotAvailableError as error:
        skip(f"its data are not on this machine: {describe(error)}")
    if not isinstance(problem, Problem):
        fail(f"returns {type(problem).__name__}; a data set returns a Problem")
    return problem


@lru_cache(maxsize=2)
def _usual(subject: Subject) -> Problem:
    """The problem of the first seed."""
    return make(subject, DATA_SEED)


def check_valid_problem(subject: Subject) -> None:
    """A Problem, whose parts fit together."""
    try:
        _usual(subject)
    except HcbenchError as error:
        fail(f"yields no valid problem: {describe(error)}", error)


def check_same_seed(subject: Subject) -> None:
    """The same seed gives the same data again."""
    first = _usual(subject).digest()
    again = make(subject, DATA_SEED).digest()
    require(first == again, "yields other data for the same seed")


def check_another_process(subject: Subject) -> None:
    """The same seed gives the same data in another process."""
    _usual(subject)  # skips what has no data here
    job = job_of_dataset(subject)
    outcome = rescore_job(job)
    outcome_of_worker = run_in_worker(subject, job)
    if outcome_of_worker.status != "ok":
        fail(f"fails in another process: {outcome_of_worker.reason}")
    require(
        outcome.data_digest == outcome_of_worker.data_digest,
        "yields other data for the same seed in another process",
    )


def advise_request(subject: Subject) -> None:
    """Its function takes one request, as the next minor release of hcbench calls it."""
    require(
        takes_request(subject.spec.load()),
        "has a function without the argument request; write function(request, **params), with a "
        "DataRequest",
    )


def check_random(subject: Subject) -> None:
    """Another seed gives other data if that is declared, and the same if not."""
    # Three seeds, as two draws of few choices may be equal.
    digests = {_usual(subject).digest()}
    for seed in (DATA_SEED + 1, DATA_SEED + 2):
        digests.add(make(subject, seed).digest())
    is_random = len(digests) > 1
    if subject.dataset.is_random:
        require(is_random, "is declared random and yields the same data for three seeds")
    else:
        require(not is_random, "is declared not random and yields other data for another seed")


def check_independent(subject: Subject) -> None:
    """Two seeds give no data of the same items, unless ``dependent`` declares it.

    A parameter ``n`` that is None by default, as of samples of all items, is tried with four of
    five items as well.
    """
    problem = _usual(subject)
    tried = 0
    for variant in (subject, _with_most_items(subject, problem.n)):
        # A sample of all items is the same for each seed, and has nothing to be independent.
        if variant is None or not variant.dataset.is_random:
            continue
        if variant.dataset.is_dependent:
            continue
        tried += 1
        one = make(variant, DATA_SEED)
        another = make(variant, DATA_SEED + 1)
        if one.digest() == another.digest():
            continue  # not random at all, which `random` reports
        shared = shared_items(one, another)
        require(
            not shared,
            f"yields {shared} of the same {one.n} items for two seeds; declare dependent=True, or "
            "for which parameters it is",
        )
    if not tried:
        skip("its data are fixed, or are declared to be of the same items")


def _with_most_items(subject: Subject, n: int) -> Subject | None:
    """The same data set with a sample of four of five items; None if it has no such parameter."""
    if "n" not in subject.params or subject.params["n"] is not None:
        return None
    assert subject.use is not None
    most = max(4 * n // 5, 2)
    use = make_use(subject.spec, subject.use.plugin, subject.params | {"n": most}, subject.registry)
    return Subject(subject.spec, use, subject.registry, subject.oracles)


def check_item_order(subject: Subject) -> None:
    """Items of random data are not numbered in the order of the truth, which ties would reveal.

    Neighbouring numbers must not be closer in the true tree than in random orders: the mean size of
    the smallest common cluster is compared with those of 1000 permutations.
    """
    if not subject.dataset.is_random:
        skip("its data are fixed, in the order of their source")
    problem = _usual(subject)
    if problem.truth is None:
        skip("it has no truth")
    truth = problem.truth
    rng = np.random.default_rng(DATA_SEED)

    def mean_size(items: NDArray[np.intp]) -> float:
        """The mean size of the smallest common cluster of neighbours in an order."""
        return float(truth.sizes[truth.lca(items[:-1], items[1:])].mean())

    as_numbered = mean_size(np.arange(problem.n))
    at_random = [mean_size(rng.permutation(problem.n)) for _ in range(1000)]
    require(
        as_numbered >= min(at_random),
        f"numbers its items in the order of the truth: neighbours share clusters of "
        f"{as_numbered:.3g} items, in random orders of {np.mean(at_random):.3g}; permute them by "
        "the seed",
    )


def check_provides(subject: Subject) -> None:
    """It yields what it declares to provide, and nothing else."""
    declared = subject.dataset.provides
    yielded = _usual(subject).provides
    lacking = sorted(declared - yielded)
    extra = sorted(yielded - declared)
    require(not lacking, f"declares {', '.join(lacking)} and does not yield it")
    require(not extra, f"yields {', '.join(extra)} and does not declare it")


def check_size(subject: Subject) -> None:
    """As many items as its parameter n says."""
    n = subject.params.get("n")
    if not isinstance(n, int) or isinstance(n, bool):
        skip("it has no parameter n, or leaves it open")
    yielded = _usual(subject).n
    require(yielded == n, f"yields {yielded} items with n={n}")


def check_truth(subject: Subject) -> None:
    """The true trees are those declared, of the items, and have the nested classes as clusters."""
    problem = _usual(subject)
    if not problem.truths:
        skip("it has no truth")
    declared = subject.dataset.truths
    require(
        declared == tuple(problem.truths) or (not declared and len(problem.truths) == 1),
        f"declares the truths ({', '.join(declared)}) and yields {', '.join(problem.truths)}, in "
        "this order",
    )
    missing = _classes_of_no_truth(problem)
    require(not missing, f"yields levels of which {missing} classes are clusters of no truth")


def check_truth_best(subject: Subject) -> None:
    """No tree is better than its truth, by the metrics of nothing else that are registered.

    Of more than 60 items, 60 are compared.
    """
    problem = _usual(subject)
    if not problem.truths:
        skip("it has no truth")
    missing = _classes_of_no_truth(problem)
    if missing:
        skip(f"{missing} of its classes are clusters of no truth (truth)")
    if problem.n > _COMPARED_ITEMS:
        items = np.random.default_rng(DATA_SEED).permutation(problem.n)[:_COMPARED_ITEMS]
        problem = problem.take(items)
    # All that are installed, also those of other plugins: who uses the data set may use any.
    for use in default_uses(subject.registry.metrics):
        if unmet(use.spec.needs, problem.provides) is not None:
            continue
        measure = partial(_measured, use.spec)
        if not compares_with_truth(use.spec, measure, problem):
            continue
        for better in better_than_truth(use.spec, use.params, measure, problem):
            params = dict(use.params) | better.params
            # Then the metric is at fault, and not this truth.
            if prefers_others_by_definition(use.spec, params, measure, DATA_SEED):
                continue
            sentence = (
                f"yields a truth that is not the best result: {use.spec.name} of {better.result} "
                f"is {better.value:g}, of the truth {better.of_truth:g}"
            )
            if better.params:
                values = [f"{name}={value}" for name, value in better.params.items()]
                sentence += f", with {', '.join(values)}"
            fail(sentence)


def _measured(
    spec: MetricSpec, problem: Problem, result: Result, params: Mapping[str, Any]
) -> float:
    scored = Scored(problem=problem, result=result, cost=Cost(), make_answers=_no_answers)
    with collect_notes():
        return float(spec.load()(scored, **params))


def _no_answers() -> Answers:
    raise NotApplicableError("there is no oracle")


def _classes_of_no_truth(problem: Problem) -> int:
    """The number of classes that are not clusters of the truth that has most of them."""
    if problem.levels is None:
        return 0
    # Of several truths, one that has all classes is enough.
    missing = [_missing_classes(truth, problem.levels) for truth in problem.truths.values()]
    return min(missing)


def _missing_classes(truth: Tree, levels: NDArray[np.int64]) -> int:
    """The number of classes that are not all leaves below their lowest common ancestor."""
    classes = Tree.from_levels(levels)
    missing = 0
    for node in range(classes.n, classes.n_nodes):
        # The smallest true cluster with all members has others as well if it is larger.
        members = classes.leaves(node)
        above = truth.lca(np.full(members.size, members[0]), members)
        if int(truth.sizes[above].max()) != members.size:
            missing += 1
    return missing
