"""Checks of oracles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hcbench.authoring.testing.findings import NotCheckedError, fail, require, skip
from hcbench.authoring.testing.items import DATA_SEED, make_items, own_arrays
from hcbench.authoring.testing.querying import (
    MANY,
    all_answers,
    answers_of,
    count_wrong,
    noise_of,
    problem_of,
    random_queries,
)
from hcbench.authoring.testing.running import NOISE_SEED
from hcbench.authoring.testing.subjects import Subject
from hcbench.errors import HcbenchError, NotApplicableError, ParameterError
from hcbench.model.comparisons import Comparisons
from hcbench.model.problem import Problem
from hcbench.oracle import QUERY_KINDS, Answers, Oracle
from hcbench.run.cell import describe
from hcbench.run.inputs import make_answers, make_oracle

_ITEMS = 40  # with enough queries to measure a rate
_CONFIDENCE = 0.9999
_TIMES = 30


def check_valid_answers(subject: Subject) -> None:
    """Answers of the declared kind, about all items, countable if that is declared."""
    spec, problem = subject.spec, problem_of(subject)
    answers = answers_of(subject, problem)
    require(answers.kind == spec.kind, f"declares {spec.kind} and has {answers.kind}")
    require(answers.n == problem.n, f"answers about {answers.n} items of {problem.n}")
    require(answers.arity > 0 or answers.data is not None, "can neither be queried nor read")
    countable = answers.arity > 0 or answers.size is not None
    require(
        countable == spec.countable,
        f"declares countable={spec.countable}, and its answers are "
        f"{'' if countable else 'not '}counted",
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
    if answers.arity:
        queries = random_queries(answers, MANY)
        right = Oracle(answers_of(subject, problem, noise=0.0)).ask(queries)
        wrong, total = int((Oracle(answers).ask(queries) != right).sum()), len(queries)
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
    queries = random_queries(answers, 60)
    oracle = Oracle(answers)
    codes = np.array([oracle.ask(queries) for _ in range(_TIMES)])
    same = bool((codes == codes[0]).all())
    if not answers.timed or declared:
        require(same, "is declared to repeat its answers and answers anew")
    elif noise_of(subject) is not None:
        require(not same, "is declared to answer anew and repeats its answers")


def _answers_to_queries(subject: Subject) -> Answers:
    """The answers about planted items, with noise if that is possible; not of data read whole."""
    answers = answers_of(subject, problem_of(subject), noise=noise_of(subject))
    if not answers.arity:
        skip("it is read whole")
    return answers


def check_vectorised(subject: Subject) -> None:
    """A batch of queries gets the answers that they get one by one."""
    answers = _answers_to_queries(subject)
    queries = np.concatenate([random_queries(answers, 60)] * 2)
    batch = Oracle(answers).ask(queries)
    single = Oracle(_answers_to_queries(subject))
    one_by_one = [int(single.ask(row[None])[0]) for row in queries]
    require(
        batch.tolist() == one_by_one,
        "answers a batch of queries otherwise than the same queries one by one",
    )


def check_compiled(subject: Subject) -> None:
    """Compiled answers, in a loop too, are those of the plain function."""
    answers = answers_of(subject, problem_of(subject), noise=noise_of(subject))
    if answers.compiled is None:
        skip("its answers are not compiled")
    from hcbench.authoring.testing._query_kernels import ask_each

    queries = np.concatenate([random_queries(answers, 60)] * 2)
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
    kind = QUERY_KINDS.get(answers.kind)
    if kind is None or not answers.arity:
        skip(f"which {answers.kind} are the same is not known here")
    queries = random_queries(answers, 60)
    expected = Oracle(answers).ask(queries)
    for order in kind.orders:
        reordered = np.ascontiguousarray(queries[:, list(order)])
        codes = Oracle(answers).ask(reordered)
        restored = [kind.restore(int(code), order) for code in codes]
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
        expected, distinct = 2 * len(queries), len(queries)
    elif answers.size is None:
        skip("it answers nothing that is counted")
    else:
        data = oracle.read()
        expected = distinct = len(data) if hasattr(data, "__len__") else answers.size
    ledger = oracle.ledger
    require(
        ledger.queries == expected and (ledger.distinct_queries or 0) <= distinct,
        f"gives {expected} answers, which are counted as {ledger.queries}, of which "
        f"{ledger.distinct_queries} are distinct",
    )


def check_budget(subject: Subject) -> None:
    """A set of answers is no larger than a budget."""
    problem = problem_of(subject)
    whole = answers_of(subject, problem)
    if whole.size is None:
        skip("it does not give a set of answers")
    for budget in (0, 1, whole.size // 2):
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
    problem = problem_of(subject) if noise is None else problem_of(subject, _ITEMS)
    seeds = (NOISE_SEED, NOISE_SEED, NOISE_SEED + 1)
    first, same, other = (
        all_answers(answers_of(subject, problem, seed=seed, noise=noise)) for seed in seeds
    )
    require(same == first, "answers otherwise with the same seed")
    require(noise is None or other != first, "has the same noise with another seed")


def check_draws(subject: Subject) -> None:
    """Drawn pairs do not depend on how many are drawn at once."""
    answers = answers_of(subject, problem_of(subject))
    if not answers.can_draw:
        skip("it has no pairs to draw")
    whole, parts = Oracle(answers), Oracle(answers)
    pairs = whole.draw(50)
    same = np.concatenate([parts.draw(m) for m in (1, 0, 20, 29)])
    require(
        pairs.shape == (50, 2) and np.array_equal(pairs, same),
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
                all_answers(answers, 20)
        except NotCheckedError:
            continue
        except HcbenchError as error:
            require(bool(describe(error)), f"fails on {n} items without a reason")
        except Exception as error:
            fail(f"fails on {n} items: {describe(error)}", error)


def check_needs(subject: Subject) -> None:
    """Data that provide what it declares to need are enough, or it says why not."""
    for part in sorted({part for need in subject.spec.needs for part in need.split("|")}):
        problem = _only(part, subject.spec.needs)
        try:
            all_answers(make_answers(subject.call, problem, NOISE_SEED, None), 20)
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
    whole = make_items(DATA_SEED, form="everything")
    wanted = {part, *(need for need in needs if "|" not in need)}
    fields = {
        name: getattr(whole, name)
        for name in ("vectors", "similarity", "comparisons", "levels", "tree")
        if name in wanted
    }
    truths = whole.truths if wanted & {"truth", "heights"} else {}
    return Problem(n=whole.n, names=whole.names, truths=truths, **fields)


def check_input_unchanged(subject: Subject) -> None:
    """The data are unchanged."""
    problem = own_arrays(problem_of(subject))
    before = problem.digest()
    all_answers(answers_of(subject, problem, noise=noise_of(subject)))
    require(problem.digest() == before, "changes the data of the problem")
