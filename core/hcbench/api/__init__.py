"""Functions for callers in Python: `compare` runs a comparison, `direct` one algorithm or metric.

`own` makes problems and specs of what callers give, `scoring` scores trees made elsewhere, and
`sklearn` is the bridge to scikit-learn.
"""
