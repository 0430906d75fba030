"""What came out of a comparison: rows, summary, ranks, verdicts, and their written forms.

`results` is what callers have, `rows` its plain values and `files` how they are written; `exports`
carries whole runs to others and back, `differences` tells what has changed between two.
"""

from hcbench.analysis.results.results import Results

__all__ = ["Results"]
