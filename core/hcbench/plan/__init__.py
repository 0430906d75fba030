"""The cross product of a suite: cells with their seeds and keys, and what became of them.

Read `cell` first, then `plan`, which makes the cells from a suite. `outcome` is what became of a
cell, `columns` hold the outcomes of very many, and `presentation` is how those of a run are shown.
"""
