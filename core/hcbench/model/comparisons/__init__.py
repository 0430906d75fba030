"""Comparisons: answers to the question which of two pairs of items is the more similar one.

A pair of items has a number (`pairs`). `Comparisons` are a list of answers, made of arrays of
several conventions (`arrays`) or `files`; where they are dense, `bits` index them, or are there
first, and the list is made if it is asked for (`held`). All answers that a ranking implies are
`AllComparisons`, which stores none of them (`ranked`).
"""

from hcbench.model.comparisons.bits import PreferenceBits
from hcbench.model.comparisons.comparisons import Comparisons
from hcbench.model.comparisons.ranked import AllComparisons

__all__ = ["AllComparisons", "Comparisons", "PreferenceBits"]
