"""The oracle and its ledger: counts, errors and answers, by arrays and compiled loops."""

import dataclasses
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numba import njit, types
from scipy import sparse

from hcbench import NONE, QUERY_KINDS, UNSURE, Answers, Comparisons, Oracle, Tree, ask_oracle
from hcbench.compiled import ASK, STATE, query_key, uniform
from hcbench.errors import (
    BudgetExceededError,
    InvalidAnswerError,
    InvalidQueryError,
    ParameterError,
    UnansweredError,
)
from hcbench.oracle import Recorder, _kernels, compiled

QUADRUPLET = 1


@njit(cache=True)
def closer_of(floats, ints, i, j, k, l, key, time):  # noqa: E741
    """1 if w_ij > w_kl, -1 if less, 0 for a tie."""
    n = ints[0]
    first, second = floats[i * n + j], floats[k * n + l]
    return np.int64(first > second) - np.int64(first < second)


@njit(cache=True)
def noisy_closer_of(floats, ints, i, j, k, l, key, time):  # noqa: E741
    """As `closer_of`; wrong with probability 0.3, independently each time."""
    right = closer_of(floats, ints, i, j, k, l, key, time)
    return -right if uniform(ints[1], key, time) < 0.3 else right


def similarities(n: int) -> np.ndarray:
    w = np.random.default_rng(5).integers(0, 20, size=(n, n))  # with ties
    return (w + w.T).astype(float)


def quadruplets_of(n: int, answer=closer_of, **kwargs) -> Oracle:
    w = similarities(n)
    answers = Answers(
        kind="quadruplet-queries",
        n=n,
        arity=4,
        compiled=answer,
        floats=w,
        ints=np.array([n, 77]),
    )
    return Oracle(answers, **kwargs)


def uncompiled(n: int, noise: bool = False, **kwargs) -> Oracle:
    w = similarities(n)

    def answer(request):
        questions = request.queries
        keys = request.keys
        times = request.times
        i, j, k, l = questions.T  # noqa: E741
        right = np.sign(w[i, j] - w[k, l]).astype(np.int8)
        flip = [uniform(77, key, time) < 0.3 for key, time in zip(keys, times, strict=True)]
        return np.where(flip, -right, right) if noise else right

    return Oracle(Answers(kind="quadruplet-queries", n=n, arity=4, answer=answer), **kwargs)


@njit(types.int64(ASK, STATE, types.int64[:, ::1], types.int8[::1]), cache=True)
def ask_each(ask, state, questions, codes):
    """Make the queries one at a time; return their number."""
    for row in range(len(questions)):
        q = questions[row]
        codes[row] = ask(state, q[0], q[1], q[2], q[3])
    return len(questions)


@njit(types.int64(ASK, STATE, types.int64), cache=True)
def ask_many(ask, state, n):
    """Make n(n-1)/2 different ordinal queries, each of them twice in another order."""
    total = 0
    for i in range(n):
        for j in range(i):
            total += ask(state, i, j, n, 0)
            total += ask(state, n, i, j, 0)
    return total


def random_questions(n: int, m: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, n, size=(m, 4))


def counts(oracle: Oracle) -> tuple:
    return oracle.ledger.queries, oracle.ledger.distinct_queries, oracle.ledger.rounds


@pytest.mark.slow
def test_queries_distinct_queries_and_rounds():
    oracle = quadruplets_of(6)
    assert counts(oracle) == (0, 0, 0)
    same = [[0, 1, 2, 3], [1, 0, 2, 3], [0, 1, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]]
    answers = oracle.ask(same)
    assert counts(oracle) == (5, 1, 1)
    assert (answers == answers[0] * np.array([1, 1, 1, -1, -1])).all()
    oracle.ask([[0, 2, 1, 3], [0, 1, 2, 3], [0, 3, 1, 2]])
    assert counts(oracle) == (8, 3, 2)
    oracle.ask(np.empty((0, 4), int))
    assert oracle.ledger.queries == 8
    assert oracle.ledger.kind == "quadruplet-queries"
    assert repr(oracle.ledger).startswith("Ledger(quadruplet-queries: 8 queries, 3 distinct")


