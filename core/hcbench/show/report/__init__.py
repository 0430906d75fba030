"""The report: one self-contained HTML page of a run.

`contents` reads the run from the store: `cells` and their means, the `axes` along which they vary,
`standings`, and the `forest` of trees. `page` renders the template with the scripts and styles of
``assets``; the browser draws the figures.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hcbench.show.report.contents import Contents, read_contents, with_trees
from hcbench.show.report.forest import MOST_TREES
from hcbench.show.report.page import render_report, write_whole

if TYPE_CHECKING:
    from hcbench.registry import Registry
    from hcbench.store import RunInfo, Store

__all__ = ["MOST_TREES", "Contents", "gather_contents", "read_contents", "write_report"]


def gather_contents(
    store: Store, run: RunInfo, registry: Registry | None = None, trees: int = MOST_TREES
) -> Contents:
    """The contents of the report of a run.

    Parameters
    ----------
    store : Store
    run : RunInfo
    registry : Registry, optional
        Has the data sets whose truths are shown beside the trees; by default installed plugins.
    trees : int
        The most trees; their data are generated again.

    Raises
    ------
    StoreError
        If the store cannot be read.
    """
    contents = read_contents(store, run)
    if not trees:
        return contents
    from hcbench.registry import load_registry
    from hcbench.show.figures import FigureView
    from hcbench.show.report.forest import gather_forest

    view = FigureView(contents.results, store, registry or load_registry())
    return with_trees(contents, gather_forest(contents.results, store, view, trees))


def write_report(
    path: str | Path,
    store: Store,
    run: RunInfo,
    *,
    registry: Registry | None = None,
    trees: int = MOST_TREES,
) -> Contents:
    """Write the report of a run.

    Parameters
    ----------
    path : path
        The file, which is replaced only if writing succeeds.
    store, run, registry, trees
        As for `gather_contents`.

    Returns
    -------
    Contents
        What was written.

    Raises
    ------
    HcbenchError
        If the store cannot be read or the file cannot be written.
    """
    contents = gather_contents(store, run, registry, trees)
    write_whole(Path(path).expanduser(), render_report(contents))
    return contents
