"""The parameters of plugins: their types, ranges and defaults."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from hcbench.errors import InvalidSpecError, ParameterError
from hcbench.model.text import mistake_of_names, suggestion

if TYPE_CHECKING:
    Value: TypeAlias = "bool | int | float | str | tuple[Value, ...] | None"
else:
    Value = Any  # the API reference cannot show recursive types
Params: TypeAlias = Mapping[str, Value]

#: The default of a parameter that must be given.
REQUIRED = "<required>"

#: The name of a type of values in a declaration.
TypeName: TypeAlias = Literal["bool", "int", "float", "str", "list", "callable"]

#: The types of values by their names.
_TYPES: dict[TypeName, tuple[type, ...]] = {
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

    Examples
    --------
    >>> interval = Interval("(0, 1]")
    >>> 0 in interval, 1 in interval
    (False, True)
    >>> interval.high
    1.0
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
        if self.text[0] == "{":  # a set of two numbers
            return number in (self.low, self.high)
        if number == self.low:
            return self.text[0] == "["
        if number == self.high:
            return self.text[-1] == "]"
        return self.low < number < self.high


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a plugin's function.

    Attributes
    ----------
    name : str
        The name in the function's signature.
    default : bool, int, float, str, tuple or None
        The value if none is given; ``REQUIRED`` if one must be given.
    doc : str
        The meaning and the unit, in one sentence.
    type : {"bool", "int", "float", "str", "list", "callable"}, optional
        The type of values, by default that of the default value. None is accepted too if it is the
        default. A callable cannot be written in a name: it can only be passed to `fit`.
    choices : tuple of str
        The only strings accepted.
    interval : str
        The numbers accepted, such as ``"(0, 1]"``.
    alternative : str or tuple of str, optional
        A second type that is accepted, such as ``"str"`` for a number that may also be "auto"; or
        several, as ``("str", "list")``. A text ``"str or list"``, as it was before, means the same.
    of_vectors : bool
        Whether it matters only for items that are given as vectors, because a data set's own
        similarities go first. Tables do not show it for data sets that have some.

    Examples
    --------
    >>> share = Parameter("p", 0.5, "The proportion that is read.", interval="(0, 1]")
    >>> share.type
    'float'
    >>> share.check(1, "4-AL")
    1.0
    >>> share.check(2, "4-AL")
    Traceback (most recent call last):
        ...
    hcbench.errors.ParameterError: 4-AL: p must be in (0, 1], got 2
    """

    name: str
    default: Value
    doc: str
    type: TypeName | Literal[""] = ""
    choices: tuple[str, ...] = ()
    interval: str = ""
    alternative: TypeName | Literal[""] | tuple[TypeName, ...] = ""
    of_vectors: bool = False

    def __post_init__(self) -> None:
        mistake = mistake_of_names(self, ["choices"])
        if mistake:
            raise InvalidSpecError(f"parameter {self.name}: {mistake}")
        if not self.type:
            object.__setattr__(self, "type", self._type_of_default())
        for name in self.type_names:
            if name not in _TYPES:
                raise InvalidSpecError(f"parameter {self.name}: unknown type {name!r}")
        if self.interval:
            Interval(self.interval)

    def _type_of_default(self) -> str:
        if not self.required:
            # bool is before int, of which it is a subclass in Python.
            for name, types in _TYPES.items():
                if isinstance(self.default, types):
                    return name
        raise InvalidSpecError(f"parameter {self.name}: say its type, the default does not")

    @property
    def type_names(self) -> tuple[TypeName, ...]:
        """The names of all types that are accepted."""
        alternatives: Any = self.alternative
        if isinstance(alternatives, str):
            alternatives = alternatives.split(" or ") if alternatives else ()
        return (cast("TypeName", self.type), *alternatives)

    @property
    def required(self) -> bool:
        """Whether it has no default."""
        return self.default == REQUIRED  # also of a copy from another process

    def check(self, value: Value, owner: str) -> Value:
        """The value converted to the parameter's type.

        Raises
        ------
        ParameterError
            If it is of the wrong type or out of range.
        """
        if value is None and self.default is None:
            return None
        if not self._has_type_of(value):
            kinds = " or ".join(self.type_names).replace("bool", "true or false")
            hint = self._way_to_write(value)
            raise ParameterError(f"{owner}: {self.name} must be {kinds}, got {value!r}{hint}")
        if isinstance(value, str) and self.choices and value not in self.choices:
            hint = suggestion(value, self.choices)
            if hint:
                hint = f"; {hint}"
            raise ParameterError(
                f"{owner}: {self.name} must be one of {self._describe_choices()}; got "
                f"{value!r}{hint}"
            )
        if isinstance(value, bool) or not isinstance(value, int | float):
            return value  # no number
        if self.interval and value not in Interval(self.interval):
            raise ParameterError(f"{owner}: {self.name} must be in {self.interval}, got {value!r}")
        if self.type == "float":
            # A whole number is written without a point.
            return float(value)
        return value

    def _way_to_write(self, value: Value) -> str:
        """How to write what the user seems to mean, for one of another language; "" if unknown."""
        if isinstance(value, tuple):
            return ""
        word = str(value).casefold()
        if "bool" in self.type_names:
            if word in ("true", "t", "yes", "y", "on", "1"):
                return f"; write {self.name}=true"
            if word in ("false", "f", "no", "n", "off", "0"):
                return f"; write {self.name}=false"
        number = self._number_meant(word)
        if number is None or isinstance(value, bool):
            return ""
        return f"; write {self.name}={number}"

    def _number_meant(self, word: str) -> int | float | None:
        """The number that a text such as ``.5``, ``1_000`` or ``2.0`` stands for here, if any."""
        try:
            number = float(word)
        except ValueError:
            return None
        if "int" in self.type_names and number.is_integer():
            return int(number)
        if "float" in self.type_names:
            return number
        return None

    def _has_type_of(self, value: Value) -> bool:
        """Whether a value is of one of the types that are accepted."""
        accepted: list[type] = []
        for name in self.type_names:
            accepted.extend(_TYPES[name])
        if isinstance(value, bool):  # which is an int for Python
            return bool in accepted
        return isinstance(value, tuple(accepted))

    def _describe_choices(self) -> str:
        """The texts that are accepted, and the numbers beside them."""
        text = ", ".join(self.choices)
        numbers = []
        for name in self.type_names:
            if name in ("int", "float"):
                numbers.append(name)
        if numbers:
            text += f", or {numbers[0]}"
            if self.interval:
                text += f" in {self.interval}"
        return text
