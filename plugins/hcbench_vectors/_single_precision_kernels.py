"""The kernels of linkages that store a distance for each pair, with 4 bytes for each.

Distances are rounded to single precision when they are stored; everything else is computed in
double precision. Compiled only where `precision=single` imports this module.
"""

from __future__ import annotations

from numba import njit, types

from hcbench_vectors import _linkage_kernels as kernels

_HALF = types.float32[::1]

measure_pairs = njit((kernels._FF, kernels._N, _HALF), cache=True)(kernels.measure_pairs.py_func)
chain = njit((_HALF, kernels._N, kernels._FF), cache=True)(kernels.chain.py_func)
