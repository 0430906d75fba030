"""The first use of numba takes 0.2 s; the fork server imports this, so that no worker has to.

A ledger is made and checked, as that is done for each cell, also in the copy of a worker.
"""

import numpy as np

from hcbench.oracle import Answers, Oracle

_oracle = Oracle(Answers(kind="vectors", n=2, data=np.zeros((2, 1))))
assert _oracle.ledger.is_sound
