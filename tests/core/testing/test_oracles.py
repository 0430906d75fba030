"""Each check of oracles, and no other, detects an oracle with that error."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numba import njit

from hcbench import (
    Answers,
    Comparisons,
    NotApplicableError,
    OracleSpec,
    Parameter,
    finest_partition,
    load_registry,
)
from hcbench.compiled import uniform
from tests.core.testing.checking import failed, passed, skipped

NOISE = Parameter("noise", 0.0, "Probability of a wrong answer.", interval="[0, 0.5)")


def made(problem, seed, noise, **changes):
    """Whether two items are of one class, with independent noise."""
    labels = finest_partition(problem).labels

    def answer(request):
        questions = request.queries
        keys = request.keys
        times = request.times
        right = labels[questions[:, 0]] == labels[questions[:, 1]]
        drawn = [uniform(seed, key, time) for key, time in zip(keys, times, strict=True)]
        return (right ^ (np.array(drawn) < noise)).astype(np.int8)

    settings = {"kind": "pair-queries", "n": problem.n, "arity": 2, "answer": answer}
    return Answers(**{**settings, **changes})


def classes(request, *, noise=0.0):
    """Whether two items are of one class."""
    problem = request.problem
    seed = request.seed
    return made(problem, seed, noise)


CLASSES = OracleSpec(
    name="classes",
    function=classes,
    doc="Whether two items are of one class.",
    kind="pair-queries",
    needs=("truth|levels",),
    parameters=(NOISE,),
)


def comparisons(request, *, fewer=0, whole=False):
    """All comparisons of an item with two others, or as many as the budget allows."""
    problem = request.problem
    seed = request.seed
    budget = request.budget
    n, rng = problem.n, np.random.default_rng(seed)
    w = problem.vectors @ problem.vectors.T
    rows = [(i, j, k) for i in range(n) for j in range(n) for k in range(j) if i not in (j, k)]
    triplets = np.array(rows, dtype=np.int64).reshape(-1, 3)
    if budget is not None and not whole:
        triplets = triplets[rng.permutation(len(triplets))[:budget]]
    i, j, k = triplets.T
    first = w[i, j] > w[i, k]
    sure = np.column_stack([i, np.where(first, j, k), np.where(first, k, j)])
    data = Comparisons.from_triplets(n, sure)
    return Answers(kind="triplet-set", n=n, data=data, size=max(len(data) - fewer, 0))


TRIPLETS = OracleSpec(
    name="triplets",
    function=comparisons,
    doc="All triplets.",
    kind="triplet-set",
    needs=("vectors",),
    parameters=(
        Parameter("fewer", 0, "By how many the size is too small."),
        Parameter("whole", False, "Whether the budget is ignored."),
    ),
)


def wrong(function, **changes):
    function.__doc__ = "Whether two items are of one class, with a fault."
    return replace(CLASSES, function=function, **changes)


def other_kind(request, *, noise=0.0):
    problem = request.problem
    seed = request.seed
    return replace(made(problem, seed, noise), kind="ordinal-queries")


def more_items(request, *, noise=0.0):
    problem = request.problem
    seed = request.seed
    return replace(made(problem, seed, noise), n=problem.n + 1)


def first_is_alone(request, *, noise=0.0):
    problem = request.problem
    seed = request.seed
    inner = made(problem, seed, noise).answer

    def answer(request):
        questions = request.queries
        codes = inner(request)
        codes[(questions == 0).sum(axis=1) == 1] = 0
        return codes

    return made(problem, seed, noise, answer=answer)


def less_noise(request, *, noise=0.0):
    problem = request.problem
    seed = request.seed
    return made(problem, seed, 0.3 * noise)


def alone_without_noise(request, *, noise=0.0):
    problem = request.problem
    seed = request.seed
    plain, noisy = made(problem, seed, 0.0).answer, made(problem, seed, noise).answer

    def answer(request):
        return (plain if len(request.queries) == 1 else noisy)(request)

    return made(problem, seed, noise, answer=answer)


@njit(cache=True)
def nobody(floats, ints, i, j, k, l, key, time):  # noqa: E741
    return 0


def compiled_otherwise(request, *, noise=0.0):
    problem = request.problem
    seed = request.seed
    return made(problem, seed, noise, compiled=nobody)


def ordered(request, *, noise=0.0):
    problem = request.problem
    seed = request.seed
    return made(problem, seed, noise, symmetry="ordered")


def without_seed(request, *, noise=0.0):
    problem = request.problem
    return made(problem, 7, noise)


def noisy(request, *, noise=0.2):
    problem = request.problem
    seed = request.seed
    return made(problem, seed, noise)


def draws_on(request, *, noise=0.0):
    problem = request.problem
    seed = request.seed
    rng = np.random.default_rng(seed)

    def draw(start, m):
        pairs = np.argsort(rng.random((m, problem.n)), axis=1)[:, :2]
        return rng.permutation(pairs)

    return made(problem, seed, noise, draw=draw)


def draws_the_same_item(request, *, noise=0.0):
    problem = request.problem
    seed = request.seed
    return made(problem, seed, noise, draw=lambda start, m: np.zeros((m, 2), np.int64))


def levels_alone(request, *, noise=0.0):
    problem = request.problem
    seed = request.seed
    labels = problem.levels[:, -1]
    return made(replace(problem, levels=labels[:, None]), seed, noise)


def crashes_on_one(request, *, noise=0.0):
    problem = request.problem
    seed = request.seed
    assert problem.n > 1
    return made(problem, seed, noise)


def changes_data(request, *, noise=0.0):
    problem = request.problem
    seed = request.seed
    X = problem.vectors
    try:
        X.setflags(write=True)
    except (AttributeError, ValueError):
        return made(problem, seed, noise)
    X[0, 0] += 1e-3
    return made(problem, seed, noise)


def global_numbers(request, *, noise=0.0):
    problem = request.problem
    seed = request.seed
    np.random.rand()  # noqa: NPY002
    return made(problem, seed, noise)


def prints(request, *, noise=0.0):
    problem = request.problem
    seed = request.seed
    print("hello")  # noqa: T201
    return made(problem, seed, noise)


@pytest.mark.slow
@pytest.mark.parametrize("spec", [CLASSES, TRIPLETS], ids=lambda spec: spec.name)
def test_valid_plugins_pass_all_checks(spec):
    assert failed(spec) == {}


@pytest.mark.slow
def test_checks_of_an_oracle_with_queries():
    unused = {"persistence", "compiled", "budget", "key", "declared_randomness"}
    assert set(skipped(CLASSES)) == unused
    assert {"noise_rate", "same_question", "vectorised", "counting"} <= passed(CLASSES)


@pytest.mark.slow
def test_oracles() -> None:
    for check, spec, sentence in [
        ("consistent", wrong(first_is_alone), "wrong answers of 12, without noise"),
        ("noise_rate", wrong(less_noise), "with noise=0.2"),
        ("vectorised", wrong(alone_without_noise), "otherwise than the same queries one by one"),
        (
            "compiled",
            wrong(compiled_otherwise),
            "answers otherwise in a compiled loop than by the plain function",
        ),
        ("seed", wrong(without_seed), "has the same noise with another seed"),
        (
            "declared_randomness",
            wrong(noisy, random=False, parameters=(replace(NOISE, default=0.2),)),
            "is declared not random and has other answers for another seed",
        ),
        ("draws", wrong(draws_on), "draws other pairs if they are drawn in parts"),
        ("draws", wrong(draws_the_same_item), "draws a pair of an item with itself"),
        ("few_items", wrong(crashes_on_one), "fails on 1 items: AssertionError"),
        (
            "needs",
            wrong(levels_alone, needs=("levels|vectors",)),
            "declares that vectors is enough",
        ),
        ("input_unchanged", wrong(changes_data, needs=("vectors", "levels")), "changes the data"),
        ("global_random_state", wrong(global_numbers), "uses a global generator"),
        ("nothing_printed", wrong(prints), "prints 'hello'"),
        ("valid_answers", replace(CLASSES, countable=False), "its answers are counted"),
        ("signature", replace(CLASSES, parameters=()), "does not declare noise"),
        ("documented", replace(CLASSES, doc=""), "has no doc"),
    ]:
        found = failed(spec)
        assert set(found) == {check}
        assert sentence in found[check]


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (other_kind, "declares pair-queries and has ordinal-queries"),
        (more_items, "answers about 13 items of 12"),
    ],
)
def test_answers_of_another_kind_or_number(function, sentence):
    assert sentence in failed(wrong(function))["valid_answers"]


def test_the_same_question_the_other_way_round():
    found = failed(wrong(ordered))
    assert set(found) == {"same_question"}
    assert "in another order, [1, 0]" in found["same_question"]


def persists(request, *, noise=0.0, persistent=False):
    problem = request.problem
    seed = request.seed
    inner = made(problem, seed, noise).answer

    def answer(request):
        times = 0 * request.times if persistent else request.times
        return inner(replace(request, times=times))

    return made(problem, seed, noise, answer=answer)


@pytest.mark.parametrize("declared", [False, True])
@pytest.mark.parametrize("does", [False, True])
def test_persistence(declared, does):
    def function(request, *, noise=0.0, persistent=declared):
        """Whether two items are of one class, with independent or persistent noise."""
        return persists(request, noise=noise, persistent=does)

    persistent = Parameter("persistent", declared, "Whether answers are for good.")
    found = failed(replace(CLASSES, function=function, parameters=(NOISE, persistent)))
    assert set(found) == ({"persistence"} if declared != does else set())


def test_counting():
    """A size that is too small gives too low counts, and exceeds the budget."""
    spec = replace(TRIPLETS, parameters=(Parameter("fewer", 5, "Too few."), TRIPLETS.parameters[1]))
    found = failed(spec)
    assert "660 answers, which are counted as 655" in found["counting"]


def test_budget():
    parameters = (TRIPLETS.parameters[0], Parameter("whole", True, "Whether all."))

    def whole(request, *, fewer=0, whole=True):
        """All comparisons."""
        return comparisons(request, fewer=fewer, whole=whole)

    found = failed(replace(TRIPLETS, function=whole, parameters=parameters))
    assert set(found) == {"budget"}
    assert "holds 660 answers with a budget of 0" in found["budget"]


@pytest.mark.slow
def test_an_oracle_about_other_items_passes():
    def other_items(_request):
        """Recorded answers."""
        raise NotApplicableError("answers about 5 other items")

    spec = replace(CLASSES, function=other_items, parameters=())
    assert failed(spec) == {}
    assert "answers about 5 other items" in skipped(spec)["consistent"]


@pytest.mark.parametrize(
    "name",
    ["pair-queries", "rating-queries", "odd-of-many", "ordinal-adversary", "quadruplet-queries"],
)
def test_answers_without_noise_use_no_random_numbers(name):
    """So equal values of deterministic algorithms are known to be equal."""
    spec = load_registry().oracles.find(name).spec
    assert not spec.random_with(spec.resolve({}))
    assert spec.random_with(spec.resolve({"noise": 0.1}))


def test_pairs_that_an_algorithm_draws_are_its_random_numbers():
    algorithms = load_registry().algorithms
    for name in ("ERM", "NR"):
        spec = algorithms.find(name).spec
        assert spec.random_with(spec.resolve({}))


def test_data_of_a_plugins_own_kind_cannot_be_made_here():
    def strings(request):
        """The strings of the items."""
        problem = request.problem
        extra = problem.extras["mine:strings"]
        return Answers(kind="mine:strings", n=problem.n, data=extra)

    spec = OracleSpec(
        name="strings",
        function=strings,
        doc="The strings of the items.",
        kind="mine:strings",
        needs=("mine:strings",),
    )
    assert not failed(spec)
    assert skipped(spec)["needs"] == "data with mine:strings are not known here"
