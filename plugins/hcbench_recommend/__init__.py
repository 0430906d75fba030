"""The command ``hcbench recommend``: which method suits the user's data.

`recommending` runs the methods on the data and on what `subsample` draws, `judging` says which of
them are recommended, by the statistics of `deciding` and in the words of `sentences`; `command`
prints the `recommendation`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hcbench import (
    REQUIRED,
    CommandSpec,
    DatasetSpec,
    Parameter,
    ParameterError,
    Params,
    hookimpl,
    load_registry,
)


def _whole(params: Params) -> Any:
    """The data set that is sampled."""
    uses = load_registry().use_datasets(str(params["of"]))
    if len(uses) != 1:
        raise ParameterError(
            f"subsample: of={params['of']!r} means {len(uses)} data sets; name one"
        )
    return uses[0]


def _provides(params: Params) -> tuple[str, ...]:
    whole = _whole(params)
    return tuple(sorted(whole.spec.provides_with(whole.params)))


def _truths(params: Params) -> tuple[str, ...]:
    whole = _whole(params)
    names: tuple[str, ...] = whole.spec.truths_with(whole.params)
    return names


SUBSAMPLE = DatasetSpec(
    name="subsample",
    function="hcbench_recommend.subsample:subsample",
    doc="A random part of the items of another data set.",
    parameters=(
        Parameter("of", REQUIRED, "The data set, such as iris or ./mine.csv.", type="str"),
        Parameter("share", 0.8, "The share of the items that are drawn.", interval="(0, 1]"),
    ),
    provides=_provides,
    dependent=True,
    truths=_truths,
    parts=lambda params: (_whole(params),),
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
    """Return the subsamples."""
    return (SUBSAMPLE,)
