"""Functions for callers in Python: `compare` runs a comparison, `direct` one algorithm or metric.

`given_data` makes problems of arrays, labels and trees; `own` makes specs of functions and data.
"""
