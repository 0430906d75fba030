"""The figures of a suite, drawn from its results, stored trees and data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from hcbench.errors import DataNotAvailableError, HcbenchError
from hcbench.figures.plots import style
from hcbench.figures.suite_curves import add_claims, draw_curves
from hcbench.figures.view import FigureView
from hcbench.registry import load_registry
from hcbench.run.failures import describe
from hcbench.store.store import Store

if TYPE_CHECKING:
    import matplotlib.figure

    from hcbench.registry.figure import Figure
    from hcbench.results.results import Results

FORMATS = ("svg", "png", "pdf")
Format = Literal["svg", "png", "pdf"]
#: Without the creation time, so that equal drawings give equal files.
_METADATA: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A figure that was drawn, or the reason why not.

    Attributes
    ----------
    name : str
    path : Path or None
        The file; None if it could not be drawn.
    reason : str
        Why it could not be drawn.
    failed : bool
        Whether its function failed, as opposed to missing data.

    Examples
    --------
    >>> chain = np.array([[0.0], [1.1], [2.2], [3.3], [4.9], [5.2]])
    >>> data = {"chain": (chain, [0, 0, 0, 0, 1, 1])}
    >>> results = hcbench.compare(
    ...     ["Single", "Complete"], data, metrics=["AARI"], repetitions=1, progress=False
    ... )
    >>> figure = hcbench.Figure(name="noise", doc="Noise.", x="dataset.noise", metric="AARI")
    >>> (drawn,) = hcbench.figures.draw_figures(results, "figures", figures=[figure])
    >>> drawn.path is None, drawn.failed
    (True, False)
    >>> drawn.reason
    'AARI was not measured against dataset.noise'
    """

    name: str
    path: Path | None = None
    reason: str = ""
    failed: bool = False


def draw_figures(
    results: Results,
    folder: str | Path,
    *,
    format: Format = "svg",  # noqa: A002
    figures: Sequence[Figure] | None = None,
    store: Store | str | Path | None = None,
    plugins: Sequence[str | Path] = (),
) -> list[Drawn]:
    """Draw the figures of a suite into files; figures that cannot be drawn are skipped.

    Parameters
    ----------
    results : Results
    folder : path
        Created if missing.
    format : {"svg", "png", "pdf"}
        Fonts are embedded.
    figures : sequence of Figure, optional
        By default those of the suite of the results.
    store : Store, path or URL, optional
        Where the results are stored; by default as for `compare`.
    plugins : sequence of path
        Plugin files with the data sets.

    Returns
    -------
    list of Drawn

    Raises
    ------
    HcbenchError
        If the format is unknown, or the folder cannot be created.

    Examples
    --------
    >>> chain = np.array([[0.0], [1.1], [2.2], [3.3], [4.9], [5.2]])
    >>> data = {"chain": (chain, [0, 0, 0, 0, 1, 1])}
    >>> results = hcbench.compare(
    ...     ["Single", "Complete"], data, metrics=["AARI"], repetitions=1, progress=False
    ... )
    >>> def draw(view):
    ...     return hcbench.figures.dendrogram_figure(view.tree("Single", "chain"))
    >>> figure = hcbench.Figure(name="tree", doc="The tree of chain.", function=draw)
    >>> drawn = draw_figures(results, "figures", figures=[figure])
    >>> [(item.name, item.path.name) for item in drawn]
    [('tree', 'tree.svg')]
    """
    if format not in FORMATS:
        raise HcbenchError(f"figures are written as {', '.join(FORMATS)}; got {format!r}")
    target = make_folder(folder)
    if figures is None:
        figures = results.suite.figures
    opened = store
    if not isinstance(opened, Store):
        opened = Store(opened)
    try:
        view = FigureView(results, opened, load_registry(plugins))
        return [draw_figure(figure, view, target, format) for figure in figures]
    finally:
        # That of the caller stays open.
        if opened is not store:
            opened.close()


def make_folder(folder: str | Path) -> Path:
    """Create a folder if it is missing.

    Examples
    --------
    >>> make_folder("figures/of_paper").is_dir()
    True
    """
    path = Path(folder).expanduser()
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HcbenchError.of_file("write", path, error) from error
    return path


def draw_figure(figure: Figure, view: FigureView, folder: Path, form: str) -> Drawn:
    """Draw one figure of a suite into a folder.

    Examples
    --------
    >>> chain = np.array([[0.0], [1.1], [2.2], [3.3], [4.9], [5.2]])
    >>> data = {"chain": (chain, [0, 0, 0, 0, 1, 1])}
    >>> results = hcbench.compare(
    ...     ["Single", "Complete"], data, metrics=["AARI"], repetitions=1, progress=False
    ... )
    >>> from pathlib import Path
    >>> def draw(view):
    ...     return hcbench.figures.dendrogram_figure(view.tree("Single", "chain"))
    >>> figure = hcbench.Figure(name="tree", doc="The tree of chain.", function=draw)
    >>> with hcbench.store.Store() as store:
    ...     view = hcbench.figures.FigureView(results, store, hcbench.load_registry())
    ...     drawn = draw_figure(figure, view, Path("."), "svg")
    >>> drawn.path.name, drawn.failed
    ('tree.svg', False)
    """
    path = folder / f"{figure.name}.{form}"
    try:
        with style():
            import matplotlib.figure

            if figure.function:
                function = view.function(figure)
                drawn = function(view)
            else:
                drawn = draw_curves(figure, view)
            if not isinstance(drawn, matplotlib.figure.Figure):
                raise HcbenchError(
                    f"its function must return a matplotlib figure, got {type(drawn).__name__}"
                )
            add_claims(drawn, figure, view.results)
        write_figure(drawn, path, form)
    except DataNotAvailableError as error:
        return Drawn(name=figure.name, reason=describe(error))
    except Exception as error:  # an error in one figure must not stop the others
        return Drawn(name=figure.name, reason=describe(error), failed=True)
    return Drawn(name=figure.name, path=path)


def write_figure(drawn: matplotlib.figure.Figure, path: Path, form: str) -> None:
    """Write a figure; equal drawings give equal files.

    Examples
    --------
    >>> from pathlib import Path
    >>> tree = hcbench.Tree.from_newick("((a:1,b:1):2,c:3);")
    >>> figure = hcbench.figures.dendrogram_figure(tree)
    >>> write_figure(figure, Path("tree.svg"), "svg")
    >>> Path("tree.svg").read_text()[:5]
    '<?xml'
    """
    with style():
        drawn.savefig(path, format=form, bbox_inches="tight", metadata=_METADATA.get(form, {}))
