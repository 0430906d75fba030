"""What several files share."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.core.servers import Server, a_server


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A PostgreSQL server; it starts when it is first needed."""
    with a_server() as started:
        yield started


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that all users may enter.

    It is not in pytest's own folder, which each pytest that begins closes to other users.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
