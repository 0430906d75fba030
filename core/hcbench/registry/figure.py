"""Figures of suites: what is drawn against what, or a function that draws."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hcbench.errors import SuiteError
from hcbench.model.text import mistake_of_names
from hcbench.registry.names import names_in_grid, split_list
from hcbench.registry.specs import Function

#: What is drawn around the averages of a figure.
BANDS = ("", "interval", "deviation", "maximum", "runs")
#: The axis of `Figure.x` that is neither a parameter nor a metric.
CHECKPOINT = "checkpoint"
#: The property of a figure that is the text of a claim.
CLAIM = "claim"
# A parameter, or the base of a name.
_PARAMETER = r"(algorithm|dataset|oracle)\.\w+"
_PROPERTY = r"(algorithm|dataset|oracle|metric)(\.\w+)?"
# Of a metric as `x`; anything with a dot before a bracket is meant to be a parameter.
_METRIC = r"[^.\[]+(\[.*\])?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure of the results of a suite: curves of a metric, or what a function draws.

    Curves are drawn in panels, and those of a panel differ in colour. Panels and lines differ by
    *properties* of what was run: a parameter, written ``dataset.n``, ``algorithm.p``,
    ``oracle.noise`` or ``metric.estimate``; the name without parameters, ``dataset``; or, with
    `only_claimed`, the text of the ``claim``. Of several properties with ``|`` between them, such
    as ``oracle.p|algorithm.p``, the first one counts that there is. What lacks a property of the
    panels is drawn in all of them.

    Attributes
    ----------
    name : str
        Of its file, without the ending.
    doc : str
        What it shows, in one sentence.
    function : str or callable, optional
        ``"package.module:function"``, called with a `FigureView`; returns a matplotlib figure.
    x : str, optional
        Without a function, a metric is drawn against a parameter, against another metric, or
        against the ``checkpoint``.
    metric : str, optional
        What is drawn. Several metrics are separated by commas, or written as a grid; panels or
        lines then differ by ``metric``.
    panel : tuple of str
        The properties by which panels differ.
    line : tuple of str
        The properties by which lines differ; by default algorithms, without the parameters of x and
        of panels.
    where : tuple of str
        Conditions, all of which hold for what is drawn: a parameter with its values,
        ``"dataset.n=10|100"``, or with nothing beside a ``|`` also none, ``"algorithm.d=2|"``; or
        names, grids and patterns as in a claim, ``"algorithm=UPGMA, scipy-linkage[*]"``.
    per, x_per : str, optional
        A metric or a parameter by which the values, or the places on the horizontal axis, are
        divided.
    bound : tuple of str
        Metrics or numbers that are drawn as bounds.
    level : tuple of str
        Names of algorithms without x, which are drawn as horizontal lines.
    band : {"", "interval", "deviation", "maximum", "runs"}
        What is drawn beside the averages: their 95 % intervals, the standard deviation of the
        repetitions, or their largest value; or each repetition instead of the average.
    log : {"", "x", "y", "xy"}
        The logarithmic axes.
    limits : (float, float), optional
        The range of the vertical axis.
    claims : tuple of str
        How the claims that the figure shows begin; it has their verdicts below.
    only_claimed : bool
        Whether only that is drawn what these claims are about, of a tuned claim the tuned values.
    printed : bool
        Whether that is drawn, with open markers, with which these claims compare: printed numbers
        and bounds; and of a rate a line of that slope.

    Examples
    --------
    >>> figure = Figure(
    ...     name="noise",
    ...     doc="AARI against the noise of the answers.",
    ...     x="oracle.noise",
    ...     metric="AARI, triplet-agreement",
    ...     panel=("metric",),
    ... )
    >>> figure.metrics
    ('AARI', 'triplet-agreement')
    >>> Figure(name="noise", doc="Of which metric?", x="oracle.noise")
    Traceback (most recent call last):
        ...
    hcbench.errors.SuiteError: figure noise needs x and metric, or a function
    """

    name: str
    doc: str
    function: Function = ""
    x: str = ""
    metric: str = ""
    panel: tuple[str, ...] = ()
    line: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    per: str = ""
    x_per: str = ""
    bound: tuple[str, ...] = ()
    level: tuple[str, ...] = ()
    band: str = ""
    log: str = ""
    limits: tuple[float, float] | None = None
    claims: tuple[str, ...] = ()
    only_claimed: bool = False
    printed: bool = False

    def __post_init__(self) -> None:
        wrong = self._mistake()
        if wrong:
            raise SuiteError(wrong)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that are drawn."""
        names = []
        for text in split_list(self.metric):
            names += names_in_grid(text)
        return tuple(names)

    def _mistake(self) -> str:
        """What is wrong with it; "" if nothing is."""
        if not re.fullmatch(r"[\w.-]*\w", self.name):
            return f"{self.name!r} cannot be the name of a figure: letters, digits, - and . only"
        if not self.function:
            return self._mistake_of_curves()
        if isinstance(self.function, str) and not re.fullmatch(r"[\w.]+:\w+", self.function):
            return (
                f"figure {self.name}: function is 'package.module:function', got {self.function!r}"
            )
        if self.x or self.metric:
            return f"figure {self.name} has a function, which draws no x and metric"
        return ""

    def _mistake_of_curves(self) -> str:
        mistake = mistake_of_names(self, ["panel", "line", "where", "bound", "level", "claims"])
        if mistake:
            return f"figure {self.name}: {mistake}"
        if not (self.x and self.metric):
            return f"figure {self.name} needs x and metric, or a function"
        if self.band not in BANDS:
            return f"figure {self.name}: band is one of {', '.join(BANDS[1:])}; got {self.band!r}"
        if self.log not in ("", "x", "y", "xy"):
            return f"figure {self.name}: log is x, y or xy; got {self.log!r}"
        if (self.only_claimed or self.printed) and not self.claims:
            return f"figure {self.name} has no claims, which only_claimed and printed draw"
        return self._mistake_of_properties()

    def _mistake_of_properties(self) -> str:
        if not re.fullmatch(f"{_PARAMETER}|{_METRIC}", self.x):
            return f"figure {self.name}: {self.x!r} is {_NO_PARAMETER}, or a metric"
        for text in self.panel + self.line:
            for name in text.split("|"):
                if name != CLAIM and not re.fullmatch(_PROPERTY, name):
                    return f"figure {self.name}: {name!r} is {_NO_PARAMETER}"
                if name == CLAIM and not self.only_claimed:
                    return f"figure {self.name}: a claim is a property with only_claimed only"
        for condition in self.where:
            if not re.fullmatch(r"(algorithm|dataset|oracle)(\.\w+)?=.+", condition):
                return f"figure {self.name}: {condition!r} is no dataset.NAME=value"
        return ""


_NO_PARAMETER = "no parameter; write algorithm.NAME, dataset.NAME or oracle.NAME"
