"""The store: the result of every cell that was ever run, so that none runs twice.

Only the main process writes it, in short transactions. SQLite by default, PostgreSQL by URL.
`schema` defines the tables, `engine` and `database` open them, `rows` and `codec` translate,
`queries` read, and `store` is what all other packages use. `merge` joins stores (`joined_runs`
finds which runs are the same), `exchange` exports and imports runs, `annotations` names and removes
single runs, and `tidying` removes what no run shows; `trust` checks rows that come from elsewhere.
"""

from hcbench.store.rows import Record, RunInfo, Stored
from hcbench.store.store import Store

__all__ = ["Record", "RunInfo", "Store", "Stored"]
