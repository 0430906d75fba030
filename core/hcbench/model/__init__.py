"""What is clustered, and what clustering returns.

`problem` holds the items: vectors, similarities or `comparisons`, with their true hierarchy.
`trees` are hierarchies and partitions of them, and their formats.

`hcbench.Problem`, `hcbench.Tree` and `hcbench.Partition` are imported from `hcbench`. What is
imported from here computes with them: distances and similarities, pairs of items, cuts of trees,
numbers and labels that are written as text. `read_regular` and `check_regular` refuse pipes and
devices. `SIMILARITY_RULES` are the rules of
`similarity_of_vectors`; `Vectors` are an (n, p) array or csr_array.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

# It is defined here, without any import, so that specs can name it.
SIMILARITY_RULES = ("cosine", "euclidean", "dot")
__all__ += ["SIMILARITY_RULES"]
