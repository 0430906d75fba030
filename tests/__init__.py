"""All tests, whose processes store compiled kernels as the program and its workers do."""

import os

from hcbench.registry.kernel_cache import kernel_environment

# Before anything imports numba, which reads it then; processes that tests start inherit it.
os.environ.update(kernel_environment())
