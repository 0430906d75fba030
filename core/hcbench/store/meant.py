"""Which of the runs of a store is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hcbench.errors import StoreError

if TYPE_CHECKING:
    from hcbench.store.rows import RunInfo
    from hcbench.store.store import Store


def find_run(store: Store, wanted: str | int | None = None) -> RunInfo:
    """A run by its number, the last of a suite, or the last of all.

    Raises
    ------
    StoreError
        If there is none.
    """
    if isinstance(wanted, int) or (wanted is not None and wanted.isdecimal()):
        return store.run(int(wanted))
    runs = store.runs()
    if not runs:
        raise StoreError(f"there are no runs in {store.location} yet; begin with: hcbench compare")
    if wanted is None:
        return runs[-1]
    found = [run for run in runs if run.suite.casefold() == wanted.casefold()]
    if not found:
        suites = ", ".join(dict.fromkeys(run.suite for run in runs if run.suite))
        raise StoreError(
            f"{store.location} has no run of a suite {wanted!r}; there are runs of {suites}"
        )
    return found[-1]
