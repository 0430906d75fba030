"""Labels with their parts, which come from the plan."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hcbench.analysis.groups import KINDS
from hcbench.registry.names import format_name

if TYPE_CHECKING:
    from hcbench.analysis.comparison import Comparison
    from hcbench.registry.parameters import Params, Value


@dataclass(frozen=True, slots=True)
class Label:
    """A label with its parts, which come from the plan.

    Attributes
    ----------
    text : str
    base : str
        The name.
    params : mapping
        All parameters, including defaults.
    shown_names : tuple of str
        The parameters in the text.
    """

    text: str
    base: str
    params: Params
    shown_names: tuple[str, ...]

    def without(self, excluded: Collection[str]) -> Label:
        """The label without some of its parameters."""
        if self.params.keys().isdisjoint(excluded):
            return self
        params = dict(self.params)
        for name in excluded:
            params.pop(name, None)
        shown_names = [name for name in self.shown_names if name in params]
        return self.with_only(params, shown_names)

    def with_only(self, params: Params, shown_names: Iterable[str]) -> Label:
        """The label with these parameters, of which some are shown."""
        names = tuple(shown_names)
        text = self.text
        # A label of a caller's own may be written otherwise than we would write it.
        if names != self.shown_names:
            shown_params = {name: params[name] for name in names}
            text = format_name(self.base, shown_params)
        return Label(text, self.base, params, names)


def labels_of(results: Comparison, kind: str, labels: Iterable[str]) -> dict[str, Label]:
    """The labels of a kind with their parts.

    Examples
    --------
    >>> chain = np.array([[0.0], [1.1], [2.2], [3.3], [4.9], [5.2]])
    >>> data = {"chain": (chain, [0, 0, 0, 0, 1, 1])}
    >>> results = hcbench.compare(
    ...     ["UPGMA[metric=manhattan]"], data, metrics=["AARI"], repetitions=1, progress=False
    ... )
    >>> label = labels_of(results, "algorithm", results.algorithms)["UPGMA[metric=manhattan]"]
    >>> label.base, label.params["metric"], label.shown_names
    ('UPGMA', 'manhattan', ('metric',))
    """
    names = results.names.get(KINDS[kind], {})
    parameters = results.parameters.get(KINDS[kind], {})
    parts: dict[str, Label] = {}
    for label in labels:
        # A label of which the run says nothing is a name without parameters.
        base, shown_names = names.get(label, (label, ()))
        parts[label] = Label(label, base, parameters.get(label, {}), shown_names)
    return parts


def as_number(value: Value) -> float | None:
    """The value of a parameter if it is a finite number, else None."""
    # Python counts True and False among the integers.
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def varying(labels: Iterable[Label]) -> dict[str, dict[str, list[Value]]]:
    """For each base name the parameters with several values, and these values in order."""
    all_values: dict[str, dict[str, list[Value]]] = {}
    for label in labels:
        of_base = all_values.setdefault(label.base, {})
        for key, value in label.params.items():
            # A list, as the values of a parameter may be lists themselves, which have no hash.
            values = of_base.setdefault(key, [])
            if value not in values:
                values.append(value)

    several: dict[str, dict[str, list[Value]]] = {}
    for base, params in all_values.items():
        several[base] = {}
        for key, values in params.items():
            if len(values) > 1:
                several[base][key] = values
    return several
