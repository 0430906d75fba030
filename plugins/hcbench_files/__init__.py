"""Trees, comparisons, items and tables from files, with errors of one line that name the file.

Public as `hcbench.read_tree`, `hcbench.files.read_items` and so on; `hcbench.Comparisons.read` and
`hcbench.Comparisons.write` are here, too. Data sets in files are in ``hcbench_datasets``.
`MAX_DECOMPRESSED` is the number of bytes that a compressed file may become, `DECIMAL_COMMA` matches
a number with a decimal comma, and `HEADERS` are words of which a header has one.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
