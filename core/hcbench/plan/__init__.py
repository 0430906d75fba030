"""The cross product of a suite: cells with their seeds and keys, and what became of them.

Read `cell` first, then `plan`, which makes the cells from a suite. `outcome` is what
became of a cell, and `presentation` is how the outcomes of a run are shown.
"""
