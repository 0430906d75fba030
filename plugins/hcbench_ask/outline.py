"""A tree or a partition as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hcbench import Partition, Tree


def outline(result: Tree | Partition, names: Sequence[str]) -> Iterator[str]:
    """The lines of a drawing: one per leaf of a tree, or per cluster.

    Parameters
    ----------
    result : Tree or Partition
    names : sequence of str
        Names of the items.
    """
    from hcbench import Tree

    one_line_names = [" ".join(visible(name).split()) for name in names]
    if isinstance(result, Tree):
        return _tree_lines(result, one_line_names)
    return _cluster_lines(result, one_line_names)


def visible(text: str) -> str:
    """Replace characters that would move the cursor or change the terminal by spaces."""
    characters = []
    for character in text:
        if character.isprintable() or character == "\n":
            characters.append(character)
        else:
            characters.append(" ")
    return "".join(characters)


def _tree_lines(tree: Tree, names: Sequence[str]) -> Iterator[str]:
    """One line per leaf, with the root on the left."""
    # A stack of nodes, the next one last, each with what its first line and its further lines
    # start with.
    stack = [(tree.root, "", "")]
    while stack:
        node, lead, below = stack.pop()
        children = tree.children(node).tolist()
        if not children:
            yield f"{lead}─ {names[node]}"
            continue
        first, *between, last = children
        stack.append((last, f"{below} └", f"{below}  "))
        for child in reversed(between):
            stack.append((child, f"{below} ├", f"{below} │"))
        stack.append((first, f"{lead}─┬", f"{below} │"))


def _cluster_lines(partition: Partition, names: Sequence[str]) -> Iterator[str]:
    for cluster in range(partition.n_clusters):
        members = partition.members(cluster).tolist()
        yield f"{cluster + 1} ({len(members)}): {', '.join(names[i] for i in members)}"
