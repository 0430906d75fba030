# The names of hcbench.analysis that plugins may use, and where they are defined. lazy_loader reads
# this file.

from .performance import (
    EXACT as EXACT,
    StoredResult as StoredResult,
    read_results as read_results,
)
from .statistics import (
    holm_adjusted as holm_adjusted,
    signed_rank_test as signed_rank_test,
    summarise as summarise,
)
from .tables import (
    Block as Block,
    Entry as Entry,
    format_spread as format_spread,
    to_markdown as to_markdown,
)
