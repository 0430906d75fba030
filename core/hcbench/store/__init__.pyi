# The names of hcbench.store that plugins may use, and where they are defined. lazy_loader reads
# this file.

from .exchange import describe_run as describe_run, import_run as import_run
from .merge import merge_stores as merge_stores
from .rows import RunInfo as RunInfo
from .store import Store as Store
from .tidying import (
    annotate_run as annotate_run,
    name_run as name_run,
    remove_run as remove_run,
    tidy as tidy,
)
