"""Cells on the machines of a dask cluster: the only place that knows of dask.

Three parts: the `cluster` is opened for a run and tells every dask worker the `terms` of it, once;
its `pool` takes cells and yields reports, as `hcbench.run.workers.Pool` does; in each dask worker a
`host` runs cells as they run locally, in isolated processes of that machine.
"""

from hcbench.run.dask_pool.cluster import Cluster
from hcbench.run.dask_pool.pool import DaskPool
from hcbench.run.dask_pool.terms import Terms, terms_of

__all__ = ["Cluster", "DaskPool", "Terms", "terms_of"]
