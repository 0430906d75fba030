"""Suites: descriptions of comparisons, in TOML files (see `suite_files`) or registered by plugins.

A suite may hold claims of papers: numbers and statements in a form that can be tested.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from typing import Any, ClassVar

from hcbench.errors import ParameterError, SuiteError
from hcbench.model.arguments import number_above, number_from, whole_number
from hcbench.model.cost import Budget, read_budget, read_count
from hcbench.model.numbers import read_number
from hcbench.model.text import mistake_of_names
from hcbench.registry.figure import Figure
from hcbench.registry.references import Reference
from hcbench.registry.repeats import Repeats

#: What a claim may say of a number; "=" is within rounding and tolerance.
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
        Names as in the suite, parameters included. The metric may be a number that the algorithm
        reports, such as ``"iterations (reported)"``. Several algorithms or data sets are separated
        by commas, written as a grid, ``OTS[backbone=[largest, longest]]``, or as a pattern of
        names of the suite, ``cut-of[law=uniform, *]``: the claim is then about each of their
        combinations that the suite runs (see `hcbench.claims.families`).
    oracle : str, optional
        Needed where the algorithm runs with several; it may be several, too.
    checkpoint : int, optional
        The checkpoint of the suite at which all is measured; by default the end.
    paper : str
        The value as printed, so that its rounding is known.
    paper_error : float
        The standard error that the paper prints beside it, 0 if none. Where the printed value is of
        a single draw of random data, the standard deviation over draws belongs here.
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
    corrected : mapping of str to str or float, optional
        The fields of the claim that the correction replaces, texts and ``paper_error``, such as
        ``{"paper": "0.68"}``; required with ``erratum``.
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

    Examples
    --------
    >>> claim = Claim(
    ...     claim="Table 1: 0.97", algorithm="UPGMA", dataset="iris", metric="AARI", paper="0.97"
    ... )
    >>> claim.rounding
    0.005
    >>> Claim(claim="UPGMA is best", algorithm="UPGMA", dataset="iris", metric="AARI")
    Traceback (most recent call last):
        ...
    hcbench.errors.SuiteError: claim 'UPGMA is best': give paper, or what to compare with: ...
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
    corrected: Mapping[str, str | float] = field(default_factory=dict)
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
            try:
                number_from(getattr(self, name), name)
            except ParameterError as error:
                return str(error)
        return self._mistake_of_options() or self._mistake_of_erratum()

    def _mistake_of_options(self) -> str:
        """Which of its options exclude each other; "" if none do."""
        if self.within and self.relation in ("<", ">"):
            return f"within allows for a difference, and relation {self.relation!r} demands one"
        if self.exponent and (self.compares or not self.paper):
            return "exponent needs paper, the rate, and compares with nothing else"
        if self.exponent and self.every_repetition:
            return "exponent is of the means: it cannot hold in every repetition"
        return ""

    def _mistake_of_erratum(self) -> str:
        """What is wrong with its correction; "" if nothing is."""
        if bool(self.erratum) != bool(self.corrected):
            return "an erratum needs corrected, the fields it replaces, and the reverse"
        types: dict[str, Any] = {"paper_error": int | float}
        for claim_field in fields(self):
            if claim_field.type == "str":
                types[claim_field.name] = str
        for name, value in self.corrected.items():
            if not isinstance(value, types.get(name, ())):
                return f"corrected replaces texts and paper_error; got {name} = {value!r}"
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
        rival = (self.better_than, self.than_dataset, self.than_oracle, self.than_metric)
        return any(rival) or self.than_checkpoint is not None

    @property
    def rounding(self) -> float:
        """Half a unit of the last printed digit."""
        if not self.paper:
            return 0.0
        return 0.5 * 10.0 ** int(Decimal(self.paper).as_tuple().exponent)


def _is_number(text: str) -> bool:
    number = read_number(text)
    return number is not None and math.isfinite(number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """A description of a comparison.

    Attributes
    ----------
    name, doc : str
    algorithms, datasets, oracles, metrics : tuple of str
        ``NAME[param=value]``; a list is a grid.
    only : tuple of (str, str) or (str, str, str)
        An algorithm, a data set and optionally an oracle. An algorithm that is named here runs only
        on the data sets and with the oracles named with it; other algorithms run on all.
    repetitions : int
    first_look : int
        The planned number of repetitions, at which its claims are first judged at a level near 5 %;
        see `hcbench.claims.looks`. By default `repetitions` as the suite was written: more of
        them, by ``--repetitions``, do not change the plan.
    seed : int
        The base of all seeds.
    budgets : tuple of int or str
        The most queries an algorithm may make, or for paid oracles the most that the answers may
        cost, such as ``"5USD"`` or ``"20000tokens"``; each a run of its own; empty: unlimited.
    checkpoints : tuple of int
        Query counts at which the results of anytime algorithms are judged.
    timeout : float, optional
        Wall seconds for one call of an algorithm; see ``hcbench.compare``.
    memory : float, optional
        GiB that one call may hold above the warm worker.
    threads : int
        Threads of BLAS, OpenMP and numba in a cell. More than one belong to its key, as they change
        times and perhaps rounding.
    ranks : bool
        Whether algorithms are ranked; not where conditions vary, such as noise.
    families : mapping of data set to str
        The family of a data set (see `DatasetSpec`) where it is not the default one, such as that
        of several files with the same items.
    claims : tuple of Claim
    figures : tuple of Figure
    paper : Reference, optional

    Examples
    --------
    >>> suite = Suite(
    ...     name="linkages",
    ...     algorithms=("UPGMA", "Single"),
    ...     datasets=("iris",),
    ...     metrics=("AARI",),
    ...     repetitions=1,
    ... )
    >>> results = hcbench.run_suite(suite, progress=False)
    >>> [(row["algorithm"], row["dataset"], row["status"]) for row in results.rows]
    [('UPGMA', 'iris', 'ok'), ('Single', 'iris', 'ok')]
    """

    noun: ClassVar[str] = "suite"
    name: str
    doc: str = ""
    algorithms: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    oracles: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    only: tuple[tuple[str, ...], ...] = ()
    repetitions: int = 5
    first_look: int = 0
    seed: int = 0
    budgets: tuple[Budget, ...] = ()
    checkpoints: tuple[int, ...] = ()
    timeout: float | None = 300.0
    memory: float | None = None
    threads: int = 1
    ranks: bool = True
    families: Mapping[str, str] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()
    figures: tuple[Figure, ...] = ()
    paper: Reference | None = None

    def __post_init__(self) -> None:
        mistake = mistake_of_names(self, ["algorithms", "datasets", "oracles", "metrics", "only"])
        if mistake:
            raise SuiteError(mistake)
        try:
            self._read_numbers()
        except ParameterError as error:
            raise SuiteError(str(error)) from error
        self._check_families()
        figures = Repeats().without("figures", self.figures, lambda figure: figure.name)
        names_of_figures = [figure.name for figure in figures]
        for name, count in Counter(names_of_figures).items():
            if count > 1:
                raise SuiteError(f"{count} figures are called {name}; their files would be one")

    def _read_numbers(self) -> None:
        """Set each number as Python's, whatever its type was.

        Raises
        ------
        ParameterError
            If a number is wrong.
        """
        read: dict[str, object] = {}
        for name, least in {"repetitions": 1, "threads": 1, "seed": 0, "first_look": 0}.items():
            read[name] = whole_number(getattr(self, name), name, least=least)
        if not read["first_look"]:
            # Kept by `dataclasses.replace`, which changes the repetitions but not the plan.
            read["first_look"] = read["repetitions"]
        for name in ("timeout", "memory"):
            limit = getattr(self, name)
            if limit is not None:
                read[name] = number_above(limit, name)
        read["budgets"] = tuple(map(read_budget, self.budgets))
        read["checkpoints"] = tuple([read_count(count, "checkpoint") for count in self.checkpoints])
        for name, value in read.items():
            object.__setattr__(self, name, value)

    def _check_families(self) -> None:
        if not isinstance(self.families, Mapping):
            raise SuiteError(
                "families maps the name of a data set to its family, such as {'scaled': 'raw'}; "
                f"got {self.families!r}"
            )
        for name, family in self.families.items():
            if not isinstance(family, str) or not family:
                raise SuiteError(f"the family of {name} is a name, got {family!r}")


def without_repeats(suite: Suite, repeats: Repeats) -> Suite:
    """A suite whose lists have each entry once.

    Its names are compared by `hcbench.plan.plan.make_plan`, which knows what they mean.

    Parameters
    ----------
    suite : Suite
    repeats : Repeats
        Gets the entries that are repeated.
    """
    return replace(
        suite,
        only=repeats.without("only", suite.only, ", ".join),
        budgets=repeats.without("budgets", suite.budgets),
        checkpoints=repeats.without("checkpoints", suite.checkpoints),
        claims=repeats.without("claims", suite.claims, lambda claim: claim.claim),
        figures=repeats.without("figures", suite.figures, lambda figure: figure.name),
    )
