"""Oracles, through which algorithms get information, and the ledger that counts queries.

An oracle plugin returns `Answers`; core wraps them in an `Oracle`, which keeps a `Ledger`.
Algorithms see only the `Oracle`, so that they can neither miscount nor exceed the budget; who calls
one reads by a `Recorder` what it has recorded and reported.
`ask_oracle` makes one of a callable. `QUERY_KINDS` is the table of the kinds of queries.
A `Code` is the answer to a question, and `Queries` are rows of items. An
ordinal oracle answers `NONE` if no two of three items are closer, and `UNSURE` if it does not know.
"""

from hcbench.oracle.answers import (
    NONE,
    QUERY_KINDS,
    UNSURE,
    Answers,
    Choice,
    Code,
    Point,
    Queries,
    QueryKind,
    Reply,
)
from hcbench.oracle.asking import ask_oracle
from hcbench.oracle.ledger import Ledger
from hcbench.oracle.oracle import Oracle
from hcbench.oracle.recorder import Recorder
from hcbench.oracle.requests import AnswerRequest, OracleRequest

__all__ = [
    "NONE",
    "QUERY_KINDS",
    "UNSURE",
    "AnswerRequest",
    "Answers",
    "Choice",
    "Code",
    "Ledger",
    "Oracle",
    "OracleRequest",
    "Point",
    "Queries",
    "QueryKind",
    "Recorder",
    "Reply",
    "ask_oracle",
]
