"""One cell in this process: timing, results and failures."""

import importlib.util
import os
import random
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from threading import Thread
from time import sleep, thread_time
from typing import Any

import numpy as np
import pytest
from numba import njit
from scipy import sparse
from scipy.cluster.hierarchy import linkage

import hcbench
from hcbench import UNSURE, Answers, Comparisons, HeightKind, Oracle, Problem, Tree
from hcbench.errors import (
    DataNotAvailableError,
    InvalidProblemError,
    InvalidTreeError,
    NotApplicableError,
    OracleError,
    UnansweredError,
)
from hcbench.model.cost import Cost
from hcbench.oracle import _kernels as kernels
from hcbench.plan.outcome import Outcome, ScoredPoint
from hcbench.registry.plugin_files import import_file
from hcbench.run.cell import rescore_job, run_job, run_packed
from hcbench.run.inputs import finest_partition, give, synthetic_answers
from hcbench.run.job import Call, Job, RescoreJob, pack_job
from hcbench.run.process_state import Surroundings
from hcbench.run.returned import as_result

BAD: Any = import_file(Path(__file__).parents[2] / "misbehaving.py")


def job(algorithm: str | Any, **changes: Any) -> Job:
    function = BAD.WRONG[algorithm] if isinstance(algorithm, str) else algorithm
    values: dict[str, Any] = {
        "dataset": Call(BAD.numbers, {"n": 20}),
        "oracle": Call("hcbench_oracles.whole:vectors", {}),
        "algorithm": function if isinstance(function, Call) else Call(function, {}),
        "data_key": "numbers",
        "data_seed": 1,
        "noise_seed": 2,
        "algorithm_seed": 3,
        "provides": frozenset({"vectors", "truth"}),
        "hints": (),
        "returns": "tree",
        "budget": None,
        "checkpoints": (),
        "metrics": {"leaves": Call(BAD.leaves, {}), "broken": Call(BAD.broken_metric, {})},
    }
    return Job(**{**values, **changes})


def asking(questions: int, *, records: bool = True, **changes: Any) -> Outcome:
    return run_job(
        job(
            Call(BAD.asker, {"questions": questions, "records": records}),
            oracle=Call(BAD.first_is_closer, {}),
            **changes,
        )
    )


def test_a_good_cell_has_values_and_each_metric_its_own_status() -> None:
    done = run_job(job("good"))
    assert done.status == "ok"
    (end,) = done.points
    assert end.values["leaves"].value == 20
    assert end.values["broken"].status == "error"
    assert end.values["broken"].reason == "RuntimeError: cannot judge"
    assert done.cost.queries is None, "vectors answer nothing countable"


def test_a_metric_that_exits_or_forks_loses_only_its_own_value() -> None:
    def leave(scored: Any) -> float:
        raise SystemExit("enough")

    def fork(scored: Any) -> float:
        child = os.fork()
        return float(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])) if child else 7.0

    metrics = {"leave": Call(leave, {}), "fork": Call(fork, {}), "leaves": Call(BAD.leaves, {})}
    (end,) = run_job(job("good", metrics=metrics)).points
    assert (end.values["leave"].status, end.values["leave"].reason) == (
        "error",
        "SystemExit: enough",
    )
    assert end.values["fork"].value == 1, "the copy does not go on"
    assert end.values["leaves"].value == 20


def test_a_failure_is_a_row_with_its_reason() -> None:
    for algorithm, reason in [
        ("raises", "ValueError: this is not right"),
        ("sys-exit", "SystemExit: 3"),
        ("mutates", "ValueError: assignment destination is read-only"),
        ("wrong-size", "the algorithm returned 21 leaves for 20 items"),
        ("nothing", "the algorithm returned NoneType; return a Tree, a linkage matrix"),
        ("text", "the algorithm returned str; return a Tree"),
        ("partition", "the algorithm declares a tree but returned a partition"),
    ]:
        done = run_job(job(algorithm))
        assert done.status == "error"
        assert done.reason.startswith(reason)


def test_a_failure_keeps_its_whole_traceback() -> None:
    assert "in raises" in run_job(job("raises")).traceback


def test_shared_comparisons_are_drawn_once_and_counted_for_each_algorithm() -> None:
    drawn: list[int] = []

    def observe(request: Any) -> Answers:
        problem = request.problem
        seed = request.seed
        budget = request.budget
        drawn.append(seed)
        rows = [[0, 1, 2, 3], [0, 1, 0, 4]]
        comparisons = Comparisons.from_quadruplets(problem.n, rows[:budget])
        return Answers(kind="quadruplet-set", n=problem.n, data=comparisons, size=len(comparisons))

    def read(oracle: Any, items: Any, rng: Any) -> Tree:
        comparisons = oracle.read()
        assert not comparisons.closer.flags.writeable
        return Tree.from_levels(np.zeros((items.n, 1), dtype=int))

    def run(**changes: Any) -> int | None:
        done = run_job(job(Call(read, {}), oracle=Call(observe, {}), data_key="drawn", **changes))
        return done.cost.queries

    assert [run(), run(algorithm_seed=4), run(noise_seed=7), run(noise_seed=7)] == [2, 2, 2, 2]
    assert [seed for seed in drawn if seed == 7] == [7]
    assert len(drawn) == 3, "one of these for the warm-up"
    assert run(noise_seed=7, budget=1) == 1


