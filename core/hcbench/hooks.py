"""The hooks through which plugins register and report, each with its arguments and an example.

A plugin implements those that it needs, as functions of these names below `hcbench.hookimpl`. It
may state the version that it is written for, ``HCBENCH_HOOKS = 1``, which increases when a hook or
its arguments change so that plugins have to change too.
"""

from hcbench.registry.hookspecs import (
    hcbench_algorithms,
    hcbench_cell_finished,
    hcbench_commands,
    hcbench_datasets,
    hcbench_executors,
    hcbench_metrics,
    hcbench_oracles,
    hcbench_run_finished,
    hcbench_run_started,
    hcbench_suites,
)

__all__ = [
    "hcbench_algorithms",
    "hcbench_cell_finished",
    "hcbench_commands",
    "hcbench_datasets",
    "hcbench_executors",
    "hcbench_metrics",
    "hcbench_oracles",
    "hcbench_run_finished",
    "hcbench_run_started",
    "hcbench_suites",
]
