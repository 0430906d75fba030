"""The results of stored cells, trees and partitions at checkpoints and at the end."""

from __future__ import annotations

import sqlalchemy as sa

from hcbench.plan.outcome import ScoredPoint
from hcbench.store.codec import decode_result
from hcbench.store.schema import END, points


def read_results(connection: sa.Connection, row: int) -> tuple[ScoredPoint, ...]:
    """The results of a cell by its row: its checkpoints in order, then its end, without values."""
    of_row = sa.select(points.c.checkpoint, points.c.queries, points.c.result)
    of_row = of_row.where(points.c.cell == row)
    # `END` is a number, as a column of a key cannot be NULL; it sorts behind all checkpoints here.
    of_row = of_row.order_by(points.c.checkpoint == END, points.c.checkpoint)
    scored_points = []
    for checkpoint, queries, packed in connection.execute(of_row):
        result = None
        # An algorithm that failed has no result.
        if packed is not None:
            result = decode_result(packed)
        if checkpoint == END:
            checkpoint = None
        point = ScoredPoint(checkpoint=checkpoint, queries=queries, result=result)
        scored_points.append(point)
    return tuple(scored_points)