def test_who_uses_an_index_that_was_drawn_is_charged_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read_sets: list[Comparisons] = []

    def draw(request: Any) -> Answers:
        problem = request.problem
        words = -(-problem.n * (problem.n - 1) // 2 // 64)
        sides = np.zeros((2, 64 * words, words), np.uint64)
        sides[0, 0, 0] = 1 << 5  # pair 0 is closer than pair 5
        data = Comparisons.from_bits(problem.n, sides)
        return Answers(kind="quadruplet-set", n=problem.n, data=data, size=1)

    def cost(use: Callable[[Comparisons], Any]) -> Any:
        def read(oracle: Any, items: Any, rng: Any) -> Tree:
            read_sets.append(oracle.read())
            use(read_sets[-1])
            return Tree.from_levels(np.zeros((items.n, 1), dtype=int))

        monkeypatch.setattr("hcbench.run.timed_call.reset_peak", lambda: 40)
        monkeypatch.setattr("hcbench.run.timed_call.peak_since", lambda held: held)
        quarters = count(8)
        changes: dict[str, Any] = {"clock": lambda: next(quarters) / 4, "data_key": "bits"}
        done = run_job(job(Call(read, {}), oracle=Call(draw, {}), **changes))
        return done.cost.seconds, done.cost.oracle_seconds, done.cost.peak_bytes

    assert cost(len) == (0.25, 0, 40)
    seconds, oracle_seconds, peak_bytes = cost(lambda drawn: drawn.bits())
    assert (seconds, peak_bytes) == (0.25, 40 + 2 * 192 * 3 * 8), "190 pairs"
    seconds_of_drawing, _ = read_sets[-1].drawn
    assert oracle_seconds == seconds_of_drawing > 0


def test_processor_time_is_that_of_the_call_with_its_threads_and_processes() -> None:
    def burn(seconds: float) -> None:
        start = thread_time()
        while thread_time() - start < seconds:
            pass

    def asleep(oracle: Any, items: Any, rng: Any) -> Tree:
        sleep(0.3)
        return Tree.from_levels(np.zeros((items.n, 1), dtype=int))

    def busy(oracle: Any, items: Any, rng: Any) -> Tree:
        threads = [Thread(target=burn, args=(0.2,)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        child = "import time\nwhile time.process_time() < 0.2: pass"
        subprocess.run([sys.executable, "-S", "-c", child], check=True)
        return Tree.from_levels(np.zeros((items.n, 1), dtype=int))

    idle = run_job(job(Call(asleep, {}))).cost
    assert idle.seconds is not None
    assert idle.seconds >= 0.3
    assert idle.processor_seconds is not None
    assert idle.processor_seconds < 0.2
    worked = run_job(job(Call(busy, {}))).cost
    assert worked.processor_seconds is not None
    assert worked.processor_seconds >= 0.55


def test_the_same_seed_gives_the_same_result() -> None:
    first, second = (run_job(job("draws")).points[0].result for _ in range(2))
    other = run_job(job("draws", algorithm_seed=4)).points[0].result
    assert first == second != other


def test_a_data_set_that_does_not_provide_what_it_declares_is_detected() -> None:
    done = run_job(job("good", dataset=Call(BAD.lies, {}), data_key="lies"))
    assert (done.status, done.reason) == (
        "error",
        "the data set declares truth but does not yield it",
    )

    def with_distances(_request: Any) -> Problem:
        return Problem(n=3, truths={"t": Tree.from_linkage(linkage([[0.0], [1], [3]]))})

    provides = {"provides": frozenset({"truth", "heights"}), "data_key": "distances"}
    done = run_job(job("good", dataset=Call(with_distances, {}), **provides))
    assert done.reason == (
        "the data set declares heights but does not yield it: the heights of its truth are of the "
        "kind distance, and only affinities count"
    )


def test_results_at_checkpoints_are_those_recorded_before_them() -> None:
    done = asking(10, checkpoints=(0, 4, 10, 50))
    assert [(p.checkpoint, p.queries, p.result is None) for p in done.points] == [
        (0, 0, False),
        (4, 4, False),
        (10, 10, False),
        (50, 10, False),
        (None, 10, False),
    ]


def test_a_checkpoint_before_any_result_has_no_value_and_says_so() -> None:
    done = asking(10, records=False, checkpoints=(4,))
    value = done.points[0].values["leaves"]
    assert (value.value, value.status, value.reason) == (
        None,
        "skipped",
        "no result after 4 queries",
    )


def test_the_budget_is_obeyed_and_recorded_results_are_used() -> None:
    done = asking(10, budget=6)
    assert (done.status, done.stopped) == ("ok", "budget")
    assert done.cost.queries == 6


def test_an_algorithm_without_a_result_at_the_end_of_the_budget_has_status_budget() -> None:
    done = asking(10, records=False, budget=6)
    assert done.status == "budget"
    assert "budget of 6" in done.reason


def test_counts_are_the_ledgers() -> None:
    done = asking(40)
    assert (done.cost.queries, done.cost.rounds) == (40, 40)
    assert done.cost.distinct_queries == 20, "20 different questions, each asked twice"
    assert done.cost.oracle_seconds is not None
    assert done.cost.oracle_seconds > 0


def test_one_clock_times_the_call_and_the_answers() -> None:
    ticks = count(1000)
    done = asking(10, clock=lambda: float(next(ticks)))
    # Ten queries, each between two ticks, and the call between two more.
    assert done.cost.oracle_seconds == 10
    assert done.cost.seconds == 21 - 10
    quarters = count(8)
    whole = run_job(job("good", clock=lambda: next(quarters) / 4))
    assert (whole.cost.seconds, whole.cost.oracle_seconds) == (0.25, 0.0), "nothing was asked"


def test_memory_load_and_frequency_are_those_of_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hcbench.run.timed_call.load_average", lambda: 0.5)
    monkeypatch.setattr("hcbench.run.timed_call.processor_frequency", lambda: 3e9)
    monkeypatch.setattr("hcbench.run.timed_call.reset_peak", lambda: 40)
    monkeypatch.setattr("hcbench.run.timed_call.peak_since", lambda held: held + 2)
    done = run_job(job("good"))
    assert (done.load, done.frequency, done.cost.peak_bytes) == (0.5, 3e9, 42)
    monkeypatch.setattr("hcbench.run.timed_call.reset_peak", lambda: None)
    assert run_job(job("good")).cost.peak_bytes is None, "it is not known on this machine"


def test_compilation_before_the_timed_call_is_announced() -> None:
    from numba import njit

    @njit
    def half(x: Any) -> Any:
        return x / 2

    def algorithm(oracle: Any, items: Any, rng: Any) -> Any:
        return linkage(np.arange(items.n)[:, None] * half(items.n), "average")

    phases: list[str] = []
    done = run_packed(pack_job(job(algorithm), ()), lambda phase, value=None: phases.append(phase))
    assert done is not None
    assert done.status == "ok"
    begun = phases.index("warm-up")
    assert phases[begun : begun + 3] == ["warm-up", "compiling, once", "warm-up"]
    assert phases[-3:] == ["warm-up", "algorithm", "metrics"]
    assert set(phases) == {"data", "oracle", "warm-up", "compiling, once", "algorithm", "metrics"}


def test_each_phase_is_announced_as_it_begins() -> None:
    phases: list[Any] = []

    def announce(phase: str, value: object = None) -> None:
        phases.append((phase, value))

    done = run_packed(pack_job(job("good"), ()), announce)
    assert [phase for phase, _ in phases] == ["data", "oracle", "warm-up", "algorithm", "metrics"]
    *before, (_, unscored) = phases
    assert all(value is None for _, value in before)
    assert (unscored.cost, unscored.status) == (done.cost, "ok")
    assert [point.values for point in unscored.points] == [{}], "not judged yet"
    phases.clear()
    kept_points = (ScoredPoint(result=BAD.caterpillar(20)),)
    again = run_packed(
        pack_job(RescoreJob(job("good"), Cost(seconds=7.0), kept_points), ()), announce
    )
    assert phases == [("data", None), ("metrics", None)]
    assert (again.cost.seconds, again.data_digest) == (7.0, done.data_digest)
    assert again.points[0].values["leaves"].value == 20


def test_failures_have_different_statuses() -> None:
    def fails(error: BaseException) -> Any:
        def algorithm(oracle: Any, items: Any, rng: Any) -> Any:
            raise error

        return algorithm

    for error, status, phase in [
        (MemoryError("too much"), "memory", ""),
        (ImportError("no module"), "error", "imports"),
        (NotApplicableError("not for these"), "skipped", ""),
        (DataNotAvailableError("not here"), "skipped", "data"),
        (ValueError("wrong"), "error", ""),
        (KeyError(), "error", ""),
    ]:
        done = run_job(job(fails(error)))
        assert done.reason.startswith(type(error).__name__) or status == "skipped"
        assert not done.reason.endswith(" ")
        assert (done.status, done.phase) == (status, phase)
        assert done.traceback.rstrip().endswith(str(error) or "KeyError")
        assert "XX" not in done.traceback
    lost = rescore_job(
        RescoreJob(job("good", dataset=Call(BAD.lies, {}), data_key="x"), Cost(), ())
    )
    assert lost.reason == "the data set declares truth but does not yield it"
    other = run_job(job("good", returns="partition"))
    assert other.reason == "the algorithm declares a partition but returned a tree"


def test_the_warm_up_is_an_ordinary_call_on_spread_items() -> None:
    seen: list[Any] = []

    def line(_request: Any, n: int) -> Problem:
        return Problem(n=n, vectors=np.arange(float(n))[:, None], levels=np.zeros((n, 1), int))

    def watches(oracle: Any, items: Any, rng: Any) -> Any:
        rows = oracle.read().ravel()
        seen.append((rows[0], rows[-1], len(rows), rng.random()))
        return BAD.caterpillar(items.n)

    done = run_job(job(watches, dataset=Call(line, {"n": 30}), data_key="line"))
    assert done.status == "ok"
    drawn = np.random.default_rng(3).random()
    assert seen == [(0, 29, 12, drawn), (0, 29, 30, drawn)]


def test_sparse_vectors_are_warmed_up_with_as_well() -> None:
    def identity(_request: Any, n: int) -> Problem:
        return Problem(n=n, vectors=sparse.csr_array(np.eye(n)), levels=np.zeros((n, 1), int))

    sizes: list[int] = []

    def watches(oracle: Any, items: Any, rng: Any) -> Any:
        sizes.append(oracle.read().shape[0])
        return BAD.caterpillar(items.n)

    assert run_job(job(watches, dataset=Call(identity, {"n": 20}), data_key="I")).status == "ok"
    assert sizes == [12, 20]


def test_a_metric_sees_the_problem_the_trace_and_the_answers() -> None:
    seen: list[Any] = []

    def watches(scored: Any) -> float:
        seen.append(([p.queries for p in scored.trace], scored.trace[-1].result))
        assert scored.problem.n == 20
        assert scored.make_answers().kind == "quadruplet-queries"
        return 1.0

    def refuses(scored: Any) -> float:
        raise NotApplicableError("not for these")

    metrics = {"watches": Call(watches, {}), "refuses": Call(refuses, {})}
    end = asking(10, checkpoints=(4,), metrics=metrics).points[-1]
    assert end.values["watches"].value == 1
    assert (end.values["refuses"].status, end.values["refuses"].reason) == (
        "skipped",
        "not for these",
    )
    assert seen == [([4, 10], end.result)] * 2


def test_draws_are_among_the_costs() -> None:
    def draws(oracle: Any, items: Any, rng: Any) -> Any:
        oracle.draw(7)
        return BAD.caterpillar(items.n)

    def same(request: Any) -> Answers:
        problem = request.problem
        zeros = lambda questions, keys, times: np.zeros(len(questions))  # noqa: E731
        return Answers(kind="pair-queries", n=problem.n, arity=2, answer=zeros)

    assert run_job(job(draws, oracle=Call(same, {}))).cost.draws == 7


def test_stored_results_are_scored_without_running_anything() -> None:
    kept_points = (ScoredPoint(result=BAD.caterpillar(20)),)
    done = rescore_job(RescoreJob(job("raises"), Cost(seconds=1.0), kept_points))
    assert done.status == "ok"
    assert done.points[0].values["leaves"].value == 20


def test_a_stored_result_is_scored_with_its_data_and_costs() -> None:
    def spread_and_seconds(scored: Any) -> float:
        return float(scored.problem.vectors[:, 0].max() + scored.cost.seconds)

    again = job("raises", metrics={"both": Call(spread_and_seconds, {})})
    points = (ScoredPoint(result=BAD.caterpillar(20)),)
    done = rescore_job(RescoreJob(again, Cost(seconds=0.5), points))
    assert (
        done.points[0].values["both"].value
        == BAD.numbers(hcbench.DataRequest(seed=1), n=20).vectors[:, 0].max() + 0.5
    )


def test_what_an_algorithm_may_return() -> None:
    linkage = np.array([[0, 1, 1.0, 2], [2, 3, 2.0, 3]])
    tree = as_result(linkage, 3)
    assert isinstance(tree, Tree)
    assert tree.kind is HeightKind.DISTANCE
    assert as_result(linkage[:, :2].astype(int), 3).n == 3
    assert as_result([0, 0, 1], 3).n == 3
    for wrong in ([0.0, 0.5], np.zeros((3, 3), int)):
        with pytest.raises(InvalidTreeError, match="return a Tree"):
            as_result(wrong, 3)
    with pytest.raises(InvalidTreeError, match="2 merges of 4 items, not 3; the trees of a forest"):
        as_result(linkage, 4)
    with pytest.raises(InvalidTreeError, match="3 leaves for 4 items"):
        as_result(tree, 4)


def test_hints_are_parts_of_the_truth() -> None:
    levels = np.array([[0, 0], [0, 1], [1, 0], [1, 0]])
    problem = Problem(n=4, vectors=np.eye(4), levels=levels)
    items = give(problem, ("truth", "clusters", "n_clusters"))
    assert items.hints["n_clusters"] == 3
    assert items.hints["clusters"].labels.tolist() == [0, 1, 2, 2]
    assert items.hints["truth"] == problem.truth
    assert not give(problem, ()).hints


def test_hints_are_data_beside_the_answers_which_no_algorithm_can_change_for_others() -> None:
    X = sparse.csr_array(np.eye(4))
    problem = Problem(n=4, vectors=X)
    received = give(problem, ("vectors",)).hints["vectors"]
    assert (received != X).nnz == 0
    received.data = received.data * 2
    assert (give(problem, ("vectors",)).hints["vectors"] != X).nnz == 0
    with pytest.raises(NotApplicableError, match="the items have no graph"):
        give(problem, ("graph",))


def test_the_finest_clusters_of_a_tree_are_the_parents_of_its_leaves() -> None:
    truth = Tree.from_newick("((a,b),(c,d));")
    assert finest_partition(Problem(n=4, truths={"t": truth})).n_clusters == 2


def test_inconsistent_data_and_truth_are_refused() -> None:
    for values, message in [
        ({"vectors": np.ones((3, 2))}, "vectors has 3 rows for 4 items"),
        ({"vectors": np.full((4, 1), np.nan)}, "vectors holds NaN"),
        ({"similarity": np.ones((4, 3))}, "n x n"),
        ({"similarity": np.triu(np.ones((4, 4)))}, "not symmetric"),
        ({"levels": np.ones((3, 1), dtype=int)}, "levels has 3 rows"),
        ({"truths": {"t": BAD.caterpillar(3)}}, "truth 't' has 3 leaves"),
        ({"tree": BAD.caterpillar(3)}, "tree has 3 leaves"),
        ({"names": ("a",)}, "names has 1 rows"),
    ]:
        with pytest.raises(InvalidProblemError, match=message):
            Problem(n=4, **values)


def test_data_are_read_only() -> None:
    problem = Problem(n=2, vectors=np.eye(2))
    with pytest.raises(ValueError, match="read-only"):
        problem.vectors[0, 0] = 3  # type: ignore[index]


def test_a_part_of_a_problem_keeps_truth_and_memory_order() -> None:
    vectors = np.asfortranarray(np.arange(8.0).reshape(4, 2))
    problem = Problem(n=4, vectors=vectors, levels=np.array([[0], [0], [1], [1]]))
    part = problem.take(np.array([3, 0, 1]))
    assert isinstance(part.vectors, np.ndarray)
    assert part.vectors.flags.f_contiguous
    assert part.vectors.tolist() == [[6, 7], [0, 1], [2, 3]]
    assert part.truth.isomorphic(Tree.from_levels([[1], [0], [0]]))


def test_other_data_have_another_digest() -> None:
    one = Problem(n=2, vectors=np.eye(2))
    assert one.digest() == Problem(n=2, vectors=np.eye(2)).digest()
    assert one.digest() != Problem(n=2, vectors=np.eye(2) * 2).digest()


def test_checkpoints_have_only_the_costs_known_there() -> None:
    costs = {
        name: Call(f"hcbench_metrics.costs:{name}", {})
        for name in ("queries", "distinct_queries", "rounds", "seconds")
    }
    done = asking(40, checkpoints=(4,), metrics=costs)
    at_4, end = ({k: v.value for k, v in p.values.items()} for p in done.points)
    assert at_4 == {"queries": 4, "distinct_queries": None, "rounds": None, "seconds": None}
    assert end["distinct_queries"] == 20
    assert end["rounds"] == 40
    assert done.points[0].values["seconds"].reason.startswith("known only for a whole call")


def test_an_algorithm_that_gives_up_when_refused_is_stopped_by_the_budget() -> None:
    def modest(oracle: Any, items: Any, rng: Any) -> Any:
        with suppress(hcbench.BudgetExceededError):
            oracle.ask([[0, 1, 2, 3]] * 3)
        return BAD.caterpillar(items.n)

    oracle = Call(BAD.first_is_closer, {})
    assert run_job(job(modest, oracle=oracle, budget=2)).stopped == "budget"
    assert run_job(job(modest, oracle=oracle, budget=3)).stopped == ""


def test_a_manipulated_count_is_an_error() -> None:
    def cheats(oracle: Any, items: Any, rng: Any) -> Any:
        oracle.ask([[0, 1, 2, 3]] * 3)
        oracle.ledger._account.counters[0] = 0
        return BAD.caterpillar(items.n)

    done = run_job(job(cheats, oracle=Call(BAD.first_is_closer, {})))
    assert (done.status, done.reason) == ("error", "the algorithm wrote the oracle's ledger")


@pytest.mark.parametrize(
    "cheat",
    [
        lambda oracle: setattr(oracle, "ledger", Oracle(Answers(kind="vectors", n=20)).ledger),
        lambda oracle: setattr(oracle, "_clock", lambda: 0.0),
        lambda oracle: oracle.ledger._account.counters.__setitem__(kernels.BUDGET, 10**6),
    ],
)
def test_another_ledger_clock_or_budget_is_an_error(cheat: Callable[[Any], object]) -> None:
    def cheats(oracle: Any, items: Any, rng: Any) -> Any:
        cheat(oracle)
        return BAD.caterpillar(items.n)

    done = run_job(job(cheats, oracle=Call(BAD.first_is_closer, {})))
    assert (done.status, done.reason) == ("error", "the algorithm wrote the oracle's ledger")


def test_declared_needs_decide_whether_an_algorithm_runs() -> None:
    assert run_job(job("good", min_items=20)).status == "ok"
    few = run_job(job("good", min_items=21))
    assert (few.status, few.reason) == ("skipped", "it needs 21 items or more, not 20")


def test_an_algorithm_may_say_that_it_cannot_run_here() -> None:
    def on_gpu(oracle: Any, items: Any, rng: Any) -> Any:
        raise NotApplicableError("it needs a GPU, and this machine has none")

    outcome = run_job(job(Call(on_gpu, {})))
    assert (outcome.status, outcome.reason) == (
        "skipped",
        "it needs a GPU, and this machine has none",
    )


def test_global_random_generators_do_not_depend_on_earlier_cells() -> None:
    def global_generators(oracle: Any, items: Any, rng: Any) -> Any:
        order = np.random.permutation(items.n)  # noqa: NPY002
        drawn.append((order.tolist(), random.random()))
        return BAD.caterpillar(items.n).relabel(order)

    drawn: list[Any] = []
    first, second = (run_job(job(global_generators)).points[0].result for _ in range(2))
    assert first == second
    seed = 2**40 + 5
    run_job(job(global_generators, algorithm_seed=seed))
    # numpy's own takes 32 bits.
    order = np.random.RandomState(5).permutation(20).tolist()
    assert drawn[-1] == (order, random.Random(seed).random())


def test_a_kernel_that_the_warm_up_does_not_reach_is_compiled_outside_the_timer() -> None:
    @njit
    def late(x: int) -> int:
        total = 0
        for i in range(x):
            total += i * i % 7
        return total

    asked: list[int] = []

    def only_on_many(oracle: Any, items: Any, rng: Any) -> Any:
        asked.append(items.n)
        if items.n > 12:
            late(items.n)
        return BAD.caterpillar(items.n)

    assert run_job(job(only_on_many)).status == "ok"
    assert asked == [12, 20, 20], "warm-up, the call that compiled, the call that counts"


def test_a_module_that_the_warm_up_does_not_import_is_imported_outside_the_timer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slow_to_import.py").write_text("import time\ntime.sleep(.2)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    asked: list[int] = []

    def only_on_many(oracle: Any, items: Any, rng: Any) -> Any:
        asked.append(items.n)
        if items.n > 12:
            import slow_to_import  # type: ignore[import-not-found]  # noqa: F401
        return BAD.caterpillar(items.n)

    done = run_job(job(only_on_many))
    sys.modules.pop("slow_to_import")
    assert asked == [12, 20, 20]
    assert done.cost.seconds is not None
    assert done.cost.seconds < 0.2


def test_a_stored_kernel_that_the_warm_up_does_not_reach_is_opened_outside_the_timer(
    tmp_path: Path,
) -> None:
    """Opening it takes less time than compiling it, but more than many a call."""
    source = tmp_path / "kernels.py"
    source.write_text(
        "from numba import njit\n\n@njit(cache=True)\ndef late(x):\n    return x + 1\n"
    )

    def load() -> Any:
        spec = importlib.util.spec_from_file_location("kernels_of_a_test", source)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.late

    load()(1)  # compiled and stored
    late = load()
    asked: list[int] = []

    def only_on_many(oracle: Any, items: Any, rng: Any) -> Any:
        asked.append(items.n)
        if items.n > 12:
            late(items.n)
        return BAD.caterpillar(items.n)

    assert run_job(job(only_on_many)).status == "ok"
    assert sum(late.stats.cache_hits.values()) == 1
    assert asked == [12, 20, 20]


def test_a_call_that_ends_with_its_budget_is_repeated_as_well() -> None:
    @njit
    def late(x: int) -> int:
        return x + 2

    asked: list[int] = []

    def until_the_end(oracle: Any, items: Any, rng: Any) -> Any:
        asked.append(items.n)
        oracle.record(BAD.caterpillar(items.n))
        if items.n > 12:
            late(items.n)
            while True:
                oracle.ask([[0, 1, 2]] if oracle.query_kind.arity == 3 else [[0, 1, 2, 3]])
        return BAD.caterpillar(items.n)

    done = run_job(job(until_the_end, oracle=Call(BAD.first_is_closer, {}), budget=3))
    assert (done.status, done.stopped) == ("ok", "budget")
    assert asked == [12, 20, 20]


def test_a_cell_finds_the_process_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = Surroundings.now()
    os.chdir(tmp_path)
    os.environ["HCBENCH_TEST"] = "left behind"
    np.seterr(all="ignore")
    before.restore()
    assert Surroundings.now() == before
    assert os.getenv("HCBENCH_TEST") is None
    os.environ["HOME"] = "elsewhere"
    monkeypatch.setattr(os, "environ", {})
    before.restore()
    assert Surroundings.now() == before
    assert os.environ is before.environ


def test_more_threads_than_one_are_noted() -> None:
    for threads, notes in ((1, ()), (2, ("ran on 2 threads",)), (3, ("ran on 3 threads",))):
        outcome = run_job(job("good", threads=threads))
        assert (outcome.status, outcome.notes) == ("ok", notes)


@pytest.mark.parametrize("source", ["the crowd", ""])
def test_answers_are_stored_by_their_source_and_the_data(source: str) -> None:
    asked: list[tuple[str, str]] = []
    known = {((0, 1, 2), 0): hcbench.Reply(0, 2, 0.5)}

    def replies(source: str, data: str) -> Any:
        asked.append((source, data))
        return known

    def paid(request: Any, **_: Any) -> Answers:
        problem = request.problem

        def answers(queries: Any, *_: Any) -> Iterator[hcbench.Reply]:
            for row in range(len(queries)):
                yield hcbench.Reply(row, 2, 0.25)

        return Answers(kind="ordinal-queries", n=problem.n, arity=3, replies=answers, source=source)

    def asks(oracle: Any, items: Any, rng: Any) -> Any:
        oracle.ask([[0, 1, 2], [0, 1, 3]])
        return BAD.caterpillar(items.n)

    call = Call(paid, {"a": 1})
    done = run_job(job(asks, oracle=call, live=True, replies=replies))
    assert (done.status, done.cost.price, done.cost.saved) == ("ok", 0.75, 0.5)
    assert asked == [(source or repr(({"a": 1}, 2)), done.data_digest)]
    assert len(known) == 2
    free = run_job(job("good", replies=replies))
    assert (free.status, len(asked)) == ("ok", 1)


def test_reported_numbers_are_values_of_the_last_point_only() -> None:
    def reports(oracle: Any, items: Any, rng: Any) -> Any:
        oracle.ask([[0, 1, 0, 2]])
        oracle.record(BAD.caterpillar(items.n))
        oracle.ask([[0, 1, 0, 3]])
        oracle.report(loss=2.5)
        return BAD.caterpillar(items.n)

    done = run_job(job(reports, oracle=Call(BAD.first_is_closer, {}), checkpoints=(0, 1, 2)))
    values = [{k: v.value for k, v in p.values.items() if "loss" in k} for p in done.points]
    assert [p.checkpoint for p in done.points] == [0, 1, 2, None]
    assert values == [{}, {}, {}, {"loss (reported)": 2.5}]
    assert [p.result is None for p in done.points] == [True, False, False, False]


def test_an_error_of_the_oracle_is_told_as_such() -> None:
    def away(_request: Any) -> Answers:
        raise OracleError("the server is away")

    done = run_job(job("good", oracle=Call(away, {})))
    assert (done.status, done.phase, done.reason) == ("error", "oracle", "the server is away")


def test_an_algorithm_is_warmed_up_once_for_the_same_types() -> None:
    sizes: list[int] = []

    def counts(oracle: Any, items: Any, rng: Any) -> Any:
        sizes.append(items.n)
        return BAD.caterpillar(items.n)

    for _ in range(2):
        assert run_job(job(counts)).status == "ok"
    assert sizes == [12, 20, 20]


def warns(text: str, category: type[Warning] = hcbench.ModelWarning) -> Any:
    def algorithm(oracle: Any, items: Any, rng: Any) -> Any:
        warnings.warn(f"{text} of {items.n}", category, stacklevel=1)
        warnings.warn(f"{text} of {items.n}", category, stacklevel=1)
        return BAD.caterpillar(items.n)

    return algorithm


def test_a_model_warning_is_a_note_of_the_cell_and_not_of_its_warm_up() -> None:
    def numbers(request: Any, n: int) -> Problem:
        warnings.warn("the data are  small\n", hcbench.ModelWarning, stacklevel=1)
        problem: Problem = BAD.numbers(request, n=n)
        return problem

    data = {"dataset": Call(numbers, {"n": 20}), "data_key": "numbers that warn"}
    done = run_job(job(warns("alpha < 0 in 3 %"), **data))
    assert done.status == "ok"
    assert done.notes == ("the data are small", "alpha < 0 in 3 % of 20")
    assert run_job(job("good", **data)).notes == ("the data are small",), "data that were kept"
    assert not run_job(job("good")).notes


def test_notes_of_a_failure_are_stored() -> None:
    def fails(oracle: Any, items: Any, rng: Any) -> Any:
        warnings.warn("not connected", hcbench.ModelWarning, stacklevel=1)
        raise ValueError("no tree")

    done = run_job(job(fails))
    assert (done.status, done.notes) == ("error", ("not connected",))


def test_other_warnings_are_not_notes() -> None:
    with pytest.warns(RuntimeWarning, match="overflow of (12|20)"):
        done = run_job(job(warns("overflow", RuntimeWarning)))
    assert not done.notes


def test_very_long_notes_are_cut() -> None:
    def talks(oracle: Any, items: Any, rng: Any) -> Any:
        for number in range(1000):
            warnings.warn(f"{number} is odd", hcbench.ModelWarning, stacklevel=1)
        return BAD.caterpillar(items.n)

    notes = run_job(job(talks)).notes
    assert notes[:2] == ("0 is odd", "1 is odd")
    assert len(notes) < 100


WARNING_PLUGIN = """
import warnings
import hcbench

def algorithm(oracle, items, rng):
    warnings.warn("alpha < 0", hcbench.ModelWarning)
    return [[0, 1], [2, 3]]

@hcbench.hookimpl
def hcbench_algorithms():
    return [hcbench.AlgorithmSpec(
        name="Warns", function=algorithm, doc="Warns.", accepts=("vectors",))]
"""


def test_outside_the_harness_it_is_an_ordinary_warning(tmp_path: Path) -> None:
    (tmp_path / "warns.py").write_text(WARNING_PLUGIN)
    registry = hcbench.load_registry([tmp_path / "warns.py"])
    (warns,) = registry.use_algorithms("Warns")
    with pytest.warns(hcbench.ModelWarning, match="alpha < 0"):
        assert hcbench.fit(warns, np.ones((3, 2))).n == 3


def test_an_oracle_that_costs_money_is_never_asked_in_a_warm_up() -> None:
    calls: list[int] = []

    def paid(request: Any) -> Answers:
        problem = request.problem

        def answer(request: Any) -> Any:
            questions = request.queries
            calls.append(len(questions))
            return np.zeros(len(questions), np.int8)

        return Answers(kind="ordinal-queries", n=problem.n, arity=3, answer=answer)

    sizes: list[tuple[int, int]] = []

    @njit
    def late(x: int) -> int:
        return x + 1

    def asks_once(oracle: Any, items: Any, rng: Any) -> Any:
        sizes.append((items.n, int(oracle.ask([[0, 1, 2]])[0])))
        if items.n > 12:
            late(items.n)  # compiled in the timed call, which is not repeated as it would cost
        return BAD.caterpillar(items.n)

    def priced(request: Any) -> Answers:
        problem = request.problem
        return Answers(kind="ordinal-queries", n=problem.n, arity=3, replies=lambda *_: iter(()))

    done = run_job(job(asks_once, oracle=Call(priced, {})))
    assert done.reason == "the oracle tells prices of answers and declares no currency"
    times: list[Any] = []
    notes: list[str] = []
    for _ in range(2):
        done = run_job(job(asks_once, oracle=Call(paid, {}), live=True))
        assert (done.status, done.cost.queries) == ("ok", 1)
        times.append(done.cost.seconds)
        notes += done.notes
    assert calls == [1, 1]
    assert times[0] is None, "no other call is compared with one that compiled"
    assert times[1] < 1
    (note,) = notes
    assert re.fullmatch(r"the call took [\d.e-]+ s, with what it compiled or imported .*", note)
    assert sizes == [(12, 2), (20, 0), (20, 0)]


@pytest.mark.parametrize(
    ("kind", "questions", "codes"),
    [
        ("ordinal-queries", [[0, 1, 2], [5, 1, 3]], [2, 0]),
        ("quadruplet-queries", [[0, 1, 2, 3], [4, 1, 0, 3], [0, 3, 3, 1]], [1, -1, 0]),
        ("pair-queries", [[0, 1]], [0]),
    ],
)
def test_synthetic_answers_are_those_of_a_caterpillar(
    kind: str, questions: list[list[int]], codes: list[int]
) -> None:
    like = Answers(kind=kind, n=100, arity=len(questions[0]))
    assert Oracle(synthetic_answers(like, 6)).ask(questions).tolist() == codes


def never_sure(request: Any) -> Answers:
    """Answers the first query only."""
    problem = request.problem

    def answer(questions: Any, *_: object) -> Any:
        return np.where(questions[:, 2] == 2, 0, UNSURE)

    return Answers(kind="ordinal-queries", n=problem.n, arity=3, answer=answer)


@pytest.mark.parametrize(
    ("records", "status", "stopped"), [(True, "ok", "unanswered"), (False, "unanswered", "")]
)
def test_a_query_without_an_answer_ends_the_cell_with_what_it_had(
    records: bool, status: str, stopped: str
) -> None:
    def asks_twice(oracle: Any, items: Any, rng: Any) -> Any:
        oracle.ask([[0, 1, 2]])
        if records:
            oracle.record(BAD.caterpillar(items.n))
        oracle.ask([[0, 1, 3], [0, 1, 2]])
        raise AssertionError("not reached")

    done = run_job(job(asks_twice, oracle=Call(never_sure, {})))
    assert (done.status, done.stopped) == (status, stopped)
    assert done.cost.queries == 1 + 2 + 4, "the one without an answer is made five times"
    if records:
        assert done.points[-1].result == BAD.caterpillar(20)
    else:
        assert done.reason == "no answer to [0, 1, 3], asked 5 times"


def test_an_algorithm_that_takes_unsure_gets_it() -> None:
    given_codes: list[int] = []

    def takes(oracle: Any, items: Any, rng: Any) -> Any:
        given_codes.extend(oracle.ask([[0, 1, 3], [0, 1, 2]]).tolist())
        return BAD.caterpillar(items.n)

    done = run_job(job(takes, oracle=Call(never_sure, {}), takes_unsure=True, live=True))
    assert (done.status, done.cost.queries) == ("ok", 2)
    assert given_codes[-2:] == [UNSURE, 0]


@pytest.mark.parametrize("clusters", [1, 2, 3, 4])  # linkages have 4 columns, children 2
def test_memberships_of_items_in_several_clusters_are_refused_by_name(clusters: int) -> None:
    with pytest.raises(InvalidTreeError, match=r"soft or overlapping clusters.*argmax\(axis=1\)"):
        as_result(np.full((4, clusters), 1 / clusters), 4)


def test_a_failed_call_keeps_what_it_has_reported_without_a_result() -> None:
    def raising(oracle: Any, items: Any, rng: Any) -> Any:
        oracle.report_cost("energy", 12.5, unit="J")
        oracle.report(steps=7)
        raise ValueError("no convergence")

    def unanswered(oracle: Any, items: Any, rng: Any) -> Any:
        oracle.report_cost("energy", 3, unit="J")
        raise UnansweredError("no answer")

    for algorithm, status, reported in [
        (raising, "error", {"energy [J] (reported)": 12.5, "steps (reported)": 7.0}),
        (unanswered, "unanswered", {"energy [J] (reported)": 3.0}),
    ]:
        done = run_job(job(algorithm))
        assert done.status == status
        (end,) = done.points
        assert (end.checkpoint, end.result) == (None, None)
        assert {label: value.value for label, value in end.values.items()} == reported
    assert not run_job(job("raises")).points, "nothing was reported"
