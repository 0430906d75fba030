# The names of hcbench.datasets. lazy_loader reads this file.

from .fetch import Remote as Remote, data_file as data_file
