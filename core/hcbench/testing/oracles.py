"""Checks of oracles, which are queried about planted items; wrong answers are counted."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench.errors import HcbenchError, NotApplicableError, ParameterError
from hcbench.model.comparisons import AllComparisons, Comparisons
from hcbench.model.cost import collect_notes
from hcbench.model.extras import is_extra
from hcbench.model.problem import Problem
from hcbench.oracle import Answers, Code, Oracle, Queries
from hcbench.oracle.requests import answers_request, takes_request
from hcbench.run.failures import describe
from hcbench.run.inputs import make_answers, make_oracle
from hcbench.run.job import Call
from hcbench.testing._asking_kernels import ask_each
from hcbench.testing.planted import DATA_SEED, N, gram, items_with, make_items, own_arrays
from hcbench.testing.running import NOISE_SEED
from hcbench.testing.subjects import NotCheckedError, Subject, fail, require, skip

NOISE = 0.2
"""The rate of errors of oracles whose own is below `MEASURABLE`."""

#: An oracle with a lower rate of errors is checked with `NOISE` instead.
MEASURABLE = 0.05
MANY = 3000
"""Number of queries of which the wrong answers are counted."""


def problem_of(subject: Subject, n: int = N) -> Problem:
    """Planted items that provide what the spec needs."""
    return items_with(subject.spec.needs, n)


def answers_of(
    subject: Subject,
    problem: Problem,
    *,
    seed: int = NOISE_SEED,
    budget: int | None = None,
    noise: float | None = None,
) -> Answers:
    """The answers of an oracle, with its own noise or the noise given.

    The check does not apply where the oracle says so, as one of recorded answers about other items.
    """
    _require_free(subject)
    params = subject.params
    if noise is not None:
        params["noise"] = noise
    call = Call(subject.spec.function, params)
    try:
        with collect_notes():
            answers = make_answers(call, problem, seed, budget)
            # Some oracles refuse only when they are asked.
            if answers.arity and problem.n >= answers.arity:
                Oracle(answers).ask(random_queries(answers, 1))
    except NotApplicableError as error:
        skip(f"it does not apply to planted items: {describe(error)}")
    return answers


def _require_free(subject: Subject) -> None:
    if subject.spec.is_live:
        skip("its answers cost money or a person's time")


def noise_of(subject: Subject) -> float | None:
    """A rate of errors that can be measured: its own if that is high enough, else `NOISE`.

    None if it has no parameter ``noise``.
    """
    if "noise" not in subject.params:
        return None
    noise = float(subject.params["noise"])
    if noise < MEASURABLE:
        return NOISE
    return noise


def random_queries(answers: Answers, m: int) -> Queries:
    """Random queries, (m, arity), about different items; those of two pairs may share one.

    Of queries about two items, each pair once, whatever m is.
    """
    if answers.arity == 2 and m > 1:
        return np.column_stack(np.triu_indices(answers.n, 1)).astype(np.int64)
    rng = np.random.default_rng(0)
    rows = np.argsort(rng.random((m, answers.n)), axis=1)[:, : answers.arity]
    if answers.arity == 4:
        # Every third compares two pairs of one item, as triplets do.
        rows[::3, 2] = rows[::3, 0]
    return np.ascontiguousarray(rows, dtype=np.int64)


def all_answers(answers: Answers) -> Any:
    """The answers to random queries, or the bytes of data that are read whole."""
    oracle = Oracle(answers)
    if answers.arity:
        return oracle.ask(random_queries(answers, 200)).tolist()
    return pickle.dumps(oracle.read())


def count_wrong(answers: Answers, problem: Problem) -> tuple[int, int]:
    """The numbers of wrong answers and of all answers about planted items."""
    if not answers.arity:
        return _wrong_in_data(answers, problem)
    queries = random_queries(answers, MANY)
    codes = Oracle(answers).ask(queries)
    if answers.kind == "pair-queries":
        return _count_misplaced(queries, codes, problem), problem.n
    return int((codes != _right(answers.kind, queries, gram(problem))).sum()), len(queries)


def _right(kind: str, queries: Queries, w: NDArray[np.float64]) -> Code:
    # The codes are those of `hcbench.QUERY_KINDS`: 1 where the first pair is closer, -1 where the
    # second one is; or which of three items is the odd one.
    if kind == "quadruplet-queries":
        i, j, k, l = queries.T  # noqa: E741
        return np.asarray(np.sign(w[i, j] - w[k, l]), dtype=np.int8)
    if kind == "ordinal-queries":
        i, j, k = queries.T
        return np.asarray(np.argmax([w[j, k], w[i, k], w[i, j]], axis=0), dtype=np.int8)
    return skip(f"the right answers to {kind} are not known here")


def _count_misplaced(queries: Queries, codes: Code, problem: Problem) -> int:
    """The number of items whose cluster is no set of leaves below a true node.

    Any cut of the truth is right, as levels, a number of clusters and thresholds are parameters.
    """
    # Row i has the items that are said to be in the cluster of item i.
    together = np.eye(problem.n, dtype=bool)
    together[queries[:, 0], queries[:, 1]] = codes == 1
    together |= together.T
    truth = problem.truth
    n_misplaced = 0
    for item in range(problem.n):
        # The smallest true cluster of the item that has as many items as its cluster here.
        node = item
        while truth.sizes[node] < together[item].sum():
            node = int(truth.parent[node])
        if not np.array_equal(np.flatnonzero(together[item]), np.sort(truth.leaves(node))):
            n_misplaced += 1
    return n_misplaced


def _wrong_in_data(answers: Answers, problem: Problem) -> tuple[int, int]:
    w = gram(problem)
    upper = np.triu_indices(problem.n, 1)
    data: Any = answers.data
    if isinstance(data, AllComparisons):
        data = data.materialise()
    if isinstance(data, Comparisons):
        pairs = w[upper]
        return int((pairs[data.closer] <= pairs[data.farther]).sum()), len(data)
    if answers.kind not in ("vectors", "similarities"):
        skip(f"the right answers of {answers.kind} are not known here")
    if hasattr(data, "toarray"):
        dense = data.toarray()
    else:
        dense = np.asarray(data)
    # Right is what has the same order of all pairs, in whatever units.
    products = dense
    if answers.kind == "vectors":
        products = dense @ dense.T
    if products.shape != w.shape:
        return w.size, w.size  # all are wrong
    return int((np.argsort(products[upper]) != np.argsort(w[upper])).sum()), upper[0].size


_ITEMS = 40  # with enough queries to measure a rate
_CONFIDENCE = 0.9999  # one of 10,000 right oracles fails
_TIMES = 30  # repetitions of a query, after which noise has shown


def check_valid_answers(subject: Subject) -> None:
    """Answers of the declared kind, about all items, countable if that is declared."""
    spec = subject.spec
    problem = problem_of(subject)
    answers = answers_of(subject, problem)
    require(answers.kind == spec.kind, f"declares {spec.kind} and has {answers.kind}")
    require(answers.n == problem.n, f"answers about {answers.n} items of {problem.n}")
    require(answers.arity > 0 or answers.data is not None, "can neither be queried nor read")
    if spec.query_kind is not None:
        declared = Call(spec.query_kind, subject.params)()
        require(
            declared == answers.query_kind,
            f"declares a query_kind that its answers do not have: {declared}",
        )
    is_countable = answers.arity > 0 or answers.size is not None
    counted = "not counted"
    if is_countable:
        counted = "counted"
    require(
        is_countable == spec.countable,
        f"declares countable={spec.countable}, and its answers are {counted}",
    )


def advise_request(subject: Subject) -> None:
    """Its functions take one request, as the next minor release of hcbench calls them."""
    require(
        takes_request(subject.spec.load()),
        "has a function without the argument request; write function(request, **params), with an "
        "OracleRequest",
    )
    answers = answers_of(subject, problem_of(subject))
    for name in ("answer", "replies"):
        function = getattr(answers, name)
        require(
            function is None or answers_request(function),
            f"has {name} without the argument request; write {name}(request), with an "
            "AnswerRequest",
        )


def check_consistent(subject: Subject) -> None:
    """Without noise, answers are right."""
    if subject.params.get("noise"):
        skip("it has noise")
    problem = problem_of(subject)
    wrong, total = count_wrong(answers_of(subject, problem), problem)
    require(not wrong, f"gives {wrong} wrong answers of {total}, without noise")


def check_noise_rate(subject: Subject) -> None:
    """The share of wrong answers is the parameter noise, within its binomial interval."""
    from scipy.stats import binom

    noise = noise_of(subject)
    if noise is None:
        skip("it has no parameter noise")
    problem = problem_of(subject, _ITEMS)
    answers = answers_of(subject, problem, noise=noise)
    if answers.query_kind and answers.query_kind.scale:
        skip("its answers are numbers, which are not right or wrong")
    if answers.arity:
        queries = random_queries(answers, MANY)
        # Its own answers without noise, as some kinds have no right ones that are known here.
        right = Oracle(answers_of(subject, problem, noise=0.0)).ask(queries)
        wrong = int((Oracle(answers).ask(queries) != right).sum())
        total = len(queries)
    else:
        wrong, total = count_wrong(answers, problem)
    low, high = binom.interval(_CONFIDENCE, total, noise)
    require(
        bool(low <= wrong <= high),
        f"gives {wrong} wrong answers of {total} with noise={noise:g}; the {_CONFIDENCE:.2%} "
        f"interval is {low:.0f} to {high:.0f}",
    )


def check_persistence(subject: Subject) -> None:
    """A repeated query gets the same answer if that is declared."""
    declared = subject.params.get("persistent")
    answers = _answers_to_queries(subject)
    if answers.timed and not isinstance(declared, bool):
        skip("it has no parameter persistent: its answers may depend on repetition")
    # A row for each time that all queries are made.
    queries = random_queries(answers, 60)
    oracle = Oracle(answers)
    codes = np.array([oracle.ask(queries) for _ in range(_TIMES)])
    is_repeated = bool((codes == codes[0]).all())
    if not answers.timed or declared:
        require(is_repeated, "is declared to repeat its answers and answers anew")
    elif noise_of(subject) is not None:
        # With noise, 30 equal answers to each of 60 queries would be a rare chance.
        require(not is_repeated, "is declared to answer anew and repeats its answers")


def _answers_to_queries(subject: Subject) -> Answers:
    """The answers about planted items, with noise if that is possible; not of data read whole."""
    answers = answers_of(subject, problem_of(subject), noise=noise_of(subject))
    if not answers.arity:
        skip("it is read whole")
    return answers


def check_vectorised(subject: Subject) -> None:
    """A batch of queries gets the answers that they get one by one."""
    answers = _answers_to_queries(subject)
    # Each twice, as an answer may depend on how often a query was made.
    queries = np.concatenate([random_queries(answers, 60)] * 2)
    batch = Oracle(answers).ask(queries)
    single = Oracle(_answers_to_queries(subject))
    one_by_one = [single.ask(row[None]).item() for row in queries]
    require(
        batch.tolist() == one_by_one,
        "answers a batch of queries otherwise than the same queries one by one",
    )


def check_compiled(subject: Subject) -> None:
    """Compiled answers, in a loop too, are those of the plain function."""
    answers = answers_of(subject, problem_of(subject), noise=noise_of(subject))
    if answers.compiled is None:
        skip("its answers are not compiled")
    queries = np.concatenate([random_queries(answers, 60)] * 2)
    # A compiled oracle takes four items, of which it uses as many as its kind has.
    padded = np.zeros((len(queries), 4), np.int64)
    padded[:, : answers.arity] = queries
    looped = np.empty(len(queries), np.int64)
    make_oracle(answers, None).run(ask_each, padded, looped)
    ways = {"in a batch": Oracle(replace(answers, answer=None)).ask(queries)}
    if answers.answer is not None:
        ways["by the plain function"] = Oracle(replace(answers, compiled=None)).ask(queries)
    for way, codes in ways.items():
        require(
            codes.tolist() == looped.tolist(), f"answers otherwise in a compiled loop than {way}"
        )


def check_same_question(subject: Subject) -> None:
    """The same query with its items in another order has the same answer, and counts as one."""
    answers = answers_of(subject, problem_of(subject), noise=noise_of(subject))
    kind = answers.query_kind
    if kind is None or not answers.arity:
        skip(f"which {answers.kind} are the same is not known here")
    queries = random_queries(answers, 60)
    expected = Oracle(answers).ask(queries)
    # Some orders turn the answer round, which `restore` undoes.
    for order in kind.orders:
        reordered = np.ascontiguousarray(queries[:, list(order)])
        codes = Oracle(answers).ask(reordered)
        restored = [kind.restore(code, order) for code in codes.tolist()]
        require(
            restored == expected.tolist(),
            f"answers otherwise where the items of a query are in another order, {list(order)}",
        )
        oracle = Oracle(answers)
        oracle.ask(queries[:1])
        oracle.ask(reordered[:1])
        require(
            oracle.ledger.distinct_queries == 1,
            f"counts a query with its items in the order {list(order)} as another one",
        )


def check_counting(subject: Subject) -> None:
    """The ledger counts as many queries as were made, or as many answers as were read."""
    answers = answers_of(subject, problem_of(subject))
    oracle = Oracle(answers)
    if answers.arity:
        queries = random_queries(answers, 50)
        for _ in range(2):
            oracle.ask(queries)
        expected = 2 * len(queries)
        distinct = len(queries)
    elif answers.size is None:
        skip("it answers nothing that is counted")
    else:
        data = oracle.read()
        expected = answers.size
        # Data of a plugin's own form may have no length.
        if hasattr(data, "__len__"):
            expected = len(data)
        distinct = expected
    ledger = oracle.ledger
    require(
        ledger.queries == expected and (ledger.distinct_queries or 0) <= distinct,
        f"gives {expected} answers, which are counted as {ledger.queries}, of which "
        f"{ledger.distinct_queries} are distinct",
    )


def check_budget(subject: Subject) -> None:
    """A set of answers is no larger than a budget."""
    problem = problem_of(subject)
    size = answers_of(subject, problem).size
    if size is None:
        skip("it does not give a set of answers")
    # None, one, and about half of what it gives without a budget.
    for budget in (0, 1, size // 2):
        answers = answers_of(subject, problem, budget=budget)
        require(
            (answers.size or 0) <= budget, f"holds {answers.size} answers with a budget of {budget}"
        )
        if isinstance(answers.data, Comparisons):
            require(
                len(answers.data) == answers.size,
                f"holds {len(answers.data)} comparisons and declares {answers.size}",
            )


def check_seed(subject: Subject) -> None:
    """The same seed gives the same answers, and another seed gives other noise."""
    noise = noise_of(subject)
    problem = problem_of(subject)
    if noise is not None:
        problem = problem_of(subject, _ITEMS)
    first = all_answers(answers_of(subject, problem, noise=noise))
    again = all_answers(answers_of(subject, problem, noise=noise))
    require(again == first, "answers otherwise with the same seed")
    # Without noise there is nothing that a seed could change.
    if noise is not None:
        answers = answers_of(subject, problem, seed=NOISE_SEED + 1, noise=noise)
        require(all_answers(answers) != first, "has the same noise with another seed")


def check_declared_randomness(subject: Subject) -> None:
    """Another seed gives the same answers if it declares that they use no random numbers.

    Pairs that an algorithm draws are no answers: their randomness is that of the algorithm.
    """
    if subject.spec.random_with(subject.params):
        skip("it declares that its answers may depend on random numbers")
    problem = problem_of(subject)
    first = all_answers(answers_of(subject, problem))
    again = all_answers(answers_of(subject, problem, seed=NOISE_SEED + 1))
    require(again == first, "is declared not random and has other answers for another seed")


def check_draws(subject: Subject) -> None:
    """Drawn pairs do not depend on how many are drawn at once."""
    answers = answers_of(subject, problem_of(subject))
    if not answers.can_draw:
        skip("it has no pairs to draw")
    pairs = Oracle(answers).draw(50)
    oracle = Oracle(answers)
    # Together 50; none at all must not change what is drawn next.
    in_parts = np.concatenate([oracle.draw(m) for m in (1, 0, 20, 29)])
    require(
        pairs.shape == (50, 2) and np.array_equal(pairs, in_parts),
        "draws other pairs if they are drawn in parts",
    )
    require(
        bool((pairs[:, 0] != pairs[:, 1]).all() and pairs.min() >= 0 and pairs.max() < answers.n),
        "draws a pair of an item with itself, or of items that do not exist",
    )


def check_few_items(subject: Subject) -> None:
    """One, two and three items: answers, or one line that says why there are none."""
    answers_of(subject, problem_of(subject))
    for n in (1, 2, 3):
        try:
            answers = answers_of(subject, problem_of(subject, n), noise=noise_of(subject))
            if n >= answers.arity:
                all_answers(answers)
        except NotCheckedError:
            continue
        except HcbenchError as error:
            require(bool(describe(error)), f"fails on {n} items without a reason")
        except Exception as error:
            fail(f"fails on {n} items: {describe(error)}", error)


def check_needs(subject: Subject) -> None:
    """Data that provide what it declares to need are enough, or it says why not."""
    _require_free(subject)
    parts: set[str] = set()
    for need in subject.spec.needs:
        parts.update(need.split("|"))
    extras = sorted(filter(is_extra, parts))
    if extras:
        skip(f"data with {', '.join(extras)} are not known here")
    for part in sorted(parts):
        problem = _only(part, subject.spec.needs)
        try:
            all_answers(make_answers(subject.call, problem, NOISE_SEED, None))
        except (NotApplicableError, ParameterError) as error:
            require(bool(describe(error)), f"skips {part} without a reason")
        except NotCheckedError:
            raise
        except Exception as error:
            fail(
                f"declares that {part} is enough and fails on data with nothing else: "
                f"{describe(error)}",
                error,
            )


def _only(part: str, needs: tuple[str, ...]) -> Problem:
    """Planted items with nothing but one part and the other needs."""
    items = make_items(DATA_SEED, form="everything")
    provided = {part}
    for need in needs:
        # Of alternatives, only the part that is tried.
        if "|" not in need:
            provided.add(need)
    fields: dict[str, Any] = {}
    for name in ("vectors", "similarity", "graph", "comparisons", "levels", "tree"):
        if name in provided:
            fields[name] = getattr(items, name)
    if provided & {"truth", "heights"}:
        fields["truths"] = items.truths
    return Problem(n=items.n, names=items.names, **fields)


def check_input_unchanged(subject: Subject) -> None:
    """The data are unchanged."""
    problem = own_arrays(problem_of(subject))
    before = problem.digest()
    all_answers(answers_of(subject, problem, noise=noise_of(subject)))
    require(problem.digest() == before, "changes the data of the problem")
