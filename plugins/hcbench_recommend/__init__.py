"""The command ``hcbench recommend``: which method suits the user's data.

`choosing` says which methods, distances and metrics take part, `drawing` how many items or answers
are drawn. `recommending` runs the methods on the data: on what `subsample` draws if metrics decide,
and on `halves`, which `replicating` compares, if nothing but the data are there. The distances that
are tried are those of scaled `rows`. `judging` says which methods are recommended, by the
statistics of `deciding` and in the words of `sentences`; `command` prints the `recommendation`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hcbench import (
    REQUIRED,
    CommandSpec,
    DatasetSpec,
    Parameter,
    Params,
    hookimpl,
)
from hcbench.registry import Use

# ---- What the derived data sets provide ----------------------------------------------------------


def _parts(params: Params) -> dict[str, list[str]]:
    """The data set that is sampled."""
    return {"datasets": [str(params["of"])]}


def _provides(_params: Params, parts: Sequence[Use[DatasetSpec]]) -> tuple[str, ...]:
    """As the data set that is sampled."""
    return tuple(sorted(parts[0].provides))


def _truths(_params: Params, parts: Sequence[Use[DatasetSpec]]) -> tuple[str, ...]:
    """As the data set that is sampled."""
    return parts[0].truths


def _provides_of_half(params: Params, parts: Sequence[Use[DatasetSpec]]) -> tuple[str, ...]:
    """Data without clusters have vectors only."""
    if params["reference"]:
        return ("vectors",)
    return _provides(params, parts)


def _truths_of_half(params: Params, parts: Sequence[Use[DatasetSpec]]) -> tuple[str, ...]:
    """Data without clusters have no truth."""
    if params["reference"]:
        return ()
    return _truths(params, parts)


# ---- Specs ---------------------------------------------------------------------------------------

_OF = Parameter("of", REQUIRED, "The data set, such as iris or ./mine.csv.", type="str")
_DISTANCE = Parameter(
    "distance",
    "euclidean",
    "The distance that Euclidean distances of the scaled rows are: correlation scales each row to "
    "mean 0 and standard deviation 1, cosine to length 1, and euclidean not at all.",
    choices=("euclidean", "correlation", "cosine"),
)

SUBSAMPLE = DatasetSpec(
    name="subsample",
    function="hcbench_recommend.subsample:subsample",
    doc="A random part of the items of another data set.",
    parameters=(
        _OF,
        Parameter("share", 0.8, "The share of the items that are drawn.", interval="(0, 1]"),
        _DISTANCE,
    ),
    provides=_provides,
    # Repetitions share items.
    dependent=True,
    truths=_truths,
    parts=_parts,
    tags=("own",),
)

ROWS = DatasetSpec(
    name="rows",
    function="hcbench_recommend.rows:rows",
    doc="The items of another data set with scaled rows, for other distances between them.",
    parameters=(_OF, _DISTANCE),
    provides=_provides,
    random=False,
    truths=_truths,
    parts=_parts,
    tags=("own",),
)

HALF = DatasetSpec(
    name="half",
    function="hcbench_recommend.halves:half",
    doc="A random half of the items of another data set, or of data without clusters like it.",
    parameters=(
        _OF,
        _DISTANCE,
        Parameter("division", 1, "Which division into halves.", interval="[1, inf)"),
        Parameter("side", 1, "Which half, 1 or 2.", interval="[1, 2]"),
        Parameter(
            "reference",
            0,
            "From 1, which normal data with the same means and covariance; 0 for the data.",
            interval="[0, inf)",
        ),
        Parameter("draw", 0, "The base of the random numbers.", interval="[0, inf)"),
    ),
    provides=_provides_of_half,
    random=False,
    dependent=True,
    truths=_truths_of_half,
    parts=_parts,
    tags=("own",),
)


@hookimpl
def hcbench_commands() -> Iterable[CommandSpec]:
    """Return the command ``recommend``."""
    return (
        CommandSpec(
            name="recommend",
            function="hcbench_recommend.command:recommend",
            doc="Say which method suits a data set, at what cost and with what confidence.",
        ),
    )


@hookimpl
def hcbench_datasets() -> Iterable[DatasetSpec]:
    """Return the data sets that are made of another one."""
    return (SUBSAMPLE, ROWS, HALF)
