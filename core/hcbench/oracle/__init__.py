"""Oracles: the only way to information, and the ledger that counts what was asked.

An oracle plugin returns `Answers`; core wraps them in an `Oracle`, which keeps a `Ledger`.
Algorithms see the `Oracle` alone, so that they cannot count, miscount or look past the budget.
`ask_oracle` makes one of a callable. `QUERY_KINDS` is the table of the kinds of queries.
"""

from hcbench.oracle.answers import Answers, Code, Questions
from hcbench.oracle.callables import ask_oracle
from hcbench.oracle.kinds import NONE, QUERY_KINDS, UNSURE, QueryKind
from hcbench.oracle.ledger import Ledger
from hcbench.oracle.oracle import Oracle

__all__ = [
    "NONE",
    "QUERY_KINDS",
    "UNSURE",
    "Answers",
    "Code",
    "Ledger",
    "Oracle",
    "QueryKind",
    "Questions",
    "ask_oracle",
]
