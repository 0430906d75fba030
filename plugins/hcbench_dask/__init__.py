"""Cells on the machines of a dask cluster: the executor ``dask``.

Read `cluster` first: it is opened for a run and sends every dask worker the terms of it, once. A
`connection` follows which workers there are. The `pool` takes cells and returns reports. In each
dask worker a `host` runs cells as they run locally, in isolated processes of that machine.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from hcbench import ExecutorSpec, HcbenchError, hookimpl

if TYPE_CHECKING:
    from hcbench_dask.cluster import Cluster


@hookimpl
def hcbench_executors() -> Iterable[ExecutorSpec]:
    """Return the executor ``dask``."""
    doc = (
        "on a dask cluster (hcbench[dask]); without --scheduler, one in this process. "
        "tls:// takes the certificates from dask's configuration."
    )
    return [ExecutorSpec(name="dask", function="hcbench_dask:open_cluster", doc=doc)]


def open_cluster(**settings: Any) -> Cluster:
    """A cluster for a run, to be entered; see `hcbench_dask.cluster.Cluster`."""
    try:
        from hcbench_dask.cluster import Cluster
    except ImportError as error:
        if (error.name or "").split(".")[0] not in ("dask", "distributed"):
            raise
        raise HcbenchError(
            'the executor dask needs dask, which is not installed: pip install "hcbench[dask]"'
        ) from None
    return Cluster(**settings)