@pytest.mark.slow
@given(st.lists(st.tuples(*[st.integers(0, 4)] * 4), max_size=40))
def test_distinct_quadruplets_are_those_that_differ_as_unordered_pairs(questions):
    oracle = quadruplets_of(5)
    oracle.ask(np.array(questions, int).reshape(-1, 4))
    canonical = {tuple(sorted((tuple(sorted(q[:2])), tuple(sorted(q[2:]))))) for q in questions}
    assert oracle.ledger.distinct_queries == len(canonical)
    assert oracle.ledger.queries == len(questions)


@given(st.lists(st.tuples(*[st.integers(0, 5)] * 3), max_size=40))
def test_distinct_ordinal_questions_are_sets(questions):
    oracle = ask_oracle("ordinal-queries", lambda *_: NONE, n=6)
    codes = oracle.ask(np.array(questions, int).reshape(-1, 3))
    assert oracle.ledger.distinct_queries == len({tuple(sorted(q)) for q in questions})
    assert (codes == NONE).all()


def test_keys_of_many_questions_differ():
    keys = {
        query_key(symmetry, i, j, k, 0) for symmetry in (0, 1)
        for i in range(30) for j in range(i) for k in range(j)
    }  # fmt: skip
    assert len(keys) == 2 * 30 * 29 * 28 // 6
    assert 0 not in keys


def test_noise_is_uniform_and_keyed():
    keys = [np.uint64(query_key(QUADRUPLET, 0, 1, 2, k)) for k in range(40)]
    drawn = np.array([uniform(1, key, time) for key in keys for time in range(50)])
    assert ((drawn >= 0) & (drawn < 1)).all()
    assert len(set(drawn.tolist())) == len(drawn)
    assert abs(drawn.mean() - 0.5) < 4 * np.sqrt(1 / 12 / len(drawn))
    assert np.uint64(query_key(QUADRUPLET, 3, 2, 1, 0)) == keys[3]
    assert uniform(1, keys[3], 0) != uniform(2, keys[3], 0)
    small = [uniform(1, key, 0) for key in range(200)]  # Python's integers are signed to numba
    assert 0 <= min(small) < 0.1 < 0.9 < max(small) < 1


def test_a_batch_larger_than_the_budget_is_refused_completely():
    for oracle in (quadruplets_of(5, budget=3), uncompiled(5, budget=3)):
        oracle.ask([[0, 1, 2, 3], [0, 1, 2, 4]])
        with pytest.raises(BudgetExceededError, match=r"2 more .* budget of 3: 1 left"):
            oracle.ask([[0, 1, 2, 3], [0, 1, 1, 4]])
        assert counts(oracle) == (2, 2, 1)
        assert oracle.ledger.left == 1
        oracle.ask([[0, 1, 2, 3]])
        assert oracle.ledger.left == 0
    assert quadruplets_of(5).ledger.left is None


@pytest.mark.slow
@pytest.mark.parametrize("noise", [False, True])
def test_compiled_loop_and_arrays_agree_in_answers_and_counts(noise):
    questions = random_questions(6, 3000)
    answer = noisy_closer_of if noise else closer_of
    array, python = quadruplets_of(6, answer), uncompiled(6, noise)
    loop, loop_of_python = quadruplets_of(6, answer), uncompiled(6, noise)
    by_array = array.ask(questions)
    by_loop, by_python = np.empty(3000, np.int8), np.empty(3000, np.int8)
    assert loop.run(ask_each, questions, by_loop) == 3000
    assert loop_of_python.run(ask_each, questions, by_python) == 3000
    np.testing.assert_array_equal(by_array, python.ask(questions))
    np.testing.assert_array_equal(by_array, by_loop)
    np.testing.assert_array_equal(by_array, by_python)
    assert counts(array)[:2] == counts(loop)[:2] == counts(loop_of_python)[:2]
    assert counts(loop) == counts(loop_of_python)  # one round per query
    assert (counts(array)[2], counts(loop)[2]) == (1, 3000)
    assert counts(array)[1] < 3000
    assert array.ledger.seconds is not None
    assert loop.ledger.seconds is None


