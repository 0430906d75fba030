"""Stores in memory, which live as long as the results that read them."""

import gc
import sqlite3

import pytest

from hcbench.store import database
from hcbench.store.places import Place


def test_a_store_in_memory_is_closed_with_the_last_that_reads_it() -> None:
    engine = database._open_engine(Place())
    with engine.connect() as connection:
        of_driver = connection.connection.dbapi_connection
    assert isinstance(of_driver, sqlite3.Connection)
    of_driver.execute("SELECT 1")
    del engine, connection
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        of_driver.execute("SELECT 1")
