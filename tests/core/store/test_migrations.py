"""Stores of earlier schemas are upgraded, and nothing of them is lost, even by a kill."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from hcbench.cli import main
from hcbench.errors import StoreError
from hcbench.store import Store, schema
from hcbench.store.codec import decode_result
from hcbench.store.database import Database
from hcbench.store.migrations import (
    FIRST_SCHEMA,
    MIGRATIONS,
    Migration,
    create_schema,
    newest_schema,
)
from hcbench.store.places import find_place
from hcbench.store.schema import SCHEMA_VERSION, create_tables
from tests.core.forks import Fork
from tests.core.servers import Server, can_serve
from tests.core.store.test_store import begin, make_outcome, save

SCHEMAS = Path(__file__).parent / "schemas"
EARLIER = range(FIRST_SCHEMA, SCHEMA_VERSION)

# ---- Two migrations that a later version might have ----------------------------------------------


def add_energy(connection: sa.Connection) -> None:
    connection.exec_driver_sql("ALTER TABLE cells ADD COLUMN energy FLOAT")
    # In parts, between any two of which a process may be killed.
    for part in range(10):
        connection.exec_driver_sql(
            "UPDATE cells SET energy = 2 * seconds "
            f"WHERE repetition BETWEEN {300 * part} AND {300 * part + 299}"
        )


def replace_replies(connection: sa.Connection) -> None:
    """A table is replaced by one with other columns."""
    connection.exec_driver_sql(
        "CREATE TABLE answers (source VARCHAR(40), question VARCHAR(255), at BIGINT, code FLOAT, "
        "PRIMARY KEY (source, question, at))"
    )
    connection.exec_driver_sql(
        'INSERT INTO answers SELECT source, "query", time, code FROM replies'
    )
    connection.exec_driver_sql("DROP TABLE replies")


LATER = (
    *MIGRATIONS,
    Migration("cells have an energy", add_energy),
    Migration("answers have fewer columns", replace_replies),
)


def rows_of(engine: sa.Engine) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables, as they are stored."""
    with engine.connect() as connection:
        rows = {}
        for name in sa.inspect(connection).get_table_names():
            selected = connection.exec_driver_sql(f"SELECT * FROM {name}")
            rows[name] = sorted(map(tuple, selected), key=repr)
    return rows


