"""Results of a comparison from Python, with figures, a report and a form for notebooks."""

from __future__ import annotations

import importlib
import io
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from hcbench.analysis.tables import to_html
from hcbench.errors import DataNotAvailableError
from hcbench.model.problem import Problem, Result
from hcbench.pages import write_report
from hcbench.plan.outcome import Outcome
from hcbench.registry import load_registry
from hcbench.results.overviews import describe_numbers, make_tables
from hcbench.results.results import Results
from hcbench.run.record import Observer
from hcbench.store import Store


@dataclass(frozen=True, eq=False, repr=False)
class StoredResults(Results):
    """The results of a comparison that `hcbench.compare` or `hcbench.run_suite` has run.

    Attributes
    ----------
    store : path or URL, optional
        Where they are stored; None is the user's data directory.
    run : int
        The number of the run in the store.
    plugins : sequence of path
        Plugin files of the run.
    given : mapping of digest to Problem
        The data that were passed and are not registered, for figures.
    """

    store: str | Path | None = None
    run: int = 0
    plugins: Sequence[str | Path] = ()
    given: Mapping[str, Problem] = field(default_factory=dict)

    def _repr_html_(self) -> str:
        return to_html(make_tables(self), describe_numbers(self, "bold"))

    def results_of(self, outcomes: Iterable[Outcome]) -> list[Result | None]:
        """The result of each cell at its end, also if it was in the store already.

        Parameters
        ----------
        outcomes : iterable of Outcome
            Of these results.

        Returns
        -------
        list of Tree, Partition or None
            None where there is no result.
        """
        with Store(self.store) as opened:
            return [opened.result_of(outcome) for outcome in outcomes]

    def plot(
        self, kind: str, *, algorithm: str = "", dataset: str = "", oracle: str = "", **choices: Any
    ) -> Any:
        """Draw a figure, as ``hcbench plot`` does; it needs matplotlib (``hcbench[figures]``).

        Parameters
        ----------
        kind : {"ranks", "profile", "tradeoff", "curve", "scaling", "dendrogram", "tanglegram"}
        algorithm, dataset, oracle : str, optional
            Only the cells of this one; parameters with their defaults may be omitted.
        **choices
            As the options of ``hcbench plot``: ``metric``, ``x``, ``against``, ``failed``,
            ``alpha``, ``test``, ``by``, ``repetition``, ``checkpoint``, ``truth``.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        HcbenchError
            If there is nothing to draw, or an option is missing; the message lists the choices.
        """
        from hcbench.figures.drawing import Choices, draw
        from hcbench.figures.suites import FigureView

        outcomes = self.matching(algorithm, dataset, oracle)
        if not outcomes:
            given = ", ".join(name for name in (algorithm, dataset, oracle) if name)
            raise DataNotAvailableError(f"no cell is of {given}; {self!r}")
        registry = load_registry(self.plugins)
        with Store(self.store) as opened, registry.plugins.importable():
            chosen = replace(self, outcomes=outcomes)
            view = FigureView(chosen, opened, registry, self.given)
            figure: Any = draw(kind, view, Choices(**choices))
        figure._repr_png_ = partial(_png, figure)  # for notebooks
        return figure

    def report(
        self,
        path: str | Path = "report.html",
        *,
        lead: Sequence[str | Sequence[Sequence[str]]] = (),
    ) -> None:
        """Write the report of the run, one HTML page, as ``hcbench report`` does.

        Parameters
        ----------
        path : path
            An existing file is replaced.
        lead : sequence of str or of rows
            A title, and below it paragraphs and tables. The first row of a table has the names of
            the columns.
        """
        registry = load_registry(self.plugins)
        with Store(self.store) as opened, registry.plugins.importable():
            run = opened.run(self.run)
            write_report(path, opened, run, registry=registry, lead=lead)


def _png(figure: Any) -> bytes:
    """What a notebook shows, whether or not pyplot is loaded."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png")
    return stream.getvalue()


class Progress(Observer):
    """The number of finished cells in one line, on a terminal or in a notebook."""

    def __init__(self) -> None:
        self._total = self._done = self._failed = 0
        self._handle: Any = None

    def started(self, total: int, reused: int, left: Mapping[tuple[str, str], int]) -> None:  # noqa: ARG002
        """Show how many cells there are."""
        self._total, self._done = total, reused
        self._show()

    def finished(self, outcome: Any, seconds: float) -> None:  # noqa: ARG002
        """Count a finished cell."""
        self._done += 1
        self._failed += outcome.failed
        self._show()

    def _show(self) -> None:
        failed = f", {self._failed} failed" if self._failed else ""
        text = f"hcbench: {self._done} of {self._total} cells{failed}"
        if in_notebook():
            shown = {"text/plain": text}
            if self._handle is None:
                display = importlib.import_module("IPython.display").display
                self._handle = display(shown, raw=True, display_id=True)
            else:
                self._handle.update(shown, raw=True)
        else:
            end = "\n" if self._done == self._total else ""
            print(f"\r{text}", end=end, file=sys.stderr, flush=True)  # noqa: T201


def in_notebook() -> bool:
    """Whether this process runs the cells of a notebook."""
    shell = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"


def default_observer(progress: bool | None) -> Observer:
    """What follows a run; by default a line on a terminal or in a notebook."""
    shown = progress if progress is not None else sys.stderr.isatty() or in_notebook()
    return Progress() if shown else Observer()