def test_noise_is_drawn_anew_when_a_question_is_asked_again_and_not_by_its_order():
    oracle = quadruplets_of(6, noisy_closer_of)
    repeated = oracle.ask([[0, 1, 2, 3]] * 400)
    wrong = (repeated != quadruplets_of(6).ask([[0, 1, 2, 3]])[0]).mean()
    assert wrong == pytest.approx(0.3, abs=0.1)
    questions = np.unique(np.sort(random_questions(6, 50)), axis=0)
    one = quadruplets_of(6, noisy_closer_of).ask(questions)
    two = quadruplets_of(6, noisy_closer_of).ask(questions[::-1])
    np.testing.assert_array_equal(one, two[::-1])


def test_asking_in_both_ways_counts_in_one_ledger():
    oracle = quadruplets_of(6)
    codes = np.empty(2, np.int8)
    oracle.ask([[0, 1, 2, 3]])
    oracle.run(ask_each, np.array([[2, 3, 0, 1], [0, 2, 1, 3]]), codes)
    assert counts(oracle) == (3, 2, 3)


@pytest.mark.parametrize("make", [quadruplets_of, uncompiled])
def test_the_budget_ends_a_compiled_loop(make):
    oracle = make(6, budget=10)
    codes = np.full(20, 9, np.int8)
    with pytest.raises(BudgetExceededError, match="budget of 10"):
        oracle.run(ask_each, random_questions(6, 20), codes)
    assert oracle.ledger.queries == 10
    assert (codes[:10] != 9).all()
    assert (codes[10:] == 9).all()


@pytest.mark.parametrize("make", [quadruplets_of, uncompiled])
def test_items_that_do_not_exist(make):
    oracle = make(4)
    for wrong in (4, -1):
        with pytest.raises(InvalidQueryError, match=f"item {wrong} does not exist"):
            oracle.ask([[0, 1, 2, wrong]])
        with pytest.raises(InvalidQueryError, match="does not exist"):
            oracle.run(ask_each, np.array([[0, 1, 2, wrong]]), np.empty(1, np.int8))
    assert counts(oracle) == (0, 0, 0)


def test_questions_of_the_wrong_shape():
    for questions in ([[0, 1, 2]], [0, 1, 2, 3], [[[0, 1, 2, 3]]]):
        with pytest.raises(InvalidQueryError, match=r"shape \(m, 4\)"):
            quadruplets_of(4).ask(questions)
    for questions in ([[0.5, 1, 2, 3]], [["a", "b", "c", "d"]]):
        with pytest.raises(InvalidQueryError, match="integers"):
            quadruplets_of(4).ask(questions)


def test_each_algorithm_is_charged_for_the_index_that_it_uses():
    ticks = iter([10.0, 12.5, 20.0, 21.0])
    listed = Comparisons(4, [0, 1, 2], [3, 3, 5])
    for seconds in (2.5, 1.0):
        answers = Answers(kind="quadruplet-set", n=4, data=listed, size=3)
        oracle = Oracle(answers, clock=lambda: next(ticks))
        read = oracle.read()
        assert (read, oracle.ledger.seconds) == (listed, 0)
        assert read.bits() is read.bits()
        assert oracle.ledger.seconds == seconds
    assert len(listed.arrays()) == 2  # the list only


def test_a_set_is_read_and_counted_by_its_size():
    data = object()
    oracle = Oracle(Answers(kind="quadruplet-set", n=4, data=data, size=12), budget=30)
    assert oracle.read() is data
    assert counts(oracle) == (12, 12, 1)
    oracle.read()
    assert counts(oracle) == (24, 12, 2)
    with pytest.raises(BudgetExceededError):
        oracle.read()
    with pytest.raises(InvalidQueryError, match="cannot be asked"):
        oracle.ask([[0, 1, 2, 3]])


