# The names of hcbench.testing. lazy_loader reads this file.

from .checks import (
    Check as Check,
    checks_of as checks_of,
    parametrize_with_checks as parametrize_with_checks,
)
from .exemptions import UnknownCheckWarning as UnknownCheckWarning
from .metric_values import EXAMPLE_COST as EXAMPLE_COST
from .subjects import CheckFailedError as CheckFailedError, Finding as Finding
