"""Labels of trees in files, by which scores name them, and notes on their heights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hcbench.errors import DataError
from hcbench.files.trees import TreeFile
from hcbench.model.trees import Tree

#: What the branch lengths between two leaves sum to, by the parameter ``heights`` of their file.
_PART_OF_DISTANCE = {"half": "half of the merge distances", "whole": "the merge distances"}


def groups_of_trees(
    files: Sequence[TreeFile], trees: Mapping[str, Tree]
) -> dict[str, tuple[str, ...]]:
    """The labels of the trees of each file, by the label of the file.

    Parameters
    ----------
    files : sequence of TreeFile
    trees : mapping of str to Tree
        As `read_matched` returns them.
    """
    groups: dict[str, tuple[str, ...]] = {}
    for label, file in zip(labels_of(files), files, strict=True):
        if not file.has_many:
            groups[label] = (label,)
            continue
        # `_read_trees` numbers the trees of a file in this way.
        numbered = []
        for name in trees:
            if name.startswith(f"{label}#"):
                numbered.append(name)
        groups[label] = tuple(numbered)
    return groups


def labels_of(files: Sequence[TreeFile]) -> list[str]:
    """The names of the files, with their folders where two have the same.

    Raises
    ------
    DataError
        If a tree is given twice.
    """
    names = [file.name for file in files]
    texts = [str(file) for file in files]
    for text in texts:
        # Its number or its unit of heights may differ: then the texts differ, too.
        if texts.count(text) > 1:
            raise DataError(f"{text} is given twice; once is enough")
    labels = []
    for name, text in zip(names, texts, strict=True):
        if names.count(name) == 1:
            labels.append(name)
        else:
            labels.append(text)
    return labels


def height_notes(files: Sequence[TreeFile], trees: Mapping[str, Tree]) -> dict[str, str]:
    """What the heights of trees from branch lengths are, by the labels of the trees."""
    notes = {}
    groups = groups_of_trees(files, trees)
    for label, file in zip(labels_of(files), files, strict=True):
        # All trees of a file are of one program; whether the first one has heights tells it of all.
        if not file.is_newick or trees[groups[label][0]].height is None:
            continue
        heights = file.heights or "half"  # the default of the format
        note = f"heights={heights}: branch lengths of {label} sum to {_PART_OF_DISTANCE[heights]}"
        if file.heights is None:
            whole = replace(file, heights="whole")
            note += f", as by default; if they sum to the whole, give '{whole}'"
        for name in groups[label]:
            notes[name] = note
    return notes
