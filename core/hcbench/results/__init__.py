"""The results of a comparison, with everything that is derived from them.

`results` has `hcbench.Results`, which puts the statistics of `hcbench.analysis` and the verdicts of
`hcbench.claims` together; `overviews` makes its tables and the lines below them. `changes` compares
two runs, and `exports` writes runs as JSON and Parquet and reads these.
"""
