"""The report: one page of HTML that shows a run, and needs nothing else to be read.

`contents` reads what is to be said from the store: `cells` and their means, the `axes` along which
they differ, `standings`, and the `forest` of trees. `page` puts it into a template, with the
scripts and styles of ``assets`` beside it; figures are drawn by the reader's browser.
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
    """All that a report says of a run.

    Parameters
    ----------
    store : Store
    run : RunInfo
    registry : Registry, optional
        Of the data sets whose truths are shown beside the trees; by default what is installed.
    trees : int
        How many trees are shown at most. For these the data are made again.

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
        Of the page; it is replaced as a whole, or left as it was.
    store, run, registry, trees
        As those of `gather_contents`.

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
