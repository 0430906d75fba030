# The names of hcbench.asv. lazy_loader reads this file.

from .benchmarks import Registered as Registered, registered as registered
from .process import (
    MeasuringProcess as MeasuringProcess,
    reproducible_environment as reproducible_environment,
)
from .quantities import (
    REPETITIONS as REPETITIONS,
    SIZES as SIZES,
    TRACKS as TRACKS,
    UNITS as UNITS,
    VERSION as VERSION,
    Case as Case,
    Measurement as Measurement,
    summarise_repetitions as summarise_repetitions,
)
