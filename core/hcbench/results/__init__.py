"""The results of a comparison, with everything that is derived from them.

`evaluation` puts the statistics of `hcbench.analysis` and the verdicts of `hcbench.claims`
together. `dataset_tables`, `ranking_tables` and `verdict_tables` make tables of these, `overviews`
all of them with the lines below, which `notes` writes. `results` has
`hcbench.Results`, with the forms in which all this is written. `changes` compares two runs, and
`exports` writes runs as JSON and Parquet and reads these.
"""
