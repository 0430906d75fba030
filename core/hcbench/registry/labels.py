"""Labels in results, compared with names as users write them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from hcbench.errors import NameSyntaxError
from hcbench.registry.names import format_name, format_value, parse_name

if TYPE_CHECKING:
    from hcbench.registry.specs import Params, Value


def same_name(written: str, label: str, parameters: Mapping[str, Params]) -> bool:
    """Whether a name, as a user writes it, describes what has this label.

    Case, quotes, the order of parameters and a distribution before the name do not matter, and
    default values may be written.

    Parameters
    ----------
    written, label : str
    parameters : mapping of label to parameters
        All parameters, defaults included, where they are known.
    """
    if written == label:
        return True
    name, own = _read(written), _read(label)
    if name is None or own is None:
        return False
    (base, wanted), (own_base, shown) = name, own
    if own_base not in (base, base.partition(":")[2]):
        return False
    everything = _comparable(parameters.get(label, {})) | shown
    return shown.items() <= wanted.items() <= everything.items()


@lru_cache(maxsize=4096)  # each claim is compared with all labels
def _read(text: str) -> tuple[str, dict[str, str]] | None:
    """The name and its parameters in comparable form; None if the text is no name."""
    try:
        name = parse_name(text)
    except NameSyntaxError:
        return None
    return name.base.casefold(), _comparable(name.params)


def _comparable(params: Mapping[str, Value]) -> dict[str, str]:
    return {key: _value_text(value) for key, value in params.items()}


def _value_text(value: Value) -> str:
    if isinstance(value, tuple):
        return "[" + ",".join(_value_text(item) for item in value) + "]"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return repr(float(value))
    if isinstance(value, str) and "[" in value:
        try:
            nested = parse_name(value)
        except NameSyntaxError:
            return value.casefold()
        inner = sorted(_comparable(nested.params).items())
        return f"{nested.base}{inner}".casefold()
    return format_value(value).casefold()


def split_parameter(
    label: str, parameter: str, parameters: Mapping[str, Params]
) -> tuple[str, float | None]:
    """A label without one of its parameters, and its value if that is a number.

    Parameters
    ----------
    label, parameter : str
    parameters : mapping of label to parameters
        All parameters, defaults included, where they are known.
    """
    try:
        name = parse_name(label)
    except NameSyntaxError:
        return label, None
    value = {**parameters.get(label, {}), **name.params}.get(parameter)
    rest = {key: other for key, other in name.params.items() if key != parameter}
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return format_name(name.base, rest), float(value) if is_number else None  # type: ignore[arg-type]
