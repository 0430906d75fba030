"""The report: one self-contained HTML page of a run.

`sections` arranges the tables, `charts` and `trees` of a run as plain values, which the script of
the page shows. `figures` has what they share. `page` reads the run from the store, and renders the
template with the scripts and styles of ``assets``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hcbench.pages import MOST_TREES
from hcbench.pages.report.contents import Contents, read_contents
from hcbench.pages.report.page import (
    embed_figures,
    list_papers,
    list_sources,
    render_report,
    write_whole,
)
from hcbench.pages.report.places import without_paths
from hcbench.pages.report.sections import describe_page
from hcbench.pages.report.trees import draw_trees
from hcbench.registry import load_registry

if TYPE_CHECKING:
    from hcbench.registry import Registry
    from hcbench.store.rows import RunInfo
    from hcbench.store.store import Store

__all__ = ["Contents", "make_report", "read_contents", "write_report"]


def make_report(
    store: Store,
    run: RunInfo | Contents,
    *,
    registry: Registry | None = None,
    trees: int = MOST_TREES,
    lead: Sequence[str | Sequence[Sequence[str]]] = (),
    assets: str = "",
) -> str:
    """The report of a run as one page.

    Parameters
    ----------
    store : Store
    run : RunInfo or Contents
        Also one that has been read already.
    registry : Registry, optional
        Has the data sets whose truths are shown beside the trees, and the figures of suites; by
        default installed plugins.
    trees : int
        The most trees; their data are generated again.
    lead : sequence of str or of rows
        A title, and below it paragraphs and tables. The first row of a table has the names of the
        columns.
    assets : str
        The folder of `page.shared_assets` relative to the page; by default all is in the page.

    Raises
    ------
    StoreError
        If the store cannot be read.
    """
    from hcbench.figures.view import FigureView

    contents = run
    if not isinstance(contents, Contents):
        contents = read_contents(store, contents)
    if registry is None:
        registry = load_registry()
    view = FigureView(contents.results, store, registry, _names=contents.names)
    tree_figures, excluded = draw_trees(view, trees)
    # Whoever wants no trees knows that they are not shown.
    if not trees:
        excluded = ""
    sources = list_sources(contents, registry)
    return render_report(
        contents,
        describe_page(contents, tree_figures, excluded),
        figures=embed_figures(view),
        sources=sources,
        papers=list_papers(contents, sources),
        lead=list(map(_without_paths, lead)),
        assets=assets,
    )


def _without_paths(part: str | Sequence[Sequence[str]]) -> str | list[list[str]]:
    """A part of the lead of a report, a paragraph or a table."""
    if isinstance(part, str):
        return without_paths(part)
    rows = []
    for row in part:
        rows.append(list(map(without_paths, row)))
    return rows


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
    text = make_report(store, run, registry=registry, trees=trees, lead=lead)
    write_whole(Path(path).expanduser(), text)
