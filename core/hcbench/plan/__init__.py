"""The cross product of a suite: cells with their seeds and keys, and what became of them.

Read `cell` first, then `plan`, which makes the cells from a suite. `outcome` is what became of a
cell, `columns` hold the outcomes of very many, and `presentation` is how those of a run are shown.

What is imported from here is public: plugins that make or run plans of their own use it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
