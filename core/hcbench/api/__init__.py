"""Functions for callers in Python: `compare` runs a comparison, `direct` one algorithm or metric.

`own` makes problems and specs of what callers give.
"""
