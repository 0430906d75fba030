"""The results of a comparison: rows, summary, ranks, verdicts, and their written forms.

`results` has the public class, `rows` its plain values and `files` their formats; `exports` writes
and reads whole runs, and `differences` compares two runs.
"""

from hcbench.analysis.results.results import Results

__all__ = ["Results"]
