"""The report: one self-contained HTML page of a run.

`sections` arranges the tables, `charts` and `trees` of a run as plain values, which the script of
the page shows. `figures` has what they share. `page` reads the run from the store, and renders the
template with the scripts and styles of ``assets``.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hcbench.registry import load_registry
from hcbench.show.report.page import (
    Contents,
    embed_figures,
    list_papers,
    list_sources,
    read_contents,
    render_report,
    write_whole,
)
from hcbench.show.report.sections import describe_page
from hcbench.show.report.trees import MOST_TREES, draw_trees

if TYPE_CHECKING:
    from hcbench.registry import Registry
    from hcbench.store import RunInfo, Store

__all__ = ["MOST_TREES", "Contents", "make_report", "read_contents", "write_report"]


def make_report(
    store: Store,
    run: RunInfo,
    *,
    registry: Registry | None = None,
    trees: int = MOST_TREES,
    assets: str = "",
) -> str:
    """The report of a run as one page.

    Parameters
    ----------
    store : Store
    run : RunInfo
    registry : Registry, optional
        Has the data sets whose truths are shown beside the trees, and the figures of suites; by
        default installed plugins.
    trees : int
        The most trees; their data are generated again.
    assets : str
        The folder of `page.shared_assets` relative to the page; by default all is in the page.

    Raises
    ------
    StoreError
        If the store cannot be read.
    """
    from hcbench.show.figures import FigureView

    contents = read_contents(store, run)
    registry = registry or load_registry()
    view = FigureView(contents.results, store, registry)
    drawn, without = draw_trees(view, trees)
    sources = list_sources(contents, registry)
    return render_report(
        contents,
        describe_page(contents, drawn, without if trees else ""),
        figures=embed_figures(view),
        sources=sources,
        papers=list_papers(contents, sources),
        assets=assets,
    )


def write_report(
    path: str | Path,
    store: Store,
    run: RunInfo,
    *,
    registry: Registry | None = None,
    trees: int = MOST_TREES,
) -> None:
    """Write the report of a run.

    Parameters
    ----------
    path : path
        The file, which is replaced only if writing succeeds.
    store, run, registry, trees
        As for `make_report`.

    Raises
    ------
    HcbenchError
        If the store cannot be read or the file cannot be written.
    """
    text = make_report(store, run, registry=registry, trees=trees)
    write_whole(Path(path).expanduser(), text)
