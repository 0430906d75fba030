"""Comparisons: answers to the question which of two pairs of items is the more similar one.

A pair of items has a number (`pairs`). `Comparisons` are a list of answers, made of arrays of
several conventions (`arrays`) or of `files`, or are `bits`, which also index them where they are
dense. `AllComparisons` are all answers that a ranking implies, without storing them (`ranked`).
"""

from hcbench.model.comparisons.bits import PreferenceBits
from hcbench.model.comparisons.comparisons import Comparisons
from hcbench.model.comparisons.ranked import AllComparisons

__all__ = ["AllComparisons", "Comparisons", "PreferenceBits"]
