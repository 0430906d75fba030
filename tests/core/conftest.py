"""What several files share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.core.servers import Server, a_server


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A PostgreSQL server; it starts when it is first needed."""
    with a_server() as started:
        yield started
