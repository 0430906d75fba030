"""Single figures of a run, drawn with matplotlib from `views`; used by ``hcbench plot``."""

from __future__ import annotations

from hcbench.show.drawing.kinds import KINDS, Choices, Kind, describe_kinds, draw, save

__all__ = ["KINDS", "Choices", "Kind", "describe_kinds", "draw", "save"]
