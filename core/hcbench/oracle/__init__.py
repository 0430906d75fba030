"""Oracles: the only way to information, and the ledger that counts what was asked.

An oracle plugin returns `Answers`; core wraps them in an `Oracle`, which keeps a `Ledger`.
Algorithms see the `Oracle` alone, so that they cannot count, miscount or look past the budget.
`ask_oracle` makes one of a callable.
"""

from hcbench.oracle.answers import ARITY, NONE, UNSURE, Answers, Code, Questions
from hcbench.oracle.callables import ask_oracle
from hcbench.oracle.ledger import Ledger
from hcbench.oracle.oracle import PATIENCE, Oracle

__all__ = [
    "ARITY",
    "NONE",
    "PATIENCE",
    "UNSURE",
    "Answers",
    "Code",
    "Ledger",
    "Oracle",
    "Questions",
    "ask_oracle",
]