def test_vectors_are_not_counted_and_queries_cannot_be_read():
    vectors = Oracle(Answers(kind="vectors", n=4, data=np.eye(4)))
    vectors.read()
    assert counts(vectors) == (None, None, None)
    assert "nothing countable" in repr(vectors.ledger)
    with pytest.raises(InvalidQueryError, match="cannot be read whole"):
        quadruplets_of(4).read()


def test_checkpoints_are_due_before_they_are_passed():
    oracle = quadruplets_of(5, checkpoints=(2, 5), budget=7)
    asked = {}
    for count in range(8):
        asked[count] = oracle.due(), oracle.due(3)
        if count < 7:
            oracle.ask([[0, 1, 2, 3]])
    # One more query passes 2 only from 2 on; three more do so from 0 on.
    assert [asked[c][0] for c in range(8)] == [False, False, True, False, False, True, False, True]
    assert [asked[c][1] for c in range(8)] == [True, True, True, True, True, True, True, True]
    assert not quadruplets_of(5).due(10**9)


def test_the_trace_keeps_the_last_result_at_each_number_of_questions():
    oracle = quadruplets_of(3)
    first, second, third = (Tree([3, 3, 3, -1]) for _ in range(3))
    oracle.record(first)
    oracle.record(second)
    oracle.ask([[0, 1, 1, 2]])
    oracle.record(third)
    assert [point.queries for point in Recorder(oracle).trace] == [0, 1]
    assert Recorder(oracle).trace[0].result is second
    assert Recorder(oracle).trace[1].result is third


