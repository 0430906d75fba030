"""What is clustered, and what clustering returns.

`problem` holds the items: vectors, similarities or `comparisons`, with their true hierarchy.
`trees` are hierarchies and partitions of them, and their formats. This package imports nothing, so
that `SIMILARITY_RULES` can be named in specs.
"""

SIMILARITY_RULES = ("cosine", "euclidean", "dot")
"""Similarities of items that are given as vectors; see `similarity_of_vectors`."""
