"""What kernels of plugins use that query an oracle in compiled code. Experimental: it may change.

See `hcbench.oracle.compiled`, where everything here is defined.

`ASK` is the type of the function with which a kernel queries an oracle, `STATE` that of its ledger,
and `WITH_ITSELF` the answer to a query that pairs an item with itself. Of a word of 64 bits,
`count_ones` are 1, and below the lowest of these there are `count_zeros`.
"""

# Their names are listed once, where they are defined.
from hcbench.oracle.compiled import *  # noqa: F403
from hcbench.oracle.compiled import __all__ as __all__
