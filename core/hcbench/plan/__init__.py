"""The cross product of a suite: cells with their seeds and keys, and what became of them.

`plan` makes the cells, `shards` divides them, `outcome` is the row that a cell becomes, and
`presentation` tells how the rows of a run are shown.
"""
