"""Cells on the machines of a dask cluster; no other module imports dask.

Read `cluster` first: it is opened for a run and sends every dask worker the `terms` of it, once.
Its `pool` takes cells and returns reports, as `hcbench.run.workers.Pool` does. In each dask worker
a `host` runs cells as they run locally, in isolated processes of that machine.
"""

from hcbench.run.dask_pool.cluster import Cluster
from hcbench.run.dask_pool.pool import DaskPool
from hcbench.run.dask_pool.terms import Terms, terms_of

__all__ = ["Cluster", "DaskPool", "Terms", "terms_of"]
