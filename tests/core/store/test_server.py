"""The store on a real PostgreSQL server, which is started here, also with outages."""

from __future__ import annotations

import itertools
import math
import threading
from pathlib import Path
from typing import Any

import pytest

from hcbench.errors import StoreError
from hcbench.model.cost import Cost
from hcbench.plan.outcome import ScoredPoint, Value
from hcbench.plan.plan import make_plan
from hcbench.registry import load_registry, with_defaults
from hcbench.registry.suite import Suite
from hcbench.run.options import RunOptions
from hcbench.run.record import Observer
from hcbench.run.run import run_plan
from hcbench.store import Store
from hcbench.store.exchange import describe_run, import_run
from hcbench.store.merge import merge_stores
from hcbench.store.tidying import tidy
from tests.core.forks import Fork
from tests.core.servers import IN_A_URL, PASSWORD, Server, can_serve
from tests.core.store.test_merge import contents, shard
from tests.core.store.test_store import (
    KEYS,
    TREE,
    bare,
    begin,
    make_outcome,
    row_of,
    save,
    write,
)
from tests.core.store.test_trouble import run_twice_at_once

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not can_serve(), reason="no PostgreSQL server is installed"),
]
PLUGIN = Path(__file__).parents[2] / "misbehaving.py"
ENERGY = "energy [J] (reported)"
_names = (f"base{number}" for number in itertools.count())


@pytest.fixture
def url(server: Server) -> str:
    return server.new(next(_names))


def test_a_server_stores_the_same_as_a_file(url: str) -> None:
    with Store(url) as store:
        run = begin(store)
        energy = Value(1.5)  # a cost without a column
        values = {"AARI": Value(math.nan), "seconds": Value(math.inf), ENERGY: energy}
        odd = (ScoredPoint(values=values),)
        outcomes = [make_outcome(0), make_outcome(1, points=odd, reason="\0\ud800")]
        for _ in range(2):
            save(store, run, outcomes)
        with Store(url) as other:
            found = other.find([o.key for o in outcomes], KEYS)
            second = begin(other)
            row, _ = other.link(second, found.column("row").tolist())
            other.save_values(second, row, outcomes[0].points, {"AARI": "a1", "seconds": "s1"})
            other.finish_run(second)
            assert (other.run(second).cells, other.run(second).reused) == (2, 2)
            assert len(other.outcomes(run=run, algorithm="upgma*", limit=1)) == 1
        read = [*found]
        assert read[0] == bare(outcomes[0])
        values = read[1].points[0].values
        assert math.isnan(values["AARI"].value or 0)
        assert values["seconds"] == Value(math.inf)
        assert values[ENERGY] == energy
        assert store.results_of(row)[0].result == TREE
        assert store.cell(outcomes[1].key)[0].reason == "\\0\\ud800"
        again = begin(store)
        save(store, again, [make_outcome(0, cost=Cost(seconds=9.0))], fresh=True)
        assert [o.cost.seconds for o, _ in store.outcomes(run=run)] == [0.25, 0.25]
        assert [o.cost.seconds for o, _ in store.outcomes(run=again)] == [9.0]
        assert store.cell(outcomes[0].key)[0].cost.seconds == 9.0
        with pytest.raises(StoreError) as caught:
            store.save_values(run, 999_999_999, outcomes[0].points, KEYS)
        assert "\n" not in str(caught.value)


def test_a_server_stores_what_a_failed_call_has_cost(url: str, tmp_path: Path) -> None:
    values = {"AARI": Value(None, "skipped", "error: no"), ENERGY: Value(12.5)}
    failure = make_outcome(0, status="error", reason="no", points=(ScoredPoint(values=values),))
    with Store(url) as server, Store(tmp_path / "s.sqlite") as file:
        for store in (server, file):
            run = begin(store)
            save(store, run, [failure])
            (read,) = store.find([failure.key], KEYS)
            assert read.points == failure.points
            described = describe_run(store, store.run(run))
        with Store(":memory:") as other:
            import_run(other, described, "the export")
            merge_stores(server, [other])
        (read,) = server.find([failure.key], KEYS)
        assert read.points == failure.points


