"""Algorithms as scikit-learn estimators, and estimators as algorithms.

With `Clusterer` a registered algorithm can be used in pipelines and grid searches; with
`from_estimator` a clusterer with the interface of scikit-learn can be compared. They are defined in
``hcbench_sklearn``; scikit-learn is imported when one of them is used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hcbench_sklearn import (
        Clusterer as Clusterer,
        from_estimator as from_estimator,
    )

__all__ = [
    "Clusterer",
    "from_estimator",
]


def __getattr__(name: str) -> Any:
    """Import the plugin when one of its names is used."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import hcbench_sklearn

    return getattr(hcbench_sklearn, name)


def __dir__() -> list[str]:
    return __all__
