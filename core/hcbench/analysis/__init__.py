"""Outcomes as one tidy table, statistics, ranks, tables and views: plain values to be shown.

The modules compute every number that is shown anywhere; what is imported from here is public.
`ARROWS` mark the direction of a metric, and `NOTHING` stands for a missing value. `KINDS` are the
parts of a cell that have parameters. `COSTS` are measured of every call. `ALPHA` is the level of
significance, `Failed` is how failures count in ranks, and `Distance` that of a profile from the
best. `PLACE` are what identifies a group. `BEST_TRUTH` is the footnote of the truth that is most
like a tree. `NoteKind` is what a note is about. `PairTest` names a test of pairs of algorithms, and
`TESTS` has these tests in words.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
