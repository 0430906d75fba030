"""What commands of plugins share with hcbench's own.

Options, such as `STORE`, `PLUGIN`, `RUN`, `QUIET`, `JOBS`, `JSON_OR_TABLE`, `RESULTS_FORMAT`,
`ONLY_METRICS`, `CELL_FILTERS` and `RUN_FILTERS`, are decorators of click; `FILE`, `FOLDER`, `PATH`
and `DATE` are types of their values, and `KINDS` the kinds of names. Data are written to stdout,
and lines about progress to stderr by `tell`. Each name is imported when first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub("hcbench", __file__)
