"""HTML pages that need no network: the report of one run, and the site of all runs of a store.

`report` makes one page, and `site` a folder of pages. Every number comes from `hcbench.analysis`;
the scripts of a page sort, filter and switch.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hcbench.registry import Registry
    from hcbench.store.rows import RunInfo
    from hcbench.store.store import Store

MOST_TREES = 60


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
    from hcbench.pages.report import make_report
    from hcbench.pages.report.page import write_whole

    text = make_report(store, run, registry=registry, trees=trees, lead=lead)
    write_whole(Path(path).expanduser(), text)
