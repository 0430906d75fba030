"""The user's own data, from a file."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from hcbench import DataError, DataRequest, HcbenchError, Problem, Tree
from hcbench.errors import NewickWarning
from hcbench.files import TreeFile, read_named_comparisons, tell_if_slow
from hcbench.model import check_regular
from hcbench_datasets.comparisons import note_contradictions, note_rare_items
from hcbench_datasets.content import Content, Roles
from hcbench_datasets.fetch import sampled_rows
from hcbench_datasets.holding_out import hold_out
from hcbench_datasets.preparation import PREPARATION, scaled
from hcbench_datasets.reading import number_of_items, read_content, roles_of


def file(request: DataRequest, **params: Any) -> Problem:
    """Read a problem from a file; the parameters are those of the spec.

    Raises
    ------
    DataError
        If the file cannot be used as it is. The one-line message has the file's name, the places
        of the errors and the remedy.
    """
    seed = request.seed
    path = Path(params["path"]).expanduser()
    with tell_if_slow(f"reading {path}"):
        return _read_problem(path, params, seed)


def _read_problem(path: Path, params: Mapping[str, Any], seed: int) -> Problem:
    """The problem of a file."""
    if params["comparisons"]:
        return _comparisons_problem(path, params, roles_of(params), seed)
    content = read_content(params)
    n = number_of_items(content, path)
    problem = Problem(
        n=n,
        names=content.names,
        vectors=content.vectors,
        similarity=content.similarity,
        levels=content.levels,
        truths=_truths(content, n, params),
    )
    # Scaling comes after it, so that it is that of the items in use.
    if params["n"] is not None:
        problem = problem.take(sampled_rows(params["n"], n, seed, str(params["path"])))
    return _scaled(problem, params)


def _scaled(problem: Problem, params: Mapping[str, Any]) -> Problem:
    """The problem after what is done once its items are sampled_rows."""
    where = str(params["path"])
    scale = params["scale"]
    if params["standardise"]:
        if scale is not None:
            raise DataError(f"{where}: standardise=true is scale=columns; omit one of the two")
        scale = "columns"
    if scale is None:
        return problem
    return replace(problem, vectors=scaled(problem.vectors, scale, where))


def _truths(content: Content, n: int, params: Mapping[str, Any]) -> dict[str, Tree]:
    """The true trees, if a file of one is given; labels alone become a tree in the problem."""
    truths: dict[str, Tree] = {}
    if params["truth"] is not None:
        truths["newick"] = _read_truth(params["truth"], content.names, n)
        # A problem with a tree of its own would not make one of the labels.
        if content.levels is not None:
            truths["labels"] = Tree.from_levels(content.levels, names=content.names)
    return truths


def _comparisons_problem(path: Path, params: Mapping[str, Any], roles: Roles, seed: int) -> Problem:
    unused = ("similarity", "distance", "missing", "categorical", "n") + PREPARATION
    has_unused = roles.names is not None or bool(roles.labels)
    for name in unused:
        if params[name] not in (None, False, ()):
            has_unused = True
    if has_unused:
        raise DataError(
            f"{path}: a list of comparisons has its own columns of items; omit labels, names, "
            f"{', '.join(unused)}"
        )
    check_regular(path)
    comparisons, names = read_named_comparisons(path, drop=roles.drop)
    # A header alone, say.
    if not len(comparisons):
        raise DataError(
            f"{path}: there are no comparisons; a row is the numbers i,j,k,l of a quadruplet, or "
            "i,j,k of a triplet"
        )
    note_contradictions(comparisons)
    note_rare_items(comparisons, names)
    truths = {}
    if params["truth"] is not None:
        truths["newick"] = _read_truth(params["truth"], names, comparisons.n)
    held_out = None
    if params["held_out"] is not None:
        comparisons, held_out = hold_out(
            comparisons, params["held_out"], params["split"], seed, str(path)
        )
    return Problem(
        n=comparisons.n, names=names, comparisons=comparisons, held_out=held_out, truths=truths
    )


def _read_truth(file: str, names: tuple[str, ...] | None, n: int) -> Tree:
    """Read the tree of ``FILE`` or ``FILE[tree=3]``, with its leaves in the order of the items."""
    with warnings.catch_warnings():
        # A truth need not have heights: without branch lengths, its topology is used.
        warnings.simplefilter("ignore", NewickWarning)
        tree = TreeFile.parse(file).read()
    if tree.names is None and names is not None:
        raise DataError(
            f"{file}: the leaves have no names; write the tree as Newick, in R with "
            "ape::write.tree(ape::as.phylo(x), 'tree.nwk')"
        )
    try:
        if names is not None:
            return tree.in_order_of(names)
        tree = tree.in_order_of(tuple(map(str, range(n))))
    except HcbenchError as error:
        hint = ""
        if names is None:
            hint = "; without names the leaves are the rows, 0..n-1"
        raise DataError(f"{file}: {error}{hint}") from error
    return Tree(tree.parent, tree.height, tree.kind)
