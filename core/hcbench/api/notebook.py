"""Results of a comparison from Python, with figures, a report and a form for notebooks."""

from __future__ import annotations

import importlib
import io
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from hcbench.analysis.tables import to_html
from hcbench.errors import DataNotAvailableError, ModelWarning
from hcbench.model.arguments import whole_number
from hcbench.model.cost import Budget, read_budget
from hcbench.model.problem import Problem, Result
from hcbench.model.trees import Tree
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
    in_memory : Store, optional
        The store itself if it is in memory.
    run : int
        The number of the run in the store.
    plugins : sequence of path
        Plugin files of the run.
    problems : mapping of digest to Problem
        The data that were passed and are not registered, for figures.
    """

    store: str | Path | None = None
    in_memory: Store | None = field(default=None, repr=False, compare=False)
    run: int = 0
    plugins: Sequence[str | Path] = ()
    problems: Mapping[str, Problem] = field(default_factory=dict)

    def _repr_html_(self) -> str:
        return to_html(make_tables(self), describe_numbers(self, "bold"))

    def _opened_store(self) -> AbstractContextManager[Store]:
        """The store of these results, which is closed afterwards unless it is in memory."""
        if self.in_memory is not None:
            return nullcontext(self.in_memory)
        return Store(self.store)

    def results_of(self, outcomes: Iterable[Outcome]) -> list[Result | None]:
        """The result of each cell at its end, also if it was in the store already.

        Parameters
        ----------
        outcomes : iterable of Outcome
            Outcomes of these results.

        Returns
        -------
        list of Tree, Partition or None
            None where there is no result.
        """
        with self._opened_store() as store:
            return [store.result_of(outcome) for outcome in outcomes]

    def tree(
        self,
        algorithm: str = "",
        dataset: str = "",
        *,
        oracle: str = "",
        budget: Budget | None = None,
        repetition: int = 0,
        checkpoint: int | None = None,
    ) -> Tree:
        """The tree of one cell, with the names of its items, as ``hcbench tree`` writes it.

        It is fitted again from its seeds, with a `ModelWarning`, if it is not stored.

        Parameters
        ----------
        algorithm, dataset, oracle : str, optional
            The algorithm, data set and oracle of the cell; those of the only one may be omitted,
            and so may parameters with their defaults.
        budget : int or str, optional
            The budget, if there are several.
        repetition : int
            The repetition, from 0.
        checkpoint : int, optional
            The result after this many queries; by default the final one.

        Returns
        -------
        Tree
            `hcbench.write_tree` writes it as Newick, Nexus, a linkage matrix or JSON.

        Raises
        ------
        HcbenchError
            If several cells match, or none, or the result is not a tree.
        """
        from hcbench.api.trees import tree_of_cell
        from hcbench.figures.view import FigureView

        selected = self._selected(algorithm, dataset, oracle, budget)
        repetition = whole_number(repetition, "repetition", least=0)
        registry = load_registry(self.plugins)
        with self._opened_store() as store, registry.plugins.importable():
            fitted = tree_of_cell(
                selected,
                store,
                registry,
                view=FigureView(selected, store, registry, self.problems),
                repetition=repetition,
                checkpoint=checkpoint,
            )
        # At the line of the caller, so that each of his calls is warned of.
        for note in fitted.notes:
            warnings.warn(note, ModelWarning, stacklevel=2)
        return fitted.tree

    def _selected(
        self, algorithm: str, dataset: str, oracle: str, budget: Budget | None = None
    ) -> StoredResults:
        """The results of some cells.

        Raises
        ------
        DataNotAvailableError
            If there are none.
        """
        for part, name in {"algorithm": algorithm, "dataset": dataset, "oracle": oracle}.items():
            if not self.matching(**{part: name}):
                raise DataNotAvailableError(
                    f"no cell is of {name}; there are {self.outcomes.listed(part)}"
                )
        outcomes = self.matching(algorithm, dataset, oracle)
        if budget is not None:
            outcomes = outcomes.where("budget", {read_budget(budget)})
            if not outcomes:
                raise DataNotAvailableError(
                    f"no cell has the budget {budget}; there are {self.outcomes.listed('budget')}"
                )
        if not outcomes:
            names = ", ".join([name for name in (algorithm, dataset, oracle) if name])
            raise DataNotAvailableError(f"no cell is of {names} at once")
        return replace(self, outcomes=outcomes)

    def plot(
        self, kind: str, *, algorithm: str = "", dataset: str = "", oracle: str = "", **choices: Any
    ) -> Any:
        """Draw a figure, as ``hcbench plot`` does; it needs matplotlib (``hcbench[figures]``).

        Parameters
        ----------
        kind : str
            ``ranks``, ``profile``, ``tradeoff``, ``curve``, ``scaling``, ``dendrogram``,
            ``heatmap`` or ``tanglegram``.
        algorithm, dataset, oracle : str, optional
            The algorithm, data set and oracle to which the figure is limited; parameters with
            their defaults may be omitted.
        **choices
            Options of ``hcbench plot``: ``metric``, ``x``, ``against``, ``failed``,
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
        from hcbench.figures.view import FigureView

        chosen = Choices.read(choices)
        selected = self._selected(algorithm, dataset, oracle)
        registry = load_registry(self.plugins)
        # Drawing may import the functions of plugin files: data are made again, trees fitted again.
        with self._opened_store() as store, registry.plugins.importable():
            view = FigureView(selected, store, registry, self.problems)
            figure: Any = draw(kind, view, chosen)
        # A notebook shows a figure by itself only if pyplot is loaded.
        figure._repr_png_ = partial(_png, figure)
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
            The file to write; an existing one is replaced.
        lead : sequence of str or of rows
            A title, and below it paragraphs and tables. The first row of a table has the names of
            the columns.
        """
        from hcbench.pages.report import write_report

        registry = load_registry(self.plugins)
        with self._opened_store() as store, registry.plugins.importable():
            run = store.run(self.run)
            write_report(path, store, run, registry=registry, lead=lead)


def _png(figure: Any) -> bytes:
    """What a notebook shows, whether or not pyplot is loaded."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png")
    return stream.getvalue()


