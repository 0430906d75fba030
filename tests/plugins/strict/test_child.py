"""The executor `strict`: equal results, and nothing of the cell in the process of the algorithm."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hcbench
from hcbench import HcbenchError, HeightKind, Partition, Tree
from hcbench_strict.messages import pack_result, unpack_result

pytestmark = pytest.mark.slow  # each cell starts a Python


def looks_around(oracle: Any, items: Any, rng: Any) -> Any:
    """Fail if a problem, a truth or the ledger that counts can be reached."""
    import gc
    import os
    import sys

    frame: Any = sys._getframe()
    values = [*gc.get_objects()]
    while frame is not None:
        values += [*frame.f_locals.values()]
        frame = frame.f_back
    kinds = {type(value).__name__ for value in values}
    wrong = kinds & {"Problem", "MadeProblem", "Job", "Tree", "Partition"}
    assert not wrong, wrong
    assert "HCBENCH_STORE" not in os.environ
    oracle.ask([[0, 1, 2], [0, 1, 3]])
    oracle.ledger._account.counters[:] = 0  # of this process: the worker's counts
    return np.arange(items.n) % 2


def run(store: Path, executor: str, algorithms: list[Any], **options: Any) -> list[dict[str, Any]]:
    settings: dict[str, Any] = {"repetitions": 1, "n_jobs": 1, "store": store} | options
    return hcbench.compare(algorithms, executor=executor, **settings).rows


def test_results_and_counts_are_those_of_ordinary_workers(tmp_path: Path) -> None:
    metrics = ["AARI", "queries", "rounds"]
    expected, strict = (
        run(
            tmp_path / f"{executor}.sqlite",
            executor,
            ["UPGMA", "InsertionClustering", "HDBSCAN"],
            datasets=["planted[N0=3,L=2]"],
            metrics=metrics,
        )
        for executor in ("local", "strict")
    )
    assert {row["status"] for row in expected} == {"ok"}
    assert expected[-1]["metrics"]["clusters (reported)"] is not None
    assert [row["metrics"] for row in strict] == [row["metrics"] for row in expected]


@pytest.mark.attack("strict")
def test_nothing_of_the_cell_is_in_the_process_of_the_algorithm(tmp_path: Path) -> None:
    plugin = tmp_path / "looks.py"
    source = Path(__file__).read_text()
    body = source[source.index("def looks_around") : source.index("def run(")]
    plugin.write_text(
        "import numpy as np\nfrom typing import Any\nfrom hcbench import AlgorithmSpec, hookimpl\n"
        f"{body}\n@hookimpl\ndef hcbench_algorithms():\n"
        "    return [AlgorithmSpec(name='looks', function=f'{__name__}:looks_around', doc='Looks.',"
        " accepts=('ordinal-queries',), returns='partition')]\n"
    )
    (row,) = run(
        tmp_path / "store.sqlite",
        "strict",
        ["looks"],
        datasets=["planted[N0=3,L=2]"],
        metrics=["queries"],
        plugins=[plugin],
    )
    assert (row["status"], row["reason"]) == ("ok", "")
    assert row["metrics"] == {"queries": 2.0}, "counted by the worker"


@pytest.mark.attack("strict")
def test_a_message_is_read_as_numbers_and_never_as_objects() -> None:
    names = ("b", "a", "c")
    tree = Tree([3, 3, 4, 4, -1], [0, 0, 0, 1, 2], HeightKind.DISTANCE, names)
    read, notes = unpack_result(pack_result(tree, ["slow"]))
    assert (read, notes) == (tree, ["slow"])
    partition, _ = unpack_result(pack_result(Partition([0, 0, 1], names), []))
    assert np.array_equal(partition.labels, [0, 0, 1])
    assert partition.names == names
    with pytest.raises(ValueError, match="allow_pickle=False"):
        unpack_result(pack_result(np.array([{}], dtype=object), []))
    with pytest.raises((ValueError, HcbenchError, OSError)):
        unpack_result(b"cos\nsystem\n(S'true'\ntR.")


def test_a_first_use_in_the_process_of_the_algorithm_is_not_timed(tmp_path: Path) -> None:
    def late(oracle: Any, items: Any, rng: Any) -> Any:
        import os
        import sys
        from pathlib import Path

        if items.n > 12:
            Path("strictly_slow.py").write_text("import time\ntime.sleep(.5)\n")
            sys.path.append(os.getcwd())
            import strictly_slow  # type: ignore[import-not-found]  # noqa: F401
        with open("calls", "a") as file:
            file.write(f"{items.n} {os.getpid()}\n")
        called = [line.split() for line in Path("calls").read_text().splitlines()]
        oracle.report(
            calls_of_12=float(sum(size == "12" for size, _ in called)),
            calls_of_20=float(sum(size == "20" for size, _ in called)),
            processes=float(len({process for _, process in called})),
        )
        return np.arange(items.n) % 2

    spec = hcbench.AlgorithmSpec(
        name="late", function=late, doc="d", accepts=("vectors",), returns="partition"
    )
    (row,) = run(tmp_path / "s.sqlite", "strict", [spec], datasets=["iris[n=20]"])
    assert row["status"] == "ok", row["reason"]
    assert row["seconds"] < 0.5
    names = ("calls_of_12", "calls_of_20", "processes")
    assert [row["metrics"][f"{name} (reported)"] for name in names] == [1, 2, 1]
