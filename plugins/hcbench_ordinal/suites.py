"""The theorems of Emamjomeh-Zadeh & Kempe 2018, as suites."""

from __future__ import annotations

from hcbench_ordinal.suites_degrees import DEGREES_SUITE
from hcbench_ordinal.suites_errors import ADVERSARY, PERMANENT
from hcbench_ordinal.suites_lemmas import LEMMAS
from hcbench_ordinal.suites_noiseless import NOISELESS
from hcbench_ordinal.suites_noisy import NOISY
from hcbench_ordinal.suites_nonadaptive import NONADAPTIVE

SUITES = (NOISELESS, NOISY, LEMMAS, NONADAPTIVE, DEGREES_SUITE, ADVERSARY, PERMANENT)
