"""The results of a comparison, and the forms in which they are written."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hcbench.analysis.notes import Note, attach_notes, describe_notes, write_notes
from hcbench.analysis.ranking_texts import describe_ranking
from hcbench.analysis.tables import to_latex, to_markdown
from hcbench.errors import HcbenchError
from hcbench.model.text import spreadsheet_cell
from hcbench.results.evaluation import Evaluation
from hcbench.results.overviews import all_notes, describe_numbers, make_tables

if TYPE_CHECKING:
    import pandas


def to_csv(rows: Sequence[Mapping[str, Any]], separator: str = ",") -> str:
    """A header line, and a line for each row; spreadsheets execute nothing in it."""
    import pandas

    columns = None
    if not rows:
        # A file without rows has a header at least.
        columns = ["algorithm"]
    # Objects, as pandas would write integers beside missing values as 1.0.
    frame = pandas.DataFrame(rows, columns=columns, dtype=object).map(spreadsheet_cell)
    frame.columns = list(map(spreadsheet_cell, frame.columns))
    text: str = frame.to_csv(index=False, sep=separator)
    return text


def write_text(text: str, path: str | Path | None) -> str:
    """Return the text, after writing it to a file if one is given."""
    if path is not None:
        try:
            Path(path).write_text(text, encoding="utf-8")
        except OSError as error:
            raise HcbenchError.of_file("write", path, error) from error
    return text


class Results(Evaluation):
    """The results of a comparison, with all that is derived from them and what they are written as.

    Attributes are those of `hcbench.analysis.Comparison`.

    Examples
    --------
    >>> data = {"pairs": ([[0.0], [1.0], [8.0], [9.0]], [0, 0, 1, 1])}
    >>> results = hcbench.compare(
    ...     ["UPGMA", "Single"], data, metrics=["AARI"], repetitions=1, progress=False
    ... )
    >>> isinstance(results, Results)
    True
    >>> for row in results.summary:
    ...     print(row["algorithm"], row["dataset"], row["metric"], row["mean"])
    UPGMA pairs AARI 1.0
    Single pairs AARI 1.0
    >>> results.to_frame()[["algorithm", "AARI"]].values.tolist()
    [['UPGMA', 1.0], ['Single', 1.0]]
    """

    def __repr__(self) -> str:
        failed = self.outcomes.failed.sum()
        return (
            f"<Results: {len(self.outcomes)} cells, algorithms: {len(self.algorithms)}, "
            f"data sets: {len(self.datasets)}, failed: {failed}>"
        )

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What to keep in mind: the footnotes of all tables, and the lines below them."""
        return all_notes(self)

    @cached_property
    def table(self) -> pandas.DataFrame:
        """The tidy table: a row for each cell, checkpoint and metric (see `make_table`).

        ``attrs["notes"]`` has the `notes` in plain values.
        """
        table = super().table
        attach_notes(table, self.notes)
        return table

    def to_json(self, path: str | Path | None = None) -> str:
        """All results as one object.

        ``cells``, ``summary``, ``ranking``, ``significance``, ``differences``, ``verdicts``,
        ``false_verdicts`` and ``notes``. Strict JSON: infinite numbers and NaN become null.

        Examples
        --------
        >>> results = hcbench.compare(
        ...     ["UPGMA"], [[0.0], [1.0]], metrics=["leaf-depth"], repetitions=1, progress=False
        ... )
        >>> import json
        >>> [cell["metrics"] for cell in json.loads(results.to_json())["cells"]]
        [{'leaf-depth': 1.0}]
        """
        everything = {
            "cells": self.rows,
            "summary": self.summary,
            "ranking": self.ranking,
            "significance": list(map(describe_ranking, self.rankings)),
            "differences": self.differences,
            "verdicts": self.verdicts,
            "false_verdicts": asdict(self.false_verdicts),
            "notes": describe_notes(self.notes),
        }
        # Python writes NaN and Infinity, which are no JSON; reading them again makes them null.
        finite = json.loads(json.dumps(everything), parse_constant=lambda _: None)
        return write_text(json.dumps(finite, indent=1, allow_nan=False) + "\n", path)

    def to_csv(self, path: str | Path | None = None) -> str:
        """A row for each cell and checkpoint, with a column for each metric.

        The `notes` are in a second file beside a file: ``run.notes.json`` of ``run.csv``.

        Examples
        --------
        >>> results = hcbench.compare(
        ...     ["UPGMA"], [[0.0], [1.0]], metrics=["leaf-depth"], repetitions=1, progress=False
        ... )
        >>> header = results.to_csv().splitlines()[0]
        >>> "leaf-depth" in header.split(",")
        True
        """
        text = write_text(to_csv(self.flat_rows), path)
        if path is not None:
            write_notes(self.notes, path)
        return text

    def to_frame(self) -> pandas.DataFrame:
        """The rows of `to_csv` as a pandas DataFrame; `table` is the tidy form.

        ``attrs["notes"]`` has the `notes` in plain values.

        Examples
        --------
        >>> results = hcbench.compare(
        ...     ["UPGMA"], [[0.0], [1.0]], metrics=["leaf-depth"], repetitions=1, progress=False
        ... )
        >>> results.to_frame()[["algorithm", "leaf-depth"]].values.tolist()
        [['UPGMA', 1.0]]
        """
        import pandas

        frame = pandas.DataFrame(self.flat_rows)
        attach_notes(frame, self.notes)
        return frame

    def to_markdown(self, path: str | Path | None = None) -> str:
        """The tables in Markdown.

        Examples
        --------
        >>> results = hcbench.compare(
        ...     ["UPGMA"], [[0.0], [1.0]], metrics=["leaf-depth"], repetitions=1, progress=False
        ... )
        >>> for line in results.to_markdown().splitlines()[2:5]:
        ...     print(line)
        | algorithm | leaf-depth |
        | --- | ---: |
        | UPGMA | 1.000 |
        """
        text = to_markdown(make_tables(self), describe_numbers(self, "bold"))
        return write_text(text, path)

    def to_latex(self, path: str | Path | None = None) -> str:
        r"""The tables in LaTeX; they need ``\usepackage{booktabs}``."""
        text = to_latex(make_tables(self), describe_numbers(self, "bold"))
        return write_text(text, path)
