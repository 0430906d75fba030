# The names of hcbench.results. lazy_loader reads this file.

from .stability import agreement as agreement, common_items as common_items
