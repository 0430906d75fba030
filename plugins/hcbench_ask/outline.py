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

    shown = [" ".join(visible(name).split()) for name in names]
    return _tree_lines(result, shown) if isinstance(result, Tree) else _cluster_lines(result, shown)


def visible(text: str) -> str:
    """Replace characters that would move the cursor or change the terminal by spaces."""
    return "".join(
        character if character.isprintable() or character == "\n" else " " for character in text
    )


def _tree_lines(tree: Tree, names: Sequence[str]) -> Iterator[str]:
    """One line per leaf, with the root on the left."""
    left = [(tree.root, "", "")]
    while left:
        node, lead, below = left.pop()
        children = tree.children(node).tolist()
        if not children:
            yield f"{lead}─ {names[node]}"
            continue
        branches = [f"{lead}─┬", *[f"{below} ├"] * (len(children) - 2), f"{below} └"]
        indents = [*[f"{below} │"] * (len(children) - 1), f"{below}  "]
        left.extend(reversed(list(zip(children, branches, indents, strict=True))))


def _cluster_lines(partition: Partition, names: Sequence[str]) -> Iterator[str]:
    for cluster in range(partition.n_clusters):
        members = partition.members(cluster).tolist()
        yield f"{cluster + 1} ({len(members)}): {', '.join(names[i] for i in members)}"
