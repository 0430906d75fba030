# The names of hcbench.plan that plugins may use, and where they are defined. lazy_loader reads this
# file.

from .cell import (
    Cell as Cell,
)
from .outcome import (
    Outcome as Outcome,
)
from .plan import (
    Plan as Plan,
    make_plan as make_plan,
)
from .seeds import (
    derive_seed as derive_seed,
)
