"""The modules of the plugins' kernels.

``python -m tests.kernels`` imports them, which compiles and stores those whose types are declared.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import hcbench_ordinal

_PLUGINS = Path(hcbench_ordinal.__path__[0]).parent
MODULES = sorted(f"{p.parent.name}.{p.stem}" for p in _PLUGINS.glob("hcbench_*/_*kernels.py"))

if __name__ == "__main__":
    for name in MODULES:
        import_module(name)
