"""Files of public data: `data_file` finds or downloads a `Remote` one."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hcbench_datasets import (
        Remote as Remote,
        data_file as data_file,
    )

__all__ = [
    "Remote",
    "data_file",
]


def __getattr__(name: str) -> Any:
    """Import the plugin when one of its names is used."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import hcbench_datasets

    return getattr(hcbench_datasets, name)


def __dir__() -> list[str]:
    return __all__
