"""Parameters of plugins' functions: their types, defaults, choices and intervals."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from hcbench.errors import InvalidSpecError, ParameterError

if TYPE_CHECKING:
    Value: TypeAlias = "bool | int | float | str | tuple[Value, ...] | None"
else:
    Value = Any  # the API reference cannot show recursive types
Params: TypeAlias = Mapping[str, Value]

REQUIRED = "<required>"

_TYPES: Mapping[str, tuple[type, ...]] = {
    "bool": (bool,),
    "int": (int,),
    "float": (float, int),
    "str": (str,),
    "list": (tuple,),
    "callable": (cast("type", Callable),),
}


@dataclass(frozen=True, slots=True)
class Interval:
    """A range of numbers in the usual notation, such as ``"(0, 1]"`` or ``"[1, inf)"``.

    ``"{0, 1}"`` are the two numbers alone, for metrics that say whether something holds.
    """

    text: str
    low: float = field(init=False)
    high: float = field(init=False)

    def __post_init__(self) -> None:
        match = re.fullmatch(r"([\[({])\s*([^,\s]+)\s*,\s*([^,\s]+)\s*([\])}])", self.text)
        if match is None:
            raise InvalidSpecError(f"{self.text!r} is not an interval; write for example '(0, 1]'")
        object.__setattr__(self, "low", float(match[2]))
        object.__setattr__(self, "high", float(match[3]))

    def __contains__(self, number: float) -> bool:
        if self.text[0] == "{":
            return number in (self.low, self.high)
        above = number > self.low or (number == self.low and self.text[0] == "[")
        below = number < self.high or (number == self.high and self.text[-1] == "]")
        return above and below


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a plugin's function.

    Attributes
    ----------
    name : str
        As in the function's signature.
    default : bool, int, float, str, tuple or None
        ``REQUIRED`` if there is none.
    doc : str
        One sentence: meaning and unit.
    type : {"bool", "int", "float", "str", "list", "callable"}, optional
        By default that of the default value. None is accepted too if it is the default. A callable
        cannot be written in a name: it can only be passed to `fit`.
    choices : tuple of str
        The only strings accepted.
    interval : str
        The numbers accepted, such as ``"(0, 1]"``.
    alternative : str, optional
        A second type that is accepted, such as ``"str"`` for a number that may also be "auto"; or
        several, as ``"str or list"``.
    of_vectors : bool
        Whether it matters only for items that are given as vectors, because a data set's own
        similarities go first. Tables do not show it for data sets that have some.
    """

    name: str
    default: Value
    doc: str
    type: str = ""
    choices: tuple[str, ...] = ()
    interval: str = ""
    alternative: str = ""
    of_vectors: bool = False

    def __post_init__(self) -> None:
        if not self.type:
            object.__setattr__(self, "type", self._type_of_default())
        for name in self._type_names():
            if name not in _TYPES:
                raise InvalidSpecError(f"parameter {self.name}: unknown type {name!r}")
        if self.interval:
            Interval(self.interval)

    def _type_of_default(self) -> str:
        for name, types in _TYPES.items():
            if isinstance(self.default, types) and self.default is not REQUIRED:
                return name
        raise InvalidSpecError(f"parameter {self.name}: say its type, the default does not")

    def _type_names(self) -> list[str]:
        return [self.type, *filter(None, self.alternative.split(" or "))]

    @property
    def required(self) -> bool:
        """Whether it has no default."""
        return self.default is REQUIRED

    def check(self, value: Value, owner: str) -> Value:
        """The value converted to the parameter's type.

        Raises
        ------
        ParameterError
            If it is of the wrong type or out of range.
        """
        if value is None and self.default is None:
            return None
        wanted = tuple(accepted for name in self._type_names() for accepted in _TYPES[name])
        if not isinstance(value, wanted) or (isinstance(value, bool) and bool not in wanted):
            kinds = f"{self.type} or {self.alternative}" if self.alternative else self.type
            raise ParameterError(f"{owner}: {self.name} must be {kinds}, got {value!r}")
        if isinstance(value, str):
            self._check_choice(value, owner)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            if self.interval and value not in Interval(self.interval):
                raise ParameterError(
                    f"{owner}: {self.name} must be in {self.interval}, got {value!r}"
                )
            if self.type == "float":
                return float(value)
        return value

    def _check_choice(self, value: str, owner: str) -> None:
        if self.choices and value not in self.choices:
            raise ParameterError(
                f"{owner}: {self.name} must be one of {', '.join(self.choices)}; got {value!r}"
            )