def test_a_server_stores_paid_answers(url: str) -> None:
    query, cost = ((0, 1, 2), 0), Cost(price=0.5, tokens=20.0, latency=1.5, saved=0.25)
    with Store(url) as store:
        save(store, begin(store), [make_outcome(0, budget=100)])
        save(store, begin(store), [make_outcome(1, budget="5USD", cost=cost)])
        found = {outcome.budget: outcome.cost.price for outcome, _ in store.outcomes()}
        assert found == {100: None, "5USD": 0.5}
        store.save_reply("source", query, (2.5, 0.5, 10.0, 1.5, 0.9, 7))
        assert store.replies("source") == {query: (2.5, 0.5, 10.0, 1.5, 0.9, 7)}


def test_from_files_to_a_server_and_back_nothing_changes(url: str, tmp_path: Path) -> None:
    one, two = shard(tmp_path / "1", 1, range(3)), shard(tmp_path / "2", 2, range(3, 900))
    for target in (url, tmp_path / "direct"):
        with Store(target) as store, Store(one) as a, Store(two) as b:
            merge_stores(store, [a, b])
    with Store(url, read_only=True) as there, Store(tmp_path / "back") as here:
        merge_stores(here, [there])
    with Store(url) as there, Store(tmp_path / "back") as here:
        assert merge_stores(there, [here])[0].cells == 0
        assert describe_run(there, there.run(1), trees=True) == describe_run(
            here, here.run(1), trees=True
        )
    assert contents(tmp_path / "back") == contents(tmp_path / "direct")


def test_export_and_tidying_know_a_server(url: str) -> None:
    with Store(url) as store, Store(":memory:") as other:
        for _ in range(3):
            run = begin(store)
            big = make_outcome(0, log="x" * 100_000)
            save(store, run, [big, make_outcome(1)], fresh=True)
            store.finish_run(run)
        import_run(other, describe_run(store, store.run(2), trees=True), "it")
        assert other.results_of(row_of(other, make_outcome(1)))[0].result == TREE
        guess = tidy(store, keep_runs=1, dry_run=True)
        done = tidy(store, keep_runs=1)
        assert (guess.runs, guess.cells, guess.values) == (done.runs, done.cells, done.values)
        assert (done.runs, done.cells) == (2, 4)
        assert [run.id for run in store.runs()] == [3]
        assert len(store.outcomes(run=3)) == 2


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"password": "wrong"}, "password authentication failed for user"),
        ({"user": "nobody"}, "password authentication failed for user"),
        ({"database": "nowhere"}, 'database "nowhere" does not exist'),
        ({"port": "1"}, "Connection refused"),
    ],
)
def test_a_server_that_cannot_be_used_is_told_in_one_line_without_the_password(
    server: Server, wrong: dict[str, str], message: str
) -> None:
    url = server.url(
        wrong.get("database", "postgres"),
        user=wrong.get("user", "tester"),
        password=wrong.get("password", IN_A_URL),
    ).replace(str(server.port), wrong.get("port", str(server.port)))
    secret = wrong.get("password", IN_A_URL)
    for form in (url, url.replace(f":{secret}@", "@") + f"?password={secret}"):
        with pytest.raises(StoreError, match=message) as caught:
            Store(form)
        text = str(caught.value)
        assert text.startswith("postgresql://")
        assert "127.0.0.1" in text
        assert "\n" not in text
        assert PASSWORD not in text
        assert IN_A_URL not in text
        assert "wrong" not in text


