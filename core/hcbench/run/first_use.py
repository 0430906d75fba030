"""The first use of numba takes 0.2 s; the fork server imports this, so that no worker has to."""

import numpy as np

from hcbench.oracle import Answers, Oracle

Oracle(Answers(kind="vectors", n=2, data=np.zeros((2, 1))))
