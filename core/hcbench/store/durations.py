"""How long stored calls took, and how many items their data had."""

from __future__ import annotations

from contextlib import suppress

import sqlalchemy as sa

from hcbench.errors import StoreError
from hcbench.plan.time_estimates import StoredTime
from hcbench.store.codec import count_items
from hcbench.store.conditions import among
from hcbench.store.schema import END, cells, points


def stored_times(connection: sa.Connection) -> list[StoredTime]:
    """The mean time of the calls of each combination that ended well.

    Reads one result of each data set, to learn how many items it has.
    """
    mean = sa.func.avg(cells.c.seconds)
    means = sa.select(cells.c.algorithm, cells.c.dataset, cells.c.oracle, mean)
    means = means.where(cells.c.status == "ok", cells.c.seconds.is_not(None))
    means = means.group_by(cells.c.algorithm, cells.c.dataset, cells.c.oracle)
    sizes = _sizes_of_datasets(connection)
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


def _sizes_of_datasets(connection: sa.Connection) -> dict[str, int]:
    """How many items each data set has, by its label, where a result is stored.

    The last result counts: a file may have had other rows before.
    """
    has_result = (points.c.checkpoint == END) & points.c.result.is_not(None)
    last_of_each = (
        sa.select(cells.c.dataset, sa.func.max(cells.c.id))
        .join(points, points.c.cell == cells.c.id)
        .where(cells.c.status == "ok", has_result)
        .group_by(cells.c.dataset)
    )
    datasets = {}
    for dataset, row in connection.execute(last_of_each):
        datasets[row] = dataset

    sizes = {}
    results = sa.select(points.c.cell, points.c.result).where(has_result)
    results = results.where(among(connection, points.c.cell, datasets))
    for row, packed in connection.execute(results):
        # A damaged result tells no size, and is no reason to stop.
        with suppress(StoreError):
            sizes[datasets[row]] = count_items(packed)
    return sizes
