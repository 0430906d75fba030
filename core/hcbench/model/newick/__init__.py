"""Newick and Nexus text, as arrays of nodes with their branch lengths, and back.

Use `hcbench.Tree.from_newick` and `hcbench.Tree.to_newick`. From bottom to top: `statements` finds
the words of a text, `nexus` its trees, `lengths` turns branch lengths into heights and back, and
`text` reads and writes a tree.
"""