def test_the_password_may_be_in_a_file_and_the_url_in_the_environment(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = server.url("postgres").replace(f":{IN_A_URL}@", "@")
    passwords = tmp_path / "pgpass"
    passwords.write_text(f"127.0.0.1:{server.port}:*:tester:{PASSWORD}\n")
    passwords.chmod(0o600)
    monkeypatch.setenv("HCBENCH_STORE", url)
    with pytest.raises(StoreError, match="no password supplied"):
        Store()
    monkeypatch.setenv("PGPASSFILE", str(passwords))
    with Store() as store:
        assert store.location == url


def test_a_database_of_others_is_shared_but_not_taken_for_a_store(server: Server) -> None:
    url = server.new("shared")
    server.ask("CREATE TABLE bookmarks (url text)", "shared")
    with Store(url) as store:
        begin(store)
        assert len(store.runs()) == 1
    url = server.new("other")
    server.ask("CREATE TABLE cells (prisoner text)", "other")
    with pytest.raises(StoreError, match="not a store of hcbench"):
        Store(url)


# ---- Outages -------------------------------------------------------------------------------------


def test_a_database_without_an_encoding_keeps_names_of_any_script(server: Server) -> None:
    name = next(_names)
    server.ask(f"CREATE DATABASE \"{name}\" ENCODING 'SQL_ASCII' TEMPLATE template0")
    with Store(server.url(name)) as store:
        run = begin(store)
        save(store, run, [make_outcome(0, dataset="Köln 市")])
        assert [outcome.dataset for outcome, _ in store.outcomes()] == ["Köln 市"]


def kill_connections(server: Server) -> None:
    server.ask(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
    )


def test_a_connection_that_is_killed_is_made_again(server: Server, url: str) -> None:
    with Store(url) as store:
        run = begin(store)
        for number in range(5):
            kill_connections(server)
            save(store, run, [make_outcome(number)])
        kill_connections(server)
        assert [o.repetition for o, _ in store.outcomes(run=run)] == list(range(5))


def test_a_transaction_that_is_killed_is_done_again_and_once(server: Server, url: str) -> None:
    from sqlalchemy import event

    with Store(url) as store:
        run = begin(store)
        save(store, run, [make_outcome(0)])
        killed: list[str] = []

        def kill(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
            if "INSERT INTO run_cells" in statement and not killed:
                killed.append(statement)
                kill_connections(server)

        event.listen(store.database.engine, "before_cursor_execute", kill)
        save(store, run, [make_outcome(1)], fresh=True)
        assert killed
        assert [o.repetition for o, _ in store.outcomes(run=run)] == [0, 1]


def test_a_run_waits_for_a_server_that_returns(
    server: Server, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with Store(url) as store:
        run = begin(store)
        server.stop()
        again = threading.Timer(0.5, server.start)
        again.start()
        save(store, run, [make_outcome(0)])
        again.join()
        assert len(store.outcomes()) == 1
    waiting, back = capsys.readouterr().err.splitlines()
    assert waiting.endswith("waiting for the store for up to 30 s")
    assert "is back after" in back


def test_a_server_that_does_not_return_ends_the_run(
    server: Server, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with Store(url) as store:
        store.database.longest_wait = 0.3
        run = begin(store)
        server.stop()
        try:
            with pytest.raises(StoreError, match=r"check the URL and the server") as caught:
                save(store, run, [make_outcome(0)])
            store.database.longest_wait = 3600  # which is over
            with pytest.raises(StoreError):
                store.finish_run(run)
        finally:
            server.start()
        save(store, run, [make_outcome(0)])
        assert len(store.outcomes()) == 1
    assert "\n" not in str(caught.value)
    assert IN_A_URL not in str(caught.value)
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_run_whose_server_was_away_too_long_is_resumed(server: Server, url: str) -> None:
    registry = load_registry([PLUGIN])
    suite = Suite(
        name="away",
        algorithms=("draws", "good"),
        datasets=("numbers",),
        metrics=("leaves",),
        repetitions=100,
    )
    plan = make_plan(with_defaults(suite, registry), registry)

    class Pull(Observer):
        """Stops the server when the first cell is stored."""

        seen = 0

        def finished(self, *_: object) -> None:
            self.seen += 1
            if self.seen == 1:
                server.stop()

    try:
        with Store(f"{url}?connect_timeout=2") as store:
            store.database.longest_wait = 0.2
            with pytest.raises(StoreError, match="check the URL and the server"):
                run_plan(plan, registry.plugins, store, RunOptions(jobs=1), Pull())
    finally:
        server.start()
    with Store(url) as store:
        again = run_plan(plan, registry.plugins, store, RunOptions(jobs=1))
        assert 1 <= sum(outcome.reused for outcome in again) < 200
        assert len(store.outcomes()) == len({o.key for o, _ in store.outcomes()}) == 200
        assert [run.finished is None for run in store.runs()] == [True, False]


def test_two_processes_that_measure_the_same_cells_keep_each_once(server: Server) -> None:
    name = next(_names)
    url = server.new(name)
    for writer in [Fork(write, url, 0, 60) for _ in range(2)]:
        writer.wait()
    with Store(url) as store:
        assert [run.cells for run in store.runs()] == [60, 60]
    assert server.ask("SELECT count(*) FROM cells", name) == [(60,)]


def test_two_runs_of_one_suite_at_once_both_finish_and_keep_each_cell_once(server: Server) -> None:
    name = next(_names)
    run_twice_at_once(server.new(name), repetitions=10)
    with Store(server.url(name)) as store:
        assert [(run.cells, run.finished is None) for run in store.runs()] == [(20, False)] * 2
    assert server.ask("SELECT count(*), count(DISTINCT key) FROM cells", name) == [(20, 20)]