def rows_at(url: str | Path) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of a store, which is not upgraded."""
    engine = sa.create_engine(f"sqlite:///{url}")
    if isinstance(url, str):
        engine = sa.create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    try:
        return rows_of(engine)
    finally:
        engine.dispose()


def fill(url: str | Path) -> None:
    """A store with 1,000 cells, paid answers, and a run of each kind."""
    with Store(url) as store:
        complete = begin(store)
        save(store, complete, [make_outcome(number) for number in range(1000)])
        store.finish_run(complete)
        failed = begin(store)
        save(store, failed, [make_outcome(2000, status="error", reason="no", points=())])
        store.finish_run(failed, interrupted=True)
        reusing = begin(store)
        rows = store.find([make_outcome(number).key for number in range(5)]).column("row")
        store.link(reusing, rows.tolist())
        store.finish_run(reusing)
        begin(store)  # one that was killed
        for time in range(3):
            reply = (2, 0.05, 51, 0.5, float("nan"), -1)
            store.save_reply("crowd", ((0, 1, 2), time), reply)


def check_upgraded(
    before: dict[str, list[tuple[Any, ...]]], after: dict[str, list[tuple[Any, ...]]]
) -> None:
    """Everything is there, in the tables to which the two migrations lead."""
    unchanged = ("runs", "points", "metric_values", "run_cells", "summaries")
    assert {name: after[name] for name in unchanged} == {name: before[name] for name in unchanged}
    assert [row[:-1] for row in after["cells"]] == before["cells"]
    seconds = [column.name for column in schema.cells.c].index("seconds")
    for row in after["cells"]:
        assert row[-1] == (None if row[seconds] is None else 2 * row[seconds])
    assert after["answers"] == [row[:4] for row in before["replies"]]
    assert "replies" not in after
    assert ("hcbench schema", str(newest_schema(LATER))) in after["meta"]


# ---- Stores of each earlier schema ---------------------------------------------------------------


def test_there_is_a_store_of_each_earlier_schema() -> None:
    assert [path.name for path in sorted(SCHEMAS.glob("*.sqlite"))] == [
        f"schema_{number}.sqlite" for number in EARLIER
    ]


@pytest.mark.parametrize("number", EARLIER)
def test_a_store_of_an_earlier_schema_is_upgraded_and_kept(
    number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    original = SCHEMAS / f"schema_{number}.sqlite"
    path = tmp_path / "results.sqlite"
    shutil.copyfile(original, path)
    with Store(path) as store:
        infos = store.runs()
        assert [(info.cells, info.reused, info.failed) for info in infos] == [
            (4, 0, 0),
            (2, 1, 1),
            (4, 4, 0),
        ]
        assert infos[0].name == "first"
        assert len(store.replies("crowd")) == 2
        outcome, _ = store.outcomes(run=1, algorithm="UPGMA")[0]
        assert outcome.points[-1].values["dasgupta"].value == pytest.approx(535, abs=5)
        save(store, begin(store), [make_outcome()])
    copy = tmp_path / f"results.sqlite.schema{number}"
    assert rows_at(copy) == rows_at(original)
    (line,) = capsys.readouterr().err.splitlines()
    assert f"(schema {number}); it is upgraded to schema {SCHEMA_VERSION}" in line
    assert copy.name in line
    with Store(path) as store:
        assert len(store.runs()) == 4
    assert not capsys.readouterr().err, "the second time there is nothing to upgrade"


@pytest.mark.parametrize("number", EARLIER)
def test_a_store_that_is_only_read_stays_as_it_is(number: int, tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    shutil.copyfile(SCHEMAS / f"schema_{number}.sqlite", path)
    content = path.read_bytes()
    with Store(path, read_only=True) as store:
        assert len(store.runs()) == 3
        with pytest.raises(StoreError, match="cannot be written"):
            begin(store)
    assert path.read_bytes() == content
    assert [file.name for file in tmp_path.iterdir()] == ["results.sqlite"]


@pytest.mark.parametrize("number", EARLIER)
def test_an_export_of_an_earlier_schema_is_imported(number: int, tmp_path: Path) -> None:
    path = str(tmp_path / "results.sqlite")
    file = str(SCHEMAS / f"schema_{number}.json")
    done = CliRunner().invoke(main, ["results", "import", file, "--store", path])
    assert done.exit_code == 0, done.output
    with Store(path) as store:
        (info,) = store.runs()
        assert (info.name, info.cells) == ("first", 4)
        with store.database.reading() as connection:
            results = connection.execute(sa.select(schema.points.c.result)).scalars().all()
    trees = [decode_result(result) for result in results]
    assert [len(tree.names or range(tree.n)) for tree in trees] == [12] * 4


def test_migrations_lead_to_the_tables_of_a_new_store() -> None:
    """Otherwise an upgraded store would differ from a new one."""
    described = []
    for is_new in (True, False):
        engine = sa.create_engine("sqlite://")
        with engine.begin() as connection:
            if is_new:
                create_tables(connection)
            else:
                create_schema(connection, SCHEMA_VERSION)
        tables = {}
        inspector = sa.inspect(engine)
        for name in inspector.get_table_names():
            columns = [
                (column["name"], str(column["type"]), column["nullable"])
                for column in inspector.get_columns(name)
            ]
            references = sorted(
                (key["constrained_columns"], key["referred_table"], key["options"])
                for key in inspector.get_foreign_keys(name)
            )
            indices = sorted((i["name"], i["column_names"]) for i in inspector.get_indexes(name))
            key = inspector.get_pk_constraint(name)["constrained_columns"]
            tables[name] = (columns, key, references, indices)
        described.append(tables)
    assert described[0] == described[1]


# ---- Later schemas -------------------------------------------------------------------------------


def test_a_store_of_a_later_version_names_it(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    fill_small(path)
    Database(find_place(path), migrations=LATER).close()
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE meta SET value = '0.7.0.dev3+g12' WHERE name = 'hcbench version'")
    raw.close()
    message = (
        r"was written by hcbench 0\.7\.0\.dev3\+g12 .*: pip install 'hcbench>=0\.7\.0', or give"
    )
    with pytest.raises(StoreError, match=message):
        Store(path)


@pytest.mark.parametrize("writer", ["1; touch PWNED", "$(id)", "1'"])
def test_the_command_of_a_strangers_store_can_be_pasted(tmp_path: Path, writer: str) -> None:
    path = tmp_path / "results.sqlite"
    fill_small(path)
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE meta SET value = '99' WHERE name = 'hcbench schema'")
        raw.execute("UPDATE meta SET value = ? WHERE name = 'hcbench version'", [writer])
    raw.close()
    with pytest.raises(StoreError, match="pip install --upgrade hcbench, or give"):
        Store(path)


def fill_small(path: Path) -> None:
    with Store(path) as store:
        save(store, begin(store), [make_outcome()])


@pytest.mark.parametrize("text", ["1", "x", ""])
def test_a_schema_that_never_was_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "results.sqlite"
    fill_small(path)
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE meta SET value = ? WHERE name = 'hcbench schema'", [text])
    raw.close()
    with pytest.raises(StoreError, match="give another place with --store"):
        Store(path)


# ---- Interrupted upgrades ------------------------------------------------------------------------


def upgrade_until(told: TextIO, url: str | Path, last_statement: int) -> None:
    """Upgrade a store, and be killed before a statement."""
    executed = 0

    def count(*_: object) -> None:
        nonlocal executed
        executed += 1
        if executed > last_statement:
            os.kill(os.getpid(), signal.SIGKILL)

    sa.event.listen(sa.Engine, "before_cursor_execute", count)
    Database(find_place(url), migrations=LATER).close()
    told.write("done\n")


def upgrade_with_kills(url: str | Path, statements: Sequence[int]) -> int:
    """Upgrade a store, killed before some statements; how often it was."""
    killed = 0
    before = rows_at(url)
    for last_statement in statements:
        fork = Fork(upgrade_until, url, last_statement)
        if fork.end():
            break
        assert os.waitstatus_to_exitcode(fork.status) == -signal.SIGKILL
        left = rows_at(url)
        if "answers" in left:
            # It was killed after the end of the transaction.
            break
        killed += 1
        for name, rows in before.items():
            assert left[name] == rows, f"killed before statement {last_statement + 1}"
    Database(find_place(url), migrations=LATER).close()
    check_upgraded(before, rows_at(url))
    return killed


@pytest.mark.slow
def test_an_upgrade_that_is_killed_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    fill(path)
    before = rows_at(path)
    assert upgrade_with_kills(path, range(60)) >= 20
    assert rows_at(tmp_path / f"results.sqlite.schema{SCHEMA_VERSION}") == before


@pytest.mark.slow
@pytest.mark.skipif(not can_serve(), reason="no PostgreSQL server is installed")
def test_an_upgrade_on_a_server_that_is_killed_loses_nothing(server: Server) -> None:
    url = server.new()
    fill(url)
    before = rows_at(url)
    assert upgrade_with_kills(url, range(200)) >= 20
    after = rows_at(url)
    for name, rows in before.items():
        assert after[f"schema{SCHEMA_VERSION}_{name}"] == rows


def test_a_migration_that_fails_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    fill_small(path)
    before = rows_at(path)

    def fail(connection: sa.Connection) -> None:
        connection.exec_driver_sql("DELETE FROM points")
        connection.exec_driver_sql("INSERT INTO nowhere VALUES (1)")

    with pytest.raises(StoreError, match="nowhere"):
        Database(find_place(path), migrations=(*MIGRATIONS, Migration("fails", fail)))
    assert rows_at(path) == before


def test_a_migration_that_breaks_references_is_undone(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    fill_small(path)
    before = rows_at(path)

    def drop_runs(connection: sa.Connection) -> None:
        connection.exec_driver_sql("DELETE FROM runs")

    with pytest.raises(StoreError, match="refers to one of runs that is missing"):
        Database(find_place(path), migrations=(*MIGRATIONS, Migration("breaks", drop_runs)))
    assert rows_at(path) == before


def test_without_room_for_the_copy_nothing_is_changed(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    fill_small(path)
    before = rows_at(path)
    # A folder of that name cannot be replaced by a file.
    (tmp_path / f"results.sqlite.schema{SCHEMA_VERSION}" / "full").mkdir(parents=True)
    with pytest.raises(StoreError):
        Database(find_place(path), migrations=LATER)
    assert rows_at(path) == before
    assert not list(tmp_path.glob("*.unfinished"))


def test_two_processes_upgrade_once(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    fill_small(path)
    before = rows_at(path)

    def upgrade(told: TextIO) -> None:
        Database(find_place(path), migrations=LATER).close()
        told.write("done\n")

    forks = [Fork(upgrade) for _ in range(4)]
    assert [fork.wait() for fork in forks] == ["done\n"] * 4
    check_upgraded(before, rows_at(path))
    assert rows_at(tmp_path / f"results.sqlite.schema{SCHEMA_VERSION}") == before
