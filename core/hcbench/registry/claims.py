"""Claims of papers: numbers and statements in a form that can be tested."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal, InvalidOperation

from hcbench.errors import SuiteError

RELATIONS = ("=", "<=", ">=", "<", ">")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One number, or one statement, that a paper makes and a suite measures.

    What is measured is the metric of an algorithm on a data set; or, if ``better_than``,
    ``than_dataset``, ``than_oracle``, ``than_metric`` or ``than_checkpoint`` names something to
    compare with, the difference from that, paired over the repetitions; or, with ``exponent``, the
    rate at which the metric grows. It is compared with ``paper``, or a difference with 0 where
    there is no number.

    Attributes
    ----------
    claim : str
        What the paper says, and where: "Table 2: 0.97 on planted data".
    algorithm, dataset, metric : str
        Names as in the suite, parameters included.
    oracle : str, optional
        Needed where the algorithm runs with several.
    checkpoint : int, optional
        The checkpoint of the suite at which all is measured; by default the end.
    paper : str
        The value as printed, so that its rounding is known.
    paper_error : float
        The standard error that the paper prints beside it, 0 if none.
    better_than : str, optional
        The algorithm with which ``algorithm`` is compared.
    than_dataset, than_oracle, than_metric : str, optional
        The data set, the oracle and the metric to compare with, where they differ from its own.
    than_checkpoint : int, optional
        Likewise the checkpoint.
    relation : {"=", "<=", ">=", "<", ">"}, optional
        How the mean is related to the number: equal up to its rounding ("="), bounded by it
        ("<=", ">="), or beyond it ("<", ">"). By default "=" with ``paper`` or ``within``;
        otherwise the difference must be on the side that is better for the metric.
    every_repetition : bool
        Whether the relation must hold in each repetition, as a theorem says, and not only for the
        mean.
    within : float
        The tolerance of "=", "<=" and ">=": how far from the number the mean may be. It is stated
        beforehand; a mean with a wide confidence interval is not tolerated more.
    tuned_by : str, optional
        A metric on whose value the parameters depend: where ``algorithm`` or ``better_than`` is a
        grid, ``NAME[param=[1, 2]]``, the member that this metric says is best counts, in each
        repetition at the checkpoint; of equally good ones the first of the grid.
    exponent : str, optional
        A numeric parameter of the data set. The claim is then about the slope of log(mean of the
        metric) against log(parameter), over the data sets of the suite that equal ``dataset`` but
        for this parameter.
    erratum : str, optional
        Why the printed value is wrong, if it is thought to be. The erratum is confirmed if the
        measurement excludes the printed value and agrees with the corrected claim.
    corrected : mapping of str to str, optional
        The fields of the claim that the correction replaces, such as ``{"paper": "0.68"}``;
        required with ``erratum``.
    other_data : str, optional
        Why the data are another sample than that of the paper, if they are. The values are then
        compared, but neither reproduced nor refuted.
    explanation : str, optional
        Why the measurement differs from the paper, shown where it does; ``"open: ..."`` tells what
        was tried without success.
    note : str
        The choice made where the paper leaves freedom.

    Raises
    ------
    SuiteError
        If the fields do not make one statement.
    """

    claim: str
    algorithm: str
    dataset: str
    metric: str
    oracle: str = ""
    checkpoint: int | None = None
    paper: str = ""
    paper_error: float = 0.0
    better_than: str = ""
    than_dataset: str = ""
    than_oracle: str = ""
    than_metric: str = ""
    than_checkpoint: int | None = None
    relation: str = ""
    every_repetition: bool = False
    within: float = 0.0
    tuned_by: str = ""
    exponent: str = ""
    erratum: str = ""
    corrected: Mapping[str, str] = field(default_factory=dict)
    other_data: str = ""
    explanation: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        wrong = self._mistake()
        if wrong:
            raise SuiteError(f"claim {self.claim!r}: {wrong}")

    def _mistake(self) -> str:
        """What is wrong with it; "" if nothing is."""
        if not self.paper and not self.compares:
            return (
                "give paper, or what to compare with: better_than, than_dataset, than_oracle, "
                "than_metric or than_checkpoint"
            )
        if self.paper and not _is_number(self.paper):
            return f'paper is the printed number as text, such as "0.86"; got {self.paper!r}'
        if self.relation and self.relation not in RELATIONS:
            return f"relation is one of {', '.join(RELATIONS)}; got {self.relation!r}"
        for name in ("within", "paper_error"):
            if not 0 <= getattr(self, name) < math.inf:
                return f"{name} is a number from 0, got {getattr(self, name)}"
        if self.within and self.relation in ("<", ">"):
            return f"within allows for a difference, and relation {self.relation!r} demands one"
        if self.exponent and (self.compares or not self.paper):
            return "exponent needs paper, the rate, and compares with nothing else"
        if self.exponent and self.every_repetition:
            return "exponent is of the means: it cannot hold in every repetition"
        if bool(self.erratum) != bool(self.corrected):
            return "an erratum needs corrected, the fields it replaces, and the reverse"
        texts = {f.name for f in fields(self) if f.type == "str"}
        for name, value in self.corrected.items():
            if name not in texts or not isinstance(value, str):
                return f"corrected replaces fields that are text; got {name} = {value!r}"
        return ""

    @property
    def without_erratum(self) -> Claim:
        """The claim as printed, to be judged like any other."""
        return replace(self, erratum="", corrected={})

    @property
    def as_corrected(self) -> Claim:
        """The claim as it should read according to its erratum."""
        return replace(self.without_erratum, **self.corrected)  # type: ignore[arg-type]

    @property
    def compares(self) -> bool:
        """Whether a difference is measured."""
        named = (self.better_than, self.than_dataset, self.than_oracle, self.than_metric)
        return any(named) or self.than_checkpoint is not None

    @property
    def rounding(self) -> float:
        """Half a unit of the last printed digit."""
        exponent = Decimal(self.paper).as_tuple().exponent if self.paper else 0
        return 0.5 * 10.0 ** int(exponent) if self.paper else 0.0


def _is_number(text: str) -> bool:
    try:
        return Decimal(text).is_finite()
    except InvalidOperation:
        return False
