"""What a comparison allows to conclude: about data sets, about one generator of data, or nothing.

Repetitions on the same data differ only in the random numbers of oracle and algorithm. As blocks
of a test they would be pseudo-replication [1]_: the same observation, counted many times.

References
----------
.. [1] S. H. Hurlbert, "Pseudoreplication and the design of ecological field experiments",
   Ecological Monographs 54 (1984).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from hcbench.plan.outcome import Outcome

Unit: TypeAlias = Literal["data set", "repetition"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inference:
    """What statements about algorithms the cells of a comparison allow.

    Attributes
    ----------
    unit : {"data set", "repetition"}
        What a block is.
    about : str
        What a statement is about: "data sets", or the data set whose repetitions are blocks.
    draws : mapping of data set to bool
        Whether each of its repetitions has data of its own.
    reason : str
        Why there is no test; "" if there is one.
    """

    unit: Unit
    about: str
    draws: Mapping[str, bool]
    reason: str = ""


def allowed_inference(outcomes: Iterable[Outcome], datasets: Sequence[str]) -> Inference:
    """What statements the cells of a comparison allow.

    With several data sets, blocks are data sets. With a single one, blocks are its repetitions if
    each of them has data of its own, by the digests of the data; otherwise there is no test.

    Parameters
    ----------
    outcomes : iterable of Outcome
    datasets : sequence of str
        The labels of the data sets on which algorithms ran.
    """
    digests: dict[str, dict[int, str]] = {dataset: {} for dataset in datasets}
    for outcome in outcomes:
        if outcome.dataset in digests and outcome.data_digest:
            digests[outcome.dataset][outcome.repetition] = outcome.data_digest
    draws = {
        dataset: 1 < len(of_one) == len(set(of_one.values())) for dataset, of_one in digests.items()
    }
    if len(datasets) != 1:
        return Inference(unit="data set", about="data sets", draws=draws)
    (dataset,) = datasets
    if draws[dataset]:
        return Inference(unit="repetition", about=dataset, draws=draws)
    reason = (
        f"all repetitions on {dataset} have the same data"
        if len(digests[dataset]) > 1
        else f"there is one repetition on {dataset}"
    )
    return Inference(unit="data set", about=dataset, draws=draws, reason=reason)