class Progress(Observer):
    """The number of finished cells in one line, on a terminal or in a notebook."""

    def __init__(self) -> None:
        self._total = 0
        self._done = 0
        self._failed = 0
        self._handle: Any = None  # of the line in a notebook, once it is there

    def started(self, total: int, reused: int, left: Mapping[tuple[str, str], int]) -> None:  # noqa: ARG002
        """Show how many cells there are."""
        self._total = total
        self._done = reused
        self._show()

    def finished(self, outcome: Any, seconds: float) -> None:  # noqa: ARG002
        """Count a finished cell."""
        # Reused cells were counted when the run started; only those that ran come here.
        self._done += 1
        self._failed += outcome.failed
        self._show()

    def _show(self) -> None:
        text = f"hcbench: {self._done} of {self._total} cells"
        if self._failed:
            text += f", {self._failed} failed"
        if in_notebook():
            self._show_in_notebook(text)
            return
        # Each text replaces the one before it in its line, and the last one ends the line.
        end = "\n" if self._done == self._total else ""
        print(f"\r{text}", end=end, file=sys.stderr, flush=True)  # noqa: T201

    def _show_in_notebook(self, text: str) -> None:
        content = {"text/plain": text}
        # The line is displayed once and then replaced, as a notebook keeps all that was displayed.
        if self._handle is None:
            # IPython is there, since this is a notebook, but it is no dependency of hcbench.
            display = importlib.import_module("IPython.display").display
            self._handle = display(content, raw=True, display_id=True)
        else:
            self._handle.update(content, raw=True)


def in_notebook() -> bool:
    """Whether this process runs the cells of a notebook."""
    # A notebook has imported IPython, so that looking for it here costs nothing elsewhere.
    shell = sys.modules.get("IPython")
    # IPython in a terminal has another shell, which shows a carriage return as terminals do.
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"


def default_observer(progress: bool | None) -> Observer:
    """What follows a run; by default a line on a terminal or in a notebook."""
    if progress is None:
        progress = sys.stderr.isatty() or in_notebook()
    if progress:
        return Progress()
    return Observer()
