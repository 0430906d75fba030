"""Algorithms in a process of their own, without data, truth and ledger: the executor ``strict``.

In the worker, `parent` starts a Python that has nothing of the cell, and answers what it asks;
there, `child` calls the algorithm. What comes back is read as numbers and text, never as objects.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from hcbench import ExecutorSpec, HcbenchError, hookimpl

if TYPE_CHECKING:
    from hcbench.run import ThisMachine


_NO_SANDBOX = (
    "strict: algorithms can read and write your files and see other processes, as bubblewrap is "
    "not installed or not permitted here (try: bwrap --unshare-all --ro-bind / / true)"
)


@hookimpl
def hcbench_executors() -> Iterable[ExecutorSpec]:
    """Return the executor ``strict``."""
    doc = (
        "on this machine; each algorithm is called in a new process, which has neither truth nor "
        "ledger and gets its data and answers through a pipe."
    )
    return [ExecutorSpec(name="strict", function="hcbench_strict:open_strict", doc=doc)]


def open_strict(
    *, jobs: int | None, scheduler: str | None, threads: int, **_: object
) -> AbstractContextManager[ThisMachine]:
    """Processes of this machine.

    Raises
    ------
    HcbenchError
        If a scheduler is given.
    """
    import click

    from hcbench.run import ThisMachine, check_machine
    from hcbench_strict.sandbox import sandbox_program

    if scheduler is not None:
        raise HcbenchError(f"the executor strict is this machine; omit --scheduler {scheduler}")
    if sandbox_program() is None:
        click.echo(f"hcbench: {_NO_SANDBOX}", err=True)
    cores = int(check_machine({})["cores"])
    slots = jobs or max(1, cores // threads)
    return nullcontext(ThisMachine(slots, "hcbench_strict.parent:call", threads))
