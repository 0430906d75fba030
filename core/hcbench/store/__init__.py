"""The store: the result of every cell that was ever run, so that none runs twice.

Only the main process writes it, in short transactions. SQLite by default, PostgreSQL by URL.
`schema` defines the tables, `database` opens them, `rows` and `codec` translate, `reading` reads
very many cells as columns, and `store` is what all other packages use. `merge` joins stores,
`exchange` exports and imports runs, and `tidying` names and removes runs. What is imported from
here is public.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
