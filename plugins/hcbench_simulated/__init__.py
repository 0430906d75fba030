"""Simulated data sets whose true hierarchy is known.

`specs` declares them; `clusters` and `phylogenies` draw trees, `vectors` and `matrices` draw data.
"""

from __future__ import annotations

from collections.abc import Iterable

from hcbench import DatasetSpec, hookimpl
from hcbench_simulated.specs import DATASETS


@hookimpl
def hcbench_datasets() -> Iterable[DatasetSpec]:
    """Return the simulated data sets."""
    return DATASETS
