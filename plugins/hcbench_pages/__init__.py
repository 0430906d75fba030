"""HTML pages: the commands ``hcbench report``, of one run, and ``hcbench site``, of all runs.

`command` parses their options. `report` makes one page, and `site` a folder of pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hcbench import CommandSpec, hookimpl

if TYPE_CHECKING:
    from hcbench import Registry
    from hcbench.store import RunInfo, Store

MOST_TREES = 60


@hookimpl
def hcbench_commands() -> Iterable[CommandSpec]:
    """Return the commands ``report`` and ``site``."""
    report = "Write a report of a run: one HTML page."
    site = "Make a static site of the runs of a store."
    return [
        CommandSpec(name="report", function="hcbench_pages.command:report", doc=report),
        CommandSpec(name="site", function="hcbench_pages.command:site", doc=site),
    ]


def write_report(
    path: str | Path,
    store: Store,
    run: RunInfo,
    *,
    registry: Registry | None = None,
    trees: int = MOST_TREES,
    lead: Sequence[str | Sequence[Sequence[str]]] = (),
) -> None:
    """Write the report of a run.

    Parameters
    ----------
    path : path
        The file, which is replaced only if writing succeeds.
    store, run, registry, trees, lead
        As for `make_report`.

    Raises
    ------
    HcbenchError
        If the store cannot be read or the file cannot be written.
    """
    from hcbench_pages.report import make_report
    from hcbench_pages.report.page import write_whole

    text = make_report(store, run, registry=registry, trees=trees, lead=lead)
    write_whole(Path(path).expanduser(), text)
