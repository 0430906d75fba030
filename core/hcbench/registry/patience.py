"""Naming a plugin whose import does not end."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 10.0  # seconds


@contextmanager
def named_if_slow(name: str, patience: float = PATIENCE) -> Iterator[None]:
    """Say on stderr which plugin is imported, if a block takes longer than some seconds."""
    timer = threading.Timer(patience, _name, (name, patience))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _name(name: str, patience: float) -> None:
    line = (
        f"the plugin {name} is still being imported after {patience:g} s; Ctrl-C ends the program"
    )
    if sys.stderr is not None:
        sys.stderr.write(f"hcbench: {line}\n")
        sys.stderr.flush()
