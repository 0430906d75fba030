"""The result of a guess: parameters with which a table can be read, and what is to be asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hcbench_datasets.content import Table


@dataclass(frozen=True, slots=True)
class Order:
    """Columns of classes for which the file has an order, as of codes in SPSS.

    Attributes
    ----------
    columns : tuple of str
    classes : tuple of str
        The lowest first.
    written : str
        The inside of the braces of ``ordinal={...}``.
    """

    columns: tuple[str, ...]
    classes: tuple[str, ...]
    written: str


@dataclass(slots=True)
class Guess:
    """Parameters with which a table can be read, and what was decided or is to be asked.

    Attributes
    ----------
    names : str, optional
        The column that names the items.
    labels : list of str
        The columns of the truth, the coarsest first; the user's, and those whose names say so.
    drop : list of str
        The columns that the user drops.
    reasons : dict of str to str
        Why a column is not used, by its name, in the order in which they are dropped.
    candidates : list of list of str
        Columns that may be the truth, where their names do not say so.
    missing : {None, "drop", "median"}
        What becomes of missing numbers.
    categorical : {None, "onehot", ...}
        What becomes of texts.
    ordinal : str or sequence of str
        The orders of answers, as the parameter is written; "" if there are none.
    missing_texts : list of str
        Texts among numbers that are read as missing.
    texts : bool
        Whether the items are texts and nothing else.
    numeric : set of str
        The columns that are used as numbers.
    orders : list of Order
        Columns that could be numbers, which is offered.
    remarks : list of str
        What is done with columns that are used, but not as they are.
    """

    names: str | None
    labels: list[str]
    drop: list[str]
    reasons: dict[str, str] = field(default_factory=dict)
    candidates: list[list[str]] = field(default_factory=list)
    missing: str | None = None
    categorical: str | None = None
    ordinal: str | Sequence[str] = ""
    missing_texts: list[str] = field(default_factory=list)
    texts: bool = False
    numeric: set[str] = field(default_factory=set)
    orders: list[Order] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def params(self) -> dict[str, Any]:
        """The parameters if none of the candidates is the truth."""
        return {
            "names": self.names,
            "labels": list(self.labels),
            "drop": self.drop + list(self.reasons),
            "missing": self.missing,
            "missing_texts": list(self.missing_texts),
            "categorical": self.categorical,
            "ordinal": self.ordinal,
            "texts": self.texts,
        }

    def params_with_truth(self, table: Table, labels: Sequence[str]) -> dict[str, Any]:
        """The parameters if a candidate is the truth."""
        params = self.params()
        params["labels"] = self.labels + list(labels)
        params["drop"] = [name for name in params["drop"] if name not in labels]
        if self.rows_without(table, labels):
            # Rows without a label cannot be kept.
            params["missing"] = "drop"
        return params

    def rows_without(self, table: Table, labels: Sequence[str]) -> int:
        """The number of rows in which one of the labels is missing."""
        is_missing = np.zeros(len(table.lines), dtype=bool)
        for name in labels:
            is_missing |= table.column(name).missing
        return int(is_missing.sum())
