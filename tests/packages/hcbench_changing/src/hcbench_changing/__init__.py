"""Methods whose costs change over the commits."""

from __future__ import annotations

from pathlib import Path

from hcbench import AlgorithmSpec, hookimpl
from hcbench_foreign import Program

child = Program(Path(__file__).with_name("child.toml"))


@hookimpl
def hcbench_algorithms() -> tuple[AlgorithmSpec, ...]:
    return (
        AlgorithmSpec(
            name="Asking",
            function="hcbench_changing.methods:asking",
            doc="A caterpillar, after some queries per item.",
            accepts=("quadruplet-queries",),
        ),
        AlgorithmSpec(
            name="Hungry",
            function="hcbench_changing.methods:hungry",
            doc="Average linkage beside an array of some megabytes.",
            accepts=("vectors",),
            random=False,
        ),
        child.spec("hcbench_changing:child"),
    )
