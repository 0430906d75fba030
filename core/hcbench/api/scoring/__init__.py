"""Metrics of given trees: ``hcbench score``.

`matching` brings trees, truths and data from files into one order of the items, and `scores`
computes the metrics.
"""
