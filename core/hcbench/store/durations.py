"""How long stored calls took, and how many items their data had."""

from __future__ import annotations

import sqlalchemy as sa

from hcbench.plan.time_estimates import StoredTime
from hcbench.store.schema import cells
from hcbench.store.sizes import sizes_of_datasets


def stored_times(connection: sa.Connection) -> list[StoredTime]:
    """The mean time of the calls of each combination that ended well.

    Reads one result of each data set, to learn how many items it has.
    """
    mean = sa.func.avg(cells.c.seconds)
    means = sa.select(cells.c.algorithm, cells.c.dataset, cells.c.oracle, mean)
    means = means.where(cells.c.status == "ok", cells.c.seconds.is_not(None))
    means = means.group_by(cells.c.algorithm, cells.c.dataset, cells.c.oracle)
    sizes = sizes_of_datasets(connection)
    times = []
    for algorithm, dataset, oracle, seconds in connection.execute(means):
        time = StoredTime(
            algorithm=algorithm,
            dataset=dataset,
            oracle=oracle,
            n=sizes.get(dataset),
            seconds=seconds,
        )
        times.append(time)
    return times
