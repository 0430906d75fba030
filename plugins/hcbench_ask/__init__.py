"""Asking a person: the command ``hcbench ask``, and people's answers as oracles.

`command` parses ``hcbench ask``; a `session` runs the algorithm, `interview` shows its queries on a
`terminal`, and an `answers_file` stores each answer at once. `results` compares the answers with
each other (`contradictions`) and with the result, and writes files; `outline` prints the result.
`web` shows the queries on a local page instead, and `agreement` compares annotators.
`oracles` replays recorded answers, and asks a person outside of ``hcbench ask``.
"""

from __future__ import annotations

from collections.abc import Iterable

from hcbench import REQUIRED, CommandSpec, DatasetSpec, OracleSpec, Parameter, hookimpl

ASK = CommandSpec(
    name="ask",
    function="hcbench_ask.command:ask",
    doc="Build a hierarchy of ITEMS by asking you.",
)


def _recorded(name: str, query: str) -> OracleSpec:
    """The oracle of recorded answers to one kind of query."""
    return OracleSpec(
        name=f"recorded-{name}",
        function=f"hcbench_ask.oracles:recorded_{name}",
        doc=f"A person's recorded answers to the query {query}.",
        kind=f"{name}-queries",
        needs=(),
        parameters=(
            Parameter("file", REQUIRED, "The answers, as hcbench ask stores them.", type="str"),
        ),
        files=("file",),
    )


RECORDED = (
    _recorded("ordinal", "which of three items is the odd one out"),
    _recorded("quadruplet", "which of two pairs is more similar"),
    _recorded("pair", "whether two items belong together"),
    _recorded("rating", "how alike two items are"),
)

PERSON = OracleSpec(
    name="person",
    function="hcbench_ask.oracles:person",
    doc="Asks the person at the terminal which of three items is the odd one out: for hcbench.fit "
    "and hcbench rerun --in-process, as workers have no terminal.",
    kind="ordinal-queries",
    needs=(),
    parameters=(
        Parameter(
            "answers",
            REQUIRED,
            "A file for the answers; queries with an answer in it are not asked again.",
            type="str",
        ),
    ),
    person=True,
    tags=("person",),
)

RECORDED_ITEMS = DatasetSpec(
    name="recorded-items",
    function="hcbench_ask.oracles:recorded_items",
    doc="The items of a person's recorded answers.",
    parameters=(
        Parameter("path", REQUIRED, "The answers, as hcbench ask stores them.", type="str"),
        Parameter("truth", None, "A file with the true tree of the items.", type="str"),
        Parameter("tree", None, "A file with a tree to be cut.", type="str"),
    ),
    provides=lambda params: tuple(name for name in ("truth", "tree") if params.get(name)),
    random=False,
    files=("path", "truth", "tree"),
    suffixes=(".jsonl",),
    opening='{"hcbench answers"',
    recorded_oracle="hcbench_ask.oracles:oracle_of",
    tags=("own",),
)


@hookimpl
def hcbench_commands() -> Iterable[CommandSpec]:
    """Return the command ``ask``."""
    return (ASK,)


@hookimpl
def hcbench_oracles() -> Iterable[OracleSpec]:
    """Return people at the terminal, and their recorded answers."""
    return (*RECORDED, PERSON)


@hookimpl
def hcbench_datasets() -> Iterable[DatasetSpec]:
    """Return the items of recorded answers."""
    return (RECORDED_ITEMS,)