@pytest.mark.slow
def test_the_table_of_questions_grows():
    n = 600  # 179,700 different queries
    oracle = Oracle(
        Answers(
            kind="ordinal-queries",
            n=n + 1,
            arity=3,
            compiled=closer_of,
            floats=np.zeros(4),
            ints=np.zeros(2),
        )
    )
    oracle.run(ask_many, n)
    assert counts(oracle) == (n * (n - 1), n * (n - 1) // 2, n * (n - 1))
    i, j = np.tril_indices(n, -1)
    oracle.ask(np.stack((j, np.full(len(i), n), i), axis=1))
    assert counts(oracle)[:2] == (3 * n * (n - 1) // 2, n * (n - 1) // 2)


@pytest.mark.parametrize("reply", [None, "yes", 0.5])
def test_invalid_answers_of_a_callable_are_reported(reply):
    oracle = ask_oracle("quadruplet-queries", lambda *_: reply, n=4)
    with pytest.raises(InvalidAnswerError, match=r"answer with -1 or 0 or 1, or UNSURE"):
        oracle.ask([[0, 1, 2, 3]])


def test_a_budget_is_not_negative():
    with pytest.raises(ParameterError, match="cannot be negative, got -1"):
        quadruplets_of(4, budget=-1)


@njit(cache=True)
def times_asked(floats, ints, i, j, k, l, key, time):  # noqa: E741
    """The number of earlier times of the query, modulo 100."""
    return time % 100


def same_set(*items: int) -> Any:
    return tuple(sorted(items))


def same_pairs(i: int, j: int, k: int, l: int) -> Any:  # noqa: E741
    return tuple(sorted([tuple(sorted((i, j))), tuple(sorted((k, l)))]))


def same_order(*items: int) -> Any:
    return items


NAMINGS = {
    _kernels.BY_TWO: (2, 5, None, same_set),
    _kernels.BY_THREE: (3, 4, None, same_set),
    _kernels.BY_PAIRS: (4, 3, None, same_pairs),
    "keys of sets": (2, 50_000, None, same_set),
    "keys of pairs": (4, 400, None, same_pairs),
    "keys of orders": (3, 4, "ordered", same_order),
}


@pytest.mark.slow
@pytest.mark.parametrize("naming", NAMINGS)
@settings(max_examples=10)
@given(data=st.data())
def test_the_ledger_counts_as_a_python_set_does(naming: Any, data: Any) -> None:
    """In every order of items, in batches beyond the window or one at a time."""
    arity, n, symmetry, canonical = NAMINGS[naming]
    numbered = naming if isinstance(naming, int) else _kernels.NOT
    answers = Answers(
        kind="some-queries",
        n=n,
        arity=arity,
        compiled=times_asked,
        symmetry=symmetry,
    )
    assert _kernels.numbering(answers.symmetry_code, arity, n)[0] == numbered
    timed = Oracle(answers)
    untimed = Oracle(dataclasses.replace(answers, timed=False))
    dtype = data.draw(st.sampled_from([np.int64, np.uint16, np.int32, ">i8"]))
    rng, asked = np.random.default_rng(data.draw(st.integers(0, 2**32))), Counter()
    for m in data.draw(st.lists(st.sampled_from([0, 1, 7, 255, 256, 257, 600]), max_size=4)):
        questions = rng.integers(n - min(n, 6), n, size=(m, arity)).astype(dtype)
        before = []
        for question in questions.tolist():
            before.append(asked[canonical(*question)])
            asked[canonical(*question)] += 1
        assert timed.ask(questions).tolist() == [time % 100 for time in before]
        assert not untimed.ask(questions).any()
        for ledger in (timed.ledger, untimed.ledger):
            assert (ledger.queries, ledger.distinct_queries) == (asked.total(), len(asked))
            assert ledger.is_sound


@pytest.mark.parametrize(
    ("dtype", "wrong"),
    [
        ("i1", -1),
        ("i1", -128),
        ("u2", 300),
        ("i2", -1),
        ("i8", 300),
        ("u8", 2**64 - 1),
        (">i8", -1),
    ],
)
def test_a_batch_that_names_no_item_counts_nothing(dtype: str, wrong: int) -> None:
    oracle = ask_oracle("pair-queries", lambda i, j: i == j, n=300)
    rows = np.full((40_000, 2), 5, dtype)
    oracle.ask(rows[:3])
    rows[-1, 1] = wrong
    with pytest.raises(InvalidQueryError, match=f"item {wrong} does not exist"):
        oracle.ask(rows)
    assert counts(oracle) == (3, 1, 1)
    assert oracle.ledger.is_sound


@pytest.mark.slow
def test_small_integers_are_items_as_any_others() -> None:
    """Batches larger than a chunk; 8 bits hold the last item of 256."""
    questions = np.random.default_rng(1).integers(0, 256, size=(40_000, 4))
    w = np.random.default_rng(2).integers(0, 99, size=(256, 256)).astype(float)
    answers = Answers(
        kind="quadruplet-queries",
        n=256,
        arity=4,
        compiled=closer_of,
        floats=w,
        ints=np.array([256]),
    )
    i, j, k, l = questions.T  # noqa: E741
    oracle = Oracle(answers)
    codes = oracle.ask(questions.astype(np.uint8))
    np.testing.assert_array_equal(codes, np.sign(w[i, j] - w[k, l]))
    assert counts(oracle)[::2] == (40_000, 1)
    for layout in (np.asfortranarray(questions), np.repeat(questions, 2, axis=1)[:, ::2]):
        other = Oracle(answers)
        np.testing.assert_array_equal(other.ask(layout), codes)
        assert counts(other) == counts(oracle)


@njit(cache=True)
def fails_at_nine(floats, ints, i, j, k, l, key, time):  # noqa: E741
    """An answer that fails."""
    if i == 9:
        raise ValueError("nine")
    return np.int64(0)


@pytest.mark.slow
def test_the_ledger_is_consistent_after_a_failed_answer() -> None:
    oracle = Oracle(Answers(kind="pair-queries", n=10, arity=2, compiled=fails_at_nine))
    with pytest.raises(ValueError, match="nine"):
        oracle.ask([[1, 2]] * 300 + [[9, 2]] + [[3, 4]] * 300)
    assert oracle.ledger.queries is not None
    assert 301 <= oracle.ledger.queries <= 601
    assert oracle.ledger.is_sound


@pytest.mark.parametrize("n", [12, 400], ids=["a bit for each question", "a set of keys"])
@pytest.mark.parametrize("timed", [True, False])
def test_distinct_queries_are_distinguished_in_both_representations(n, timed):
    answers = Answers(
        kind="quadruplet-queries",
        n=n,
        arity=4,
        compiled=closer_of,
        floats=similarities(n),
        ints=np.array([n]),
        timed=timed,
    )
    rng = np.random.default_rng(n)
    questions = rng.integers(n, size=(9_000, 4))
    questions = np.concatenate([questions, questions[:700], questions[:300, [2, 3, 1, 0]]])
    oracle = Oracle(answers)
    asked = Counter()
    for part in np.split(questions, [1, 4_000, 9_990]):
        oracle.ask(part)
        asked.update(
            frozenset({frozenset(q[:2]), frozenset(q[2:])}) for q in map(tuple, part.tolist())
        )
        assert oracle.ledger.queries == asked.total()
        assert oracle.ledger.distinct_queries == len(asked)
        assert oracle.ledger.is_sound


def test_a_callable_becomes_an_oracle():
    w = similarities(5)
    one = ask_oracle("quadruplet-queries", lambda i, j, k, m: w[i, j] > w[k, m], n=5)
    many = ask_oracle(
        "quadruplet-queries",
        lambda i, j, k, m: w[i, j] > w[k, m],
        n=5,
        vectorized=True,
    )
    questions = random_questions(5, 30)
    expected = np.where(
        w[questions[:, 0], questions[:, 1]] > w[questions[:, 2], questions[:, 3]], 1, -1
    )
    np.testing.assert_array_equal(one.ask(questions), expected)
    np.testing.assert_array_equal(many.ask(questions), expected)
    assert one.ask(np.empty((0, 4), int)).shape == (0,)
    same = ask_oracle("pair-queries", lambda i, j: i % 2 == j % 2, n=5, budget=2)
    assert same.ask([[0, 2], [0, 1]]).tolist() == [1, 0]
    with pytest.raises(BudgetExceededError):
        same.ask([[0, 1]])
    assert ask_oracle("odd-kind", lambda i: i, n=5, arity=1).ask([[3]]).tolist() == [3]
    with pytest.raises(InvalidQueryError, match="arity"):
        ask_oracle("odd-kind", lambda i: i, n=5)


def test_the_ledger_can_be_read_and_not_written() -> None:
    oracle = ask_oracle("pair-queries", lambda i, j: i == j, n=5, budget=2)
    for name in ("budget", "seconds", "queries", "left"):
        with pytest.raises(AttributeError):
            setattr(oracle.ledger, name, None)


def test_a_kernel_that_writes_the_counters_is_detected() -> None:
    oracle = ask_oracle("pair-queries", lambda i, j: i == j, n=5)
    oracle.ask([[0, 1], [2, 3]])
    assert oracle.ledger.is_sound
    oracle.ledger._account.counters[_kernels.QUERIES] = 0
    assert not oracle.ledger.is_sound


def test_a_set_that_is_read_again_is_counted_again_and_its_answers_are_not_new() -> None:
    oracle = Oracle(Answers(kind="quadruplet-set", n=5, data=np.zeros(3), size=3))
    oracle.read()
    oracle.read()
    ledger = oracle.ledger
    assert (ledger.queries, ledger.distinct_queries, ledger.rounds) == (6, 3, 2)
    assert ledger.is_sound


@pytest.mark.parametrize("reads_first", [True, False])
def test_reading_and_asking_count_alike_in_any_order(reads_first: bool) -> None:
    both = Answers(
        kind="both", n=5, data=np.zeros(3), size=3, arity=2, answer=lambda q, *_: np.ones(len(q))
    )
    oracle = Oracle(both)
    if reads_first:
        oracle.read()
    oracle.ask([[0, 1], [1, 2]])
    if not reads_first:
        oracle.read()
    assert (oracle.ledger.queries, oracle.ledger.distinct_queries) == (5, 3)
    assert oracle.ledger.is_sound


def test_unsure_is_asked_again_and_counted_again() -> None:
    replies = iter([UNSURE, 1, UNSURE, UNSURE, 2])
    oracle = ask_oracle("ordinal-queries", lambda *_: next(replies), n=5)
    assert oracle.ask([[0, 1, 2], [1, 2, 3]]).tolist() == [2, 1]
    assert oracle.ledger.queries == 5
    never = ask_oracle("ordinal-queries", lambda *_: UNSURE, n=5)
    with pytest.raises(UnansweredError, match=r"no answer to \[0, 1, 2\], asked 5 times"):
        never.ask([[0, 1, 2]])
    assert never.ledger.queries == 5
    Recorder(never).prepare(takes_unsure=True)
    assert never.ask([[0, 1, 2], [1, 2, 3]]).tolist() == [UNSURE, UNSURE]
    assert never.ledger.queries == 7


def test_a_batch_that_is_refused_costs_nothing() -> None:
    asked: list[int] = []
    oracle = ask_oracle("ordinal-queries", lambda *_: asked.append(0) or 0, n=5, budget=1)
    with pytest.raises(BudgetExceededError):
        oracle.ask([[0, 1, 2], [1, 2, 3]])
    ledger = oracle.ledger
    assert (asked, ledger.queries, ledger.distinct_queries, ledger.rounds) == ([], 0, 0, 0)


@pytest.mark.parametrize(("symmetry", "distinct"), [(None, 1), ("unordered", 1), ("ordered", 3)])
def test_a_kind_defines_which_queries_are_equal(symmetry: Any, distinct: int) -> None:
    def answer(request: Any) -> Any:
        questions = request.queries
        return np.zeros(len(questions))

    anchored = Answers(kind="anchored", n=4, arity=3, answer=answer, symmetry=symmetry)
    oracle = Oracle(anchored)
    oracle.ask([[0, 1, 2], [1, 0, 2], [2, 0, 1]])
    assert oracle.ledger.distinct_queries == distinct


@pytest.mark.slow
def test_an_error_in_a_kernel_is_raised_unchanged() -> None:
    def overflows(ask: Any, state: Any) -> None:
        raise OverflowError("mine")

    class Kernel:
        py_func = staticmethod(overflows)

        def __call__(self, *args: Any) -> None:
            overflows(*args)

    def answer(floats: Any, ints: Any, i: Any, j: Any, k: Any, l: Any, key: Any, time: Any) -> Any:  # noqa: E741
        return 0

    oracle = Oracle(Answers(kind="pair-queries", n=3, arity=2, compiled=njit(answer)))
    with pytest.raises(OverflowError, match="mine"):
        oracle.run(Kernel())


def test_each_algorithm_gets_its_own_sparse_matrix() -> None:
    data = sparse.csr_array(np.eye(3))
    oracle = Oracle(Answers(kind="vectors", n=3, data=data))
    oracle.read().data = np.zeros(3)
    assert oracle.read().sum() == 3
    wide = sparse.csr_array(([1.0], ([0], [0])), shape=(3, 50))
    read = Oracle(Answers(kind="vectors", n=3, data=wide)).read()
    assert read.shape == (3, 50)
    assert np.shares_memory(read.data, wide.data), "what may be large is not copied"


def test_a_callable_gets_whole_numbers_of_one_type_and_returns_any() -> None:
    seen: list[Any] = []

    def answer(request: Any) -> Any:
        questions = request.queries
        keys = request.keys
        times = request.times
        seen.extend([questions.dtype, questions.flags.c_contiguous, keys.dtype, times.dtype])
        return np.ones(len(questions))

    oracle = Oracle(Answers(kind="pair-queries", n=300, arity=2, answer=answer))
    assert oracle.ask(np.array([[0, 1], [2, 299]], np.int32, order="F")).dtype == np.int8
    assert seen == [np.int64, True, np.uint64, np.int64]
    assert quadruplets_of(5).ask([[0, 1, 2, 3]]).dtype == np.int8


def test_the_smallest_of_everything() -> None:
    alone = ask_oracle("pair-queries", lambda i, j: i == j, n=1, budget=1)
    assert alone.ask([[0, 0]]).tolist() == [1]
    assert ask_oracle("pair-queries", lambda i, j: i == j, n=2).draw(3).shape == (3, 2)
    none = quadruplets_of(5, budget=0)
    assert none.ledger.left == 0
    assert none.due()
    assert none.ledger.refused is True
    assert none.ask(np.empty((0, 4))).shape == (0,), "of floats, as an empty list is"
    named = ask_oracle("odd-kind", lambda i: i, n=5, arity=1)
    named.ask([[3]])
    assert counts(named) == (1, 1, 1)
    with pytest.raises(InvalidQueryError, match=r"compiled answers are codes to .* 4 items"):
        Answers(kind="odd", n=9, arity=5, compiled=len)


def test_a_query_within_the_budget_is_not_refused() -> None:
    oracle = quadruplets_of(5, budget=2)
    oracle.ask([[0, 1, 2, 3]] * 2)
    assert oracle.ledger.refused is False
    assert oracle.due()
    assert oracle.ledger.refused is True


def test_the_time_of_answers_starts_at_zero() -> None:
    ticks = iter([5.0, 7.0, 20.0, 21.0])
    oracle = quadruplets_of(5, clock=lambda: next(ticks))
    assert oracle.ledger.seconds == 0
    oracle.ask([[0, 1, 2, 3]])
    oracle.ask([[0, 1, 2, 3]])
    assert oracle.ledger.seconds == 2 + 1


@njit(cache=True)
def no_pair_with_itself(floats, ints, i, j, k, l, key, time):  # noqa: E741
    return np.int64(compiled.WITH_ITSELF if i == j else 1)


@pytest.mark.slow
def test_a_question_that_pairs_an_item_with_itself_is_named() -> None:
    oracle = quadruplets_of(5, no_pair_with_itself)
    with pytest.raises(InvalidQueryError, match=r"pairs an item with itself: \[2, 2, 0, 1\]"):
        oracle.ask([[0, 1, 2, 3], [2, 2, 0, 1], [0, 1, 3, 4]])


def test_an_index_error_in_a_kernel_is_raised_unchanged() -> None:
    class Kernel:
        def __call__(self, *args: Any) -> None:
            raise IndexError("mine")

    with pytest.raises(IndexError, match="mine"):
        quadruplets_of(5).run(Kernel())


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("ordinal-queries", 3),
        ("ordinal-queries", 7.0),
        ("ordinal-queries", 0.5),
        ("ordinal-queries", float("nan")),
        ("ordinal-queries", 930),
        ("quadruplet-queries", 2),
        ("quadruplet-queries", -3),
        ("pair-queries", -4),
        ("pair-queries", -3),
        ("pair-queries", 2),
        ("pair-queries", 258),
        ("mine", 128),
        ("mine", -129),
    ],
)
def test_a_code_that_is_no_answer_of_the_kind_is_named(kind: str, code: Any) -> None:
    arity = QUERY_KINDS[kind].arity if kind in QUERY_KINDS else 2
    asked = np.array([np.arange(arity), np.arange(arity) + 1])

    def answer(_request: Any) -> Any:
        return np.array([1, code])

    oracle = Oracle(Answers(kind=kind, n=9, arity=arity, answer=answer))
    with pytest.raises(InvalidAnswerError, match=rf"\[1, .*was answered by {code}"):
        oracle.ask(asked)
    assert oracle.ledger.queries == 2  # the oracle has answered, and is paid


def test_apart_is_an_answer_to_a_pair() -> None:
    answers = Answers(
        kind="pair-queries", n=3, arity=2, answer=lambda *_: np.array([1, 0, -1, UNSURE])
    )
    oracle = Oracle(answers)
    Recorder(oracle).prepare(takes_unsure=True)
    assert oracle.ask([[0, 1], [0, 2], [1, 2], [2, 1]]).tolist() == [1, 0, -1, UNSURE]
