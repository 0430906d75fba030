"""Functions for callers in Python: `compare` runs a comparison, `direct` one algorithm or metric.

`data` makes problems of the forms in which callers have data, `items` names their items, and `uses`
makes plans possible with functions, specs and data that are not registered. `matching` reads trees
and truths from files, `scoring` scores them, and `scores` shows the values. `notebook` has the
results of a comparison.
"""
