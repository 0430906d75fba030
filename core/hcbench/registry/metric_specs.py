"""What a plugin declares for a metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from hcbench.errors import InvalidSpecError

# Documentation tools read the annotations of inherited fields in this module: Parameter, Reference.
from hcbench.registry.parameters import Interval, Parameter, Params, Value  # noqa: F401
from hcbench.registry.references import Reference  # noqa: F401
from hcbench.registry.specs import Function, Needs, Spec, load_function

if TYPE_CHECKING:
    from hcbench.oracle.answers import Scored

#: Which values are better; "none" if neither are.
Direction: TypeAlias = Literal["higher", "lower", "none"]
#: The kinds of results that a metric can judge.
Judged: TypeAlias = Literal["tree", "partition", "any"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """One of the numbers that a metric returns.

    Attributes
    ----------
    name : str
        As in the mapping that the metric returns; the column is called ``METRIC.NAME``.
    doc : str
        One sentence.
    direction, unit, interval : str
        By default those of the metric.

    Examples
    --------
    >>> def shape(scored):
    ...     return {"deepest": scored.tree.depths.max(), "leaves": scored.tree.n}
    >>> spec = hcbench.MetricSpec(
    ...     name="shape",
    ...     function=shape,
    ...     doc="The shape of the tree.",
    ...     direction="none",
    ...     outputs=(
    ...         Output(name="deepest", doc="Edges to the deepest leaf."),
    ...         Output(name="leaves", doc="The number of leaves."),
    ...     ),
    ... )
    >>> [metric.name for metric in spec.split()]
    ['shape.deepest', 'shape.leaves']
    """

    name: str
    doc: str
    direction: Direction | Literal[""] = ""
    unit: str = ""
    interval: str = ""


@dataclass(frozen=True, slots=True)
class _Part:
    """Computes a metric of several numbers, and takes one of them."""

    function: Function
    name: str

    def __call__(self, scored: Scored, **params: Value) -> Any:
        # All numbers of a result are computed for the first one that is needed.
        numbers = scored.compute_once(load_function(self.function), params)
        if not isinstance(numbers, Mapping) or self.name not in numbers:
            raise InvalidSpecError(f"the metric returned no {self.name}, but {numbers!r:.80}")
        return numbers[self.name]

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        """The function, whose signature it has."""
        return load_function(self.function)


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSpec(Spec):
    """A metric: ``function(scored, **params) -> float``.

    Attributes
    ----------
    direction : {"higher", "lower", "none"}
        Which values are better; "none" for metrics that describe a result without judging it.
    unit : str
        "" for a pure number; "s", "bytes" and "queries" have formats of their own.
    interval : str
        The values it can take, such as ``"[-1, 1]"``.
    outside : str
        When values leave the interval, such as "some similarities are negative"; "" if they cannot.
        Such values are shown with this reason, and no algorithm is ranked by them.
    needs : tuple of str
        What the data set must provide; ``any_of("similarity", "vectors")`` means either.
    result : {"tree", "partition", "any"}
        The kinds of results that it can judge.
    cost : bool
        Whether it is a cost of the call rather than the quality of the result.
    symmetric : bool, or callable from params to bool
        Whether result and truth may be exchanged; `hcbench.testing` checks it.
    uses_height_unit : bool
        Whether the value changes if all heights of a result are multiplied by a number, so that it
        depends on whether the branch lengths of a file are halves of distances; `hcbench.testing`
        checks it.
    outputs : tuple of Output
        For a function that returns several numbers, as a mapping: each is registered as a metric of
        its own, ``NAME.OUTPUT``; ``NAME`` stands for all of them.

    Examples
    --------
    >>> def depth(scored):
    ...     return scored.tree.depths.max()
    >>> spec = MetricSpec(
    ...     name="depth", function=depth, doc="Edges to the deepest leaf.", direction="lower"
    ... )
    >>> data = [[0.0], [1.0], [5.0]]
    >>> results = hcbench.compare(["UPGMA"], data, metrics=[spec], repetitions=1, progress=False)
    >>> results.rows[0]["metrics"]
    {'depth': 2.0}
    """

    noun = "metric"
    direction: Direction
    unit: str = ""
    interval: str = "(-inf, inf)"
    outside: str = ""
    needs: Needs = ()
    result: Judged = "tree"
    cost: bool = False
    symmetric: bool | Callable[[Params], bool] = False
    uses_height_unit: bool = False
    outputs: tuple[Output, ...] = ()

    def __post_init__(self) -> None:
        Spec.__post_init__(self)
        Interval(self.interval)
        self.check_choice("direction", get_args(Direction))
        self.check_choice("result", get_args(Judged))
        for output in self.outputs:
            if output.direction and output.direction not in get_args(Direction):
                raise InvalidSpecError(
                    f"{self.name}: the direction of {output.name} must be one of "
                    f"{', '.join(get_args(Direction))}; got {output.direction!r}"
                )
        names = {output.name for output in self.outputs}
        if len(names) < len(self.outputs):
            raise InvalidSpecError(f"{self.name}: an output is declared twice")

    def split(self) -> list[MetricSpec]:
        """A metric for each of its numbers."""
        if not self.outputs:
            return [self]
        metrics = []
        for output in self.outputs:
            metric = replace(
                self,
                name=f"{self.name}.{output.name}",
                function=_Part(self.function, output.name),
                doc=output.doc,
                direction=output.direction or self.direction,
                unit=output.unit or self.unit,
                interval=output.interval or self.interval,
                outputs=(),
            )
            metrics.append(metric)
        return metrics

    def symmetric_with(self, params: Params) -> bool:
        """Whether result and truth may be exchanged with these parameters."""
        if callable(self.symmetric):
            return self.symmetric(params)
        return self.symmetric
