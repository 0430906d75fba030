"""asv benchmarks of every registered algorithm, oracle and metric, without listing them.

A file with these two lines in a package's benchmark folder defines a class of benchmarks for each::

    import hcbench.asv

    globals().update(hcbench.asv.registered("my-package"))

asv identifies a benchmark by its name, here ``algorithm_UPGMA.track_seconds``, so adding or
removing an algorithm does not affect the history of the others. The number of items is the
parameter. hcbench measures everything once per commit; the ``track_*`` methods read the results.

A `Case` is a name, such as ``"algorithm_UPGMA"``, and a number of items, one of `SIZES`; an
algorithm is called `REPETITIONS` times, with new seeds. `TRACKS` is what is measured of each kind
of registration, `UNITS` has the units, and a `Measurement` has a value for each, or the reason why
there is none. Only results of equal `VERSION` can be compared.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
