"""Results as one tidy table, statistics, verdicts on claims, and views: plain values to be shown.

The modules compute every number that is shown anywhere; what is imported from here is public.
`EXACT` are the units of asv's benchmarks that are reproducible from the same seeds.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
