"""Benchmarks with asv of everything that is registered: the public names of ``hcbench_asv``.

A file with these two lines in a package's benchmark folder defines a class of benchmarks for each
algorithm, oracle and metric::

    import hcbench.asv

    globals().update(hcbench.asv.registered("my-package"))

``python -P -m hcbench.asv`` is the process that measures them.

A `Case` is a name, such as ``"algorithm_UPGMA"``, and a number of items, one of `SIZES`; an
algorithm is called `REPETITIONS` times, with new seeds. `TRACKS` is what is measured of each kind
of registration, `UNITS` has the units, and a `Measurement` has a value for each, or the reason why
there is none. Only results of equal `VERSION` can be compared.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hcbench_asv import (
        REPETITIONS as REPETITIONS,
        SIZES as SIZES,
        TRACKS as TRACKS,
        UNITS as UNITS,
        VERSION as VERSION,
        Case as Case,
        Measurement as Measurement,
        MeasuringProcess as MeasuringProcess,
        Registered as Registered,
        registered as registered,
        reproducible_environment as reproducible_environment,
        summarise_repetitions as summarise_repetitions,
    )

__all__ = [
    "REPETITIONS",
    "SIZES",
    "TRACKS",
    "UNITS",
    "VERSION",
    "Case",
    "Measurement",
    "MeasuringProcess",
    "Registered",
    "registered",
    "reproducible_environment",
    "summarise_repetitions",
]


def __getattr__(name: str) -> Any:
    """Import the plugin when one of its names is used."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import hcbench_asv

    return getattr(hcbench_asv, name)


def __dir__() -> list[str]:
    return __all__


if __name__ == "__main__":
    import runpy

    runpy.run_module("hcbench_asv", run_name="__main__", alter_sys=True)
