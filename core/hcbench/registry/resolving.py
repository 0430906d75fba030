"""Names with parameters, resolved to uses: specs with all their parameters."""

from __future__ import annotations

import itertools
from typing import TypeVar

from hcbench.errors import ParameterError
from hcbench.registry.catalogue import Catalogue
from hcbench.registry.making import values_of_grid
from hcbench.registry.names import Name, parse_name
from hcbench.registry.parameters import Params, Value
from hcbench.registry.specs import Spec
from hcbench.registry.uses import Use

S = TypeVar("S", bound=Spec)


def resolve_uses(catalogue: Catalogue[S], name: Name) -> list[Use[S]]:
    """The uses that one ``NAME[param=value]`` describes: several if a parameter is a grid.

    Raises
    ------
    ParameterError, DataError
        As `make_use` says.
    """
    entry = catalogue.find(name.base)
    uses = []
    for point in _grid_points(entry.spec, name):
        uses.append(entry.use(point))
    return uses


def use_one(catalogue: Catalogue[S], text: str, params: Params) -> Use[S]:
    """The use that one ``NAME[param=value]`` describes; ``params`` take precedence.

    Raises
    ------
    ParameterError
        If the name is a grid, or as `make_use` says.
    """
    name = parse_name(text)
    entry = catalogue.find(name.base)
    points = _grid_points(entry.spec, name)
    first = points[0]
    last = points[-1]
    if len(points) > 1:
        # The first and the last point differ in each axis of a grid.
        varied = [key for key in first if first[key] != last[key]]
        raise ParameterError(
            f"{text} means {len(points)}, one for each {' and '.join(varied)}; name one"
        )
    return entry.use(first | dict(params))


def default_uses(catalogue: Catalogue[S]) -> list[Use[S]]:
    """All specs of a catalogue with their default parameters, without those that require one.

    Examples
    --------
    >>> registry = hcbench.load_registry()
    >>> labels = [use.label for use in default_uses(registry.algorithms)]
    >>> "UPGMA" in labels
    True
    """
    uses = []
    for entry in catalogue.entries:
        if not any(parameter.required for parameter in entry.spec.parameters):
            uses.append(entry.use({}))
    return uses


def _grid_points(spec: Spec, name: Name) -> list[dict[str, Value]]:
    """The combinations of parameters that a name describes."""
    parameters = {parameter.name: parameter for parameter in spec.parameters}
    # The values of each parameter that is written: the axes of the grid.
    axes = []
    for key, value in name.params.items():
        axes.append(values_of_grid(parameters.get(key), value))
    points = []
    for values in itertools.product(*axes):
        points.append(dict(zip(name.params, values, strict=True)))
    return points
