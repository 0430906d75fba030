"""Oracles that are people: recorded answers, and whoever is at the terminal."""

from __future__ import annotations

from hcbench import REQUIRED, DatasetSpec, OracleSpec, Parameter

_ABOUT = {
    "ordinal": "which of three items is the odd one out",
    "quadruplet": "which of two pairs is the more similar one",
    "pair": "whether two items belong together",
}

RECORDED = tuple(
    OracleSpec(
        name=f"recorded-{name}",
        function=f"hcbench_oracles.recorded:recorded_{name}",
        doc=f"What a person has answered, who was asked {about}.",
        kind=f"{name}-queries",
        needs=(),
        parameters=(
            Parameter("file", REQUIRED, "The answers, as hcbench ask keeps them.", type="str"),
        ),
        files=("file",),
    )
    for name, about in _ABOUT.items()
)

PERSON = OracleSpec(
    name="person",
    function="hcbench_oracles.recorded:person",
    doc="Asks the person at the terminal which of three items is the odd one out: for hcbench.fit "
    "and hcbench rerun --in-process, as workers have no terminal.",
    kind="ordinal-queries",
    needs=(),
    parameters=(
        Parameter(
            "answers",
            REQUIRED,
            "A file for the answers; what it has already is not asked.",
            type="str",
        ),
    ),
)

RECORDED_ITEMS = DatasetSpec(
    name="recorded-items",
    function="hcbench_oracles.recorded:recorded_items",
    doc="The items that a person has answered questions about.",
    parameters=(
        Parameter("path", REQUIRED, "The answers, as hcbench ask keeps them.", type="str"),
        Parameter("truth", None, "A file with the true tree of the items.", type="str"),
        Parameter("tree", None, "A file with a tree to be cut.", type="str"),
    ),
    provides=lambda params: tuple(name for name in ("truth", "tree") if params.get(name)),
    random=False,
    files=("path", "truth", "tree"),
    suffixes=(".jsonl",),
)
