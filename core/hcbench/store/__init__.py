"""The store: what became of every cell that was ever run, so that none runs twice.

The main process alone writes it, in short transactions. SQLite by default, PostgreSQL by URL.
`schema` says what is kept, `engine` and `database` open it, `rows` and `codec` translate, `queries`
ask, and `store` is what all others use. `merge` joins
stores (`joined_runs` tells which run is which), `exchange` writes runs out and reads them in,
`tidying` removes what no run shows; `trust` checks what comes from elsewhere.
"""

from hcbench.store.rows import Record, RunInfo, Stored
from hcbench.store.store import Store

__all__ = ["Record", "RunInfo", "Store", "Stored"]
