# The names of hcbench.sklearn. lazy_loader reads this file.

from .estimators import Clusterer as Clusterer, from_estimator as from_estimator
