"""Registered algorithms as scikit-learn estimators, and estimators as algorithms.

With `Clusterer` a registered algorithm can be used in pipelines and grid searches; with
`from_estimator` a clusterer with the interface of scikit-learn can be compared. Public as
``hcbench.sklearn``; scikit-learn is imported when one of them is used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
