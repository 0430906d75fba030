"""hcbench: which algorithm builds the better hierarchy, from how many queries, and in what time.

An algorithm asks an oracle about a problem and returns a hierarchy. The packages below follow one
cell (an algorithm on a data set, with an oracle and a seed) from bottom to top; each imports only
those before it.

- `errors`: every error, one line each.
- `model`: what is clustered and what comes out: problems, comparisons, trees, partitions.
- `oracle`: answers to queries, and the ledger that counts them.
- `registry`: what plugins declare (algorithms, data sets, oracles, metrics, suites), by name.
- `files`: trees, comparisons, items and tables from files.
- `plan`: the cross product of a suite as `Cell` objects, with their seeds and keys.
- `store`: results in SQLite or PostgreSQL.
- `run`: `run_plan` turns each `Cell` into a `Job`, a worker runs it and sends a `Report`, and its
  `Outcome` becomes a row of the store.
- `analysis`: outcomes as one table, statistics, ranks and views.
- `claims`: what is claimed in suites, and verdicts on it.
- `results`: `Results`, with everything that is derived from outcomes.
- `figures` are drawn with matplotlib, and `pages` are HTML: reports and sites.
- `testing`: the conformance checks of plugins, and the files of a new one.
- `api` serves Python, and `cli` is the command line.

Everything public is imported from here, or from `hcbench.analysis`, `hcbench.asv`,
`hcbench.commands`, `hcbench.compiled`, `hcbench.datasets`, `hcbench.errors`, `hcbench.figures`,
`hcbench.files`, `hcbench.hooks`, `hcbench.model`, `hcbench.oracle`, `hcbench.plan`,
`hcbench.registry`, `hcbench.run`, `hcbench.sklearn`, `hcbench.store` and `hcbench.testing`; modules
are loaded when first used.

`hookimpl` marks the hooks of a plugin. `QUERY_KINDS` maps the names of the kinds of queries to
them. `REQUIRED` is the default of a `Parameter` that must be given; `SIMILARITY_RULES` are the
rules of `similarity_matrix`. An ordinal oracle answers `NONE` if no two of three items are closer,
and `UNSURE` if it does not know. `Params` are a mapping of names to values, and a `Value` is that
of a parameter. A `Result` is what an algorithm returns.
"""

import lazy_loader

# The public names, and where they are defined, are written once, in __init__.pyi.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
