"""Comparisons: answers to the question which of two pairs of items is the more similar one.

`Comparisons` are a list of answers, made of `arrays` of several conventions, or are bits, which
also index them where they are dense. `AllComparisons` are all answers that a ranking implies,
without storing them. `hcbench.read_comparisons` reads them from files.
"""

from hcbench.model.comparisons.all_comparisons import AllComparisons
from hcbench.model.comparisons.bits import PreferenceBits
from hcbench.model.comparisons.comparisons import Comparisons

__all__ = ["AllComparisons", "Comparisons", "PreferenceBits"]
