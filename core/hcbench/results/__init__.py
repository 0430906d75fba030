"""The results of a comparison, with everything that is derived from them.

`evaluation` puts the statistics of `hcbench.analysis` and the verdicts of `hcbench.claims`
together, and `overviews` makes tables of these and the lines below them. `results` has
`hcbench.Results`, with the forms in which all this is written. `changes` compares two runs, and
`exports` writes runs as JSON and Parquet and reads these.
"""
