"""The theorems of Emamjomeh-Zadeh & Kempe 2018, as suites."""

from __future__ import annotations

from pathlib import Path

from hcbench import Suite
from hcbench.registry import read_suite
from hcbench_ordinal.references import PAPERS
from hcbench_ordinal.suites_nonadaptive import NONADAPTIVE


def _read(name: str) -> Suite:
    path = Path(__file__).with_name(f"emamjomeh2018-{name}.toml")
    return read_suite(path, PAPERS["emamjomeh2018"])


NOISELESS = _read("noiseless")
NOISY = _read("noisy")
LEMMAS = _read("lemmas")
SECTION_6 = _read("section6")
ADVERSARY = _read("adversary")
PERMANENT = _read("eriksson")
SUITES = (NOISELESS, NOISY, LEMMAS, NONADAPTIVE, SECTION_6, ADVERSARY, PERMANENT)
