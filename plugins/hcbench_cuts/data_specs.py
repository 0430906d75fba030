"""The spec of the data set ``cut-of``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hcbench import DatasetSpec, Parameter, ParameterError, Params
from hcbench.registry import Use
from hcbench_cuts.references import PAPERS

SHAPES = ("balanced", "caterpillar", "random", "yule")
TRUTH = "truth"
REALISABLE = {"uniform": None, "constant": "alpha", "top-k": "k", "hard": "k"}
"""The parameter that each law of a cut requires."""

_DEFAULT_N = 100


def source(data: str | None, tree: str, n: int | None) -> tuple[str, str]:
    """The name of the data set, and of the algorithm that makes its tree, or `TRUTH`.

    Raises
    ------
    ParameterError
        If the parameters do not go together.
    """
    if data is not None:
        if n is not None:
            raise ParameterError(f"cut-of: n={n} is for a shape; data={data} has its own items")
        # The truth is known by its name in any case, and an algorithm by its own.
        if tree.casefold() == TRUTH:
            return data, TRUTH
        return data, tree
    if tree.casefold() not in SHAPES:
        raise ParameterError(
            f"cut-of: tree={tree} needs data=..., the data set to run it on; without data the tree "
            f"is one of {', '.join(SHAPES)}"
        )
    n_leaves = n
    if n_leaves is None:
        n_leaves = _DEFAULT_N
    return f"random-tree[n={n_leaves},shape={tree.casefold()}]", TRUTH


def _parts(params: Params) -> dict[str, list[str]]:
    """The data set and, unless it is its own true tree, the algorithm."""
    data, tree = _source(params)
    if tree == TRUTH:
        return {"datasets": [data]}
    return {"datasets": [data], "algorithms": [tree]}


def _source(params: Params) -> tuple[str, str]:
    """`source` of the parameters of the data set."""
    data = params["data"]
    tree = params["tree"]
    n = params["n"]
    assert isinstance(tree, str)
    assert data is None or isinstance(data, str)
    assert n is None or isinstance(n, int)
    return source(data, tree, n)


def _check_law(params: Params) -> None:
    """Check that a law has the parameter that it requires, and none of another law."""
    law = str(params["law"])
    if law == "labels" and params["data"] is None:
        raise ParameterError("cut-of: law=labels needs data=..., a data set with labels")
    required = REALISABLE.get(law)
    if required is not None and params[required] is None:
        raise ParameterError(f"cut-of: law={law} needs {required}=...")
    for name in ("alpha", "k"):
        if params[name] is not None and name != required:
            raise ParameterError(f"cut-of: {name}={params[name]} is not for law={law}")


def _provides(params: Params, parts: Sequence[Use[Any]]) -> tuple[str, ...]:
    """What a cut provides: no more than the data set, the first part, whose tree is cut."""
    _check_law(params)
    data = parts[0]
    provided = data.provides
    # Unless the tree is the true one, the second part makes it.
    for algorithm in parts[1:]:
        if algorithm.spec.returns != "tree":
            raise ParameterError(f"cut-of: {algorithm.label} returns no tree")
    if len(parts) == 1 and TRUTH not in provided:
        raise ParameterError(f"cut-of: {data.label} has no true tree; tree=... names an algorithm")
    if params["law"] == "labels":
        if not provided & {"levels", "truth"}:
            raise ParameterError(f"cut-of: law=labels, but {data.label} has no labels")
        # The truth remains that of the data, with its heights.
        kept = provided & {"levels", "truth", "heights", "vectors", "similarity"}
        return ("tree", *sorted(kept))
    # The true clusters are the drawn cut, whatever truth the data have.
    kept = provided & {"vectors", "similarity"}
    return ("tree", "levels", "truth", *sorted(kept))


def _is_random(params: Params, parts: Sequence[Use[Any]]) -> bool:
    """Whether the cut is drawn, or the data are."""
    return params["law"] in ("uniform", "constant", "hard") or parts[0].is_random


def _is_dependent(params: Params, parts: Sequence[Use[Any]]) -> bool:
    """Whether all true cuts are of the same items, or of items that are drawn from the same ones.

    The leaves of a shape have no data, so that each tree with its cut is a new one.
    """
    if params["data"] is None:
        return False
    data = parts[0]
    return _is_random(params, parts) and (not data.is_random or data.is_dependent)


CUT_OF = DatasetSpec(
    name="cut-of",
    function="hcbench_cuts.cut_of:cut_of",
    doc="A tree to be cut, with its true clusters: the labels of the data, or a cut of the tree.",
    parameters=(
        Parameter(
            "tree",
            "balanced",
            "The algorithm that makes the tree of the data, such as UPGMA; truth, the true tree of "
            f"the data; without data, a shape: {', '.join(SHAPES)}.",
        ),
        Parameter(
            "data",
            None,
            "The data set that the tree is made from, such as digits or mnist[n=10000].",
            type="str",
        ),
        Parameter(
            "law",
            "uniform",
            "The true clusters: a cut drawn uniformly among all cuts of the tree; a cut with each "
            "node below it with probability alpha if those above it are above; the tree cut into "
            "k clusters; one of 2^k cuts that are hard to distinguish, with each of k nodes, or "
            "its children, as clusters; or the labels of the data, which may not be a cut.",
            choices=("uniform", "constant", "top-k", "hard", "labels"),
        ),
        Parameter("alpha", None, "Of law=constant.", type="float", interval="(0, 1)"),
        Parameter(
            "k",
            None,
            "For law=top-k: number of clusters; for law=hard: B of theorem 2, at most the metric "
            "lower-leaves.",
            type="int",
            interval="[1, inf)",
        ),
        Parameter(
            "n",
            None,
            f"Number of leaves of a shape, by default {_DEFAULT_N}.",
            type="int",
            interval="[2, inf)",
        ),
    ),
    provides=_provides,
    random=_is_random,
    dependent=_is_dependent,
    parts=_parts,
    paper=PAPERS["gentile2019"],
    tags=("simulated",),
)

DATASETS: tuple[DatasetSpec, ...] = (CUT_OF,)
