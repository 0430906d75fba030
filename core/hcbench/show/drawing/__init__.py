"""The figures of ``hcbench plot``, drawn with matplotlib from `hcbench.analysis.views`."""

from __future__ import annotations

from hcbench.show.drawing.kinds import KINDS, Choices, Kind, describe_kinds, draw, save

__all__ = ["KINDS", "Choices", "Kind", "describe_kinds", "draw", "save"]
