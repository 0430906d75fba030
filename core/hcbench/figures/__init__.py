"""Figures drawn with matplotlib: those of ``hcbench plot``, and functions that plugins draw with.

Matplotlib is imported when something is drawn. `PALETTE` has the colours of algorithms and classes
on a light background, `PALETTE_DARK` those on a dark one, and `REFERENCE` and `REFERENCE_DARK` the
colour of references; `SYMBOLS` and `DASHES` distinguish lines in plotly. Lines that only guide the
eye have that of `GUIDE`. A `Mark` is how a series of a chart is drawn, and an `Orientation` is the
side of the root of a tree. Figures of suites are written in `FORMATS`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
