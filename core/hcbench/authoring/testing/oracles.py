"""Checks of oracles."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hcbench.authoring.testing.asking import errs, hear, noise_of, problem_of, questions_about, said
from hcbench.authoring.testing.findings import NotCheckedError, fail, require, skip
from hcbench.authoring.testing.items import DATA_SEED, make_items, own_arrays
from hcbench.authoring.testing.right_answers import MANY, count_wrong
from hcbench.authoring.testing.running import NOISE_SEED
from hcbench.authoring.testing.subjects import Subject
from hcbench.errors import HcbenchError, NotApplicableError, ParameterError
from hcbench.model.comparisons import Comparisons
from hcbench.model.problem import Problem
from hcbench.oracle import QUERY_KINDS, Oracle
from hcbench.run.cell import describe
from hcbench.run.inputs import make_answers, make_oracle

_ITEMS = 40  # of which there are enough questions to measure a rate
_CONFIDENCE = 0.9999
_TIMES = 30


def check_valid_answers(subject: Subject) -> None:
    """Answers of the declared kind, about all items, countable if that is declared."""
    spec, problem = subject.spec, problem_of(subject)
    answers = hear(subject, problem)
    require(
        answers.kind == spec.kind, f"{subject.label} declares {spec.kind} and has {answers.kind}"
    )
    require(
        answers.n == problem.n, f"{subject.label} answers about {answers.n} items of {problem.n}"
    )
    require(
        answers.arity > 0 or answers.data is not None,
        f"{subject.label} can neither be asked nor be read",
    )
    countable = answers.arity > 0 or answers.size is not None
    require(
        countable == spec.countable,
        f"{subject.label} declares countable={spec.countable}, and its answers are "
        f"{'' if countable else 'not '}counted",
    )


def check_consistent(subject: Subject) -> None:
    """Without noise, answers are what is true of the items."""
    if errs(subject):
        skip("it is told to err")
    problem = problem_of(subject)
    wrong, asked = count_wrong(hear(subject, problem), problem)
    require(not wrong, f"{subject.label}: {wrong} of {asked} answers are wrong, without noise")


def check_noise_rate(subject: Subject) -> None:
    """The part of wrong answers is the one it is told, within its binomial interval."""
    from scipy.stats import binom

    noise = noise_of(subject)
    if noise is None:
        skip("it has no parameter noise")
    problem = problem_of(subject, _ITEMS)
    answers = hear(subject, problem, noise=noise)
    if answers.arity:
        questions = questions_about(answers, MANY)
        true = Oracle(hear(subject, problem, noise=0.0)).ask(questions)
        wrong, asked = int((Oracle(answers).ask(questions) != true).sum()), len(questions)
    else:
        wrong, asked = count_wrong(answers, problem)
    low, high = binom.interval(_CONFIDENCE, asked, noise)
    require(
        bool(low <= wrong <= high),
        f"{subject.label}: with noise={noise:g}, {wrong} of {asked} answers are wrong; "
        f"the {_CONFIDENCE:.2%} interval is {low:.0f} to {high:.0f}",
    )


def check_persistence(subject: Subject) -> None:
    """A question that is asked again gets the same answer if that is declared."""
    declared = subject.params.get("persistent")
    answers = hear(subject, problem_of(subject), noise=noise_of(subject))
    if not answers.arity:
        skip("it is read whole")
    if answers.timed and not isinstance(declared, bool):
        skip("it declares nothing: its answers may depend on repetition")
    questions = questions_about(answers, 60)
    oracle = Oracle(answers)
    codes = np.array([oracle.ask(questions) for _ in range(_TIMES)])
    same = bool((codes == codes[0]).all())
    if not answers.timed or declared:
        require(same, f"{subject.label} is to repeat its answers, and does not")
    elif noise_of(subject) is not None:
        require(not same, f"{subject.label} is declared to answer anew and repeats its answers")


def check_vectorised(subject: Subject) -> None:
    """A batch of questions gets the answers that they get one by one."""
    problem, noise = problem_of(subject), noise_of(subject)
    answers = hear(subject, problem, noise=noise)
    if not answers.arity:
        skip("it is read whole")
    questions = np.concatenate([questions_about(answers, 60)] * 2)
    batch = Oracle(answers).ask(questions)
    single = Oracle(hear(subject, problem, noise=noise))
    one_by_one = [int(single.ask(row[None])[0]) for row in questions]
    require(
        batch.tolist() == one_by_one,
        f"{subject.label} answers a batch of questions otherwise than the same ones one by one",
    )


def check_compiled(subject: Subject) -> None:
    """Compiled answers, in a loop too, are those of the plain function."""
    problem, noise = problem_of(subject), noise_of(subject)
    answers = hear(subject, problem, noise=noise)
    if answers.compiled is None:
        skip("its answers are not compiled")
    from hcbench.authoring.testing._asking_kernels import ask_each

    questions = np.concatenate([questions_about(answers, 60)] * 2)
    padded = np.zeros((len(questions), 4), np.int64)
    padded[:, : answers.arity] = questions
    looped = np.empty(len(questions), np.int64)
    make_oracle(answers, None).run(ask_each, padded, looped)
    ways = {"asked in a batch": Oracle(replace(answers, answer=None)).ask(questions)}
    if answers.answer is not None:
        ways["of the plain function"] = Oracle(replace(answers, compiled=None)).ask(questions)
    for way, codes in ways.items():
        require(
            codes.tolist() == looped.tolist(),
            f"{subject.label}: the answers in a compiled loop are not those {way}",
        )


def check_same_question(subject: Subject) -> None:
    """The same question with its items in another order has the same answer, and counts as one."""
    answers = hear(subject, problem_of(subject), noise=noise_of(subject))
    kind = QUERY_KINDS.get(answers.kind)
    if kind is None or not answers.arity:
        skip(f"which questions about {answers.kind} are the same is not known here")
    questions = questions_about(answers, 60)
    expected = Oracle(answers).ask(questions)
    for order in kind.orders:
        turned = np.ascontiguousarray(questions[:, list(order)])
        codes = Oracle(answers).ask(turned)
        meant = [kind.restore(int(code), order) for code in codes]
        require(
            meant == expected.tolist(),
            f"{subject.label} answers otherwise where the items of a question stand in another "
            f"order, {list(order)}",
        )
        oracle = Oracle(answers)
        oracle.ask(questions[:1])
        oracle.ask(turned[:1])
        require(
            oracle.ledger.distinct_queries == 1,
            f"{subject.label}: a question with its items in the order {list(order)} counts "
            "as another one",
        )


def check_counting(subject: Subject) -> None:
    """The ledger has as many questions as were asked, or as the set holds."""
    problem = problem_of(subject)
    answers = hear(subject, problem)
    oracle = Oracle(answers)
    if answers.arity:
        questions = questions_about(answers, 50)
        for _ in range(2):
            oracle.ask(questions)
        expected, distinct = 2 * len(questions), len(questions)
    elif answers.size is None:
        skip("it answers nothing that is counted")
    else:
        held = oracle.read()
        expected = distinct = len(held) if hasattr(held, "__len__") else answers.size
    ledger = oracle.ledger
    require(
        ledger.queries == expected and (ledger.distinct_queries or 0) <= distinct,
        f"{subject.label}: {expected} answers count as {ledger.queries}, "
        f"{ledger.distinct_queries} of them different",
    )


def check_budget(subject: Subject) -> None:
    """A set within a budget has as many answers at most."""
    problem = problem_of(subject)
    whole = hear(subject, problem)
    if whole.size is None:
        skip("it is no set of answers")
    for budget in (0, 1, whole.size // 2):
        answers = hear(subject, problem, budget=budget)
        require(
            (answers.size or 0) <= budget,
            f"{subject.label} holds {answers.size} answers with a budget of {budget}",
        )
        if isinstance(answers.data, Comparisons):
            require(
                len(answers.data) == answers.size,
                f"{subject.label} holds {len(answers.data)} comparisons and says {answers.size}",
            )


def check_seed(subject: Subject) -> None:
    """The same seed gives the same answers, and another one other noise."""
    noise = noise_of(subject)
    problem = problem_of(subject) if noise is None else problem_of(subject, _ITEMS)

    def answered(seed: int) -> Any:
        answers = hear(subject, problem, seed=seed, noise=noise)
        return said(answers, Oracle(answers))

    first = answered(NOISE_SEED)
    require(answered(NOISE_SEED) == first, f"{subject.label} answers otherwise with the same seed")
    if noise is not None:
        require(
            answered(NOISE_SEED + 1) != first,
            f"{subject.label} has the same wrong answers with another seed",
        )


def check_draws(subject: Subject) -> None:
    """Pairs that are drawn do not depend on how many are drawn at once."""
    answers = hear(subject, problem_of(subject))
    if not answers.can_draw:
        skip("it has no pairs to draw")
    whole, parts = Oracle(answers), Oracle(answers)
    pairs = whole.draw(50)
    same = np.concatenate([parts.draw(m) for m in (1, 0, 20, 29)])
    require(
        pairs.shape == (50, 2) and np.array_equal(pairs, same),
        f"{subject.label} draws other pairs where they are drawn in other parts",
    )
    require(
        bool((pairs[:, 0] != pairs[:, 1]).all() and pairs.min() >= 0 and pairs.max() < answers.n),
        f"{subject.label} draws a pair that is none",
    )


def check_few_items(subject: Subject) -> None:
    """One, two and three items: answers, or one line that says why there are none."""
    hear(subject, problem_of(subject))
    for n in (1, 2, 3):
        try:
            answers = hear(subject, problem_of(subject, n), noise=noise_of(subject))
            if n >= answers.arity:
                said(answers, Oracle(answers), 20)
        except NotCheckedError:
            continue  # it says that it does not apply
        except HcbenchError as error:
            require(bool(describe(error)), f"{subject.label} fails on {n} items without a reason")
        except Exception as error:
            fail(f"{subject.label} fails on {n} items: {describe(error)}", error)


def check_needs(subject: Subject) -> None:
    """It gets along with any data that have what it declares to need, or says why not."""
    for part in sorted({part for need in subject.spec.needs for part in need.split("|")}):
        problem = _only(part, subject.spec.needs)
        try:
            answers = make_answers(subject.call, problem, NOISE_SEED, None)
            said(answers, Oracle(answers), 20)
        except (NotApplicableError, ParameterError) as error:
            require(bool(describe(error)), f"{subject.label} skips {part} without a reason")
        except NotCheckedError:
            raise
        except Exception as error:
            fail(
                f"{subject.label} declares that {part} is enough and fails on data with nothing "
                f"else: {describe(error)}",
                error,
            )


def _only(part: str, needs: tuple[str, ...]) -> Problem:
    """Planted items with nothing but one part, and what is needed besides."""
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
    """The data are as before."""
    planted = problem_of(subject)
    problem = own_arrays(planted)
    before = problem.digest()
    answers = hear(subject, problem, noise=noise_of(subject))
    said(answers, Oracle(answers))
    require(problem.digest() == before, f"{subject.label} changes the data of the problem")


CHECKS = (
    check_valid_answers,
    check_consistent,
    check_noise_rate,
    check_persistence,
    check_vectorised,
    check_compiled,
    check_same_question,
    check_counting,
    check_budget,
    check_seed,
    check_draws,
    check_few_items,
    check_needs,
    check_input_unchanged,
)
