"""`Clusterer` and `from_estimator`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import packages_distributions
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from hcbench import (
    AlgorithmSpec,
    Given,
    HcbenchError,
    HeightKind,
    NotApplicableError,
    Oracle,
    Parameter,
    ParameterError,
    Partition,
    Problem,
    Tree,
    as_numbers,
    distances,
    fit,
    load_registry,
    names_of_index,
    parse_name,
)


class Clusterer(ClusterMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A registered algorithm as an estimator of scikit-learn.

    Parameters
    ----------
    name : str
        Of the algorithm, such as ``"UPGMA"``; see ``hcbench list algorithms``.
    n_clusters : int, optional
        The number of clusters in ``labels_``, into which the tree is cut. By default they are the
        children of the root, two in a binary tree. Not for algorithms that return a partition.
    oracle : str, optional
        The oracle, such as ``"quadruplet-set[p=0.05,similarity=euclidean]"``; by
        default the first kind that the algorithm accepts.
    budget : int, optional
        The largest number of queries.
    random_state : int, RandomState instance or None
        An int is the seed, as in `hcbench.fit`.
    **params
        Of the algorithm.

    Attributes
    ----------
    labels_ : (n,) int array
    tree_ : Tree
        With its heights, and the names in the index of a DataFrame; only for algorithms that return
        a tree, as are ``children_``, ``distances_`` and ``n_leaves_``.
    children_ : (n - 1, 2) int array
        As AgglomerativeClustering has them; only if the tree is binary.
    distances_ : (n - 1,) float array
        At which the children merge; only if the tree is binary and its heights are distances, or
        affinities, which are subtracted from the largest one.
    n_leaves_, n_clusters_, n_features_in_ : int

    Raises
    ------
    HcbenchError
        From ``fit``, if there is no such algorithm or parameter, or it does not accept vectors. A
        wrong parameter is a ValueError, too.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> model = make_pipeline(StandardScaler(), Clusterer("UPGMA", n_clusters=2))
    >>> model.fit_predict([[0.0, 0.1], [0.2, 0.0], [5.0, 5.1], [5.2, 5.0]]).tolist()
    [0, 0, 1, 1]
    """

    def __init__(
        self,
        name: str = "UPGMA",
        *,
        n_clusters: int | None = None,
        oracle: str | None = None,
        budget: int | str | None = None,
        random_state: Any = None,
        **params: Any,
    ) -> None:
        self.name = name
        self.n_clusters = n_clusters
        self.oracle = oracle
        self.budget = budget
        self.random_state = random_state
        self._params = params

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """All parameters, including those of the algorithm."""
        return {**super().get_params(deep), **self._params}

    def set_params(self, **params: Any) -> Clusterer:
        """Set parameters, including those of the algorithm.

        Raises
        ------
        ParameterError
            If the algorithm has no such parameter; it is a ValueError.
        """
        constructor = super().get_params(deep=False)
        named = {key: params[key] for key in params if key in constructor}
        own = {key: value for key, value in params.items() if key not in named}
        if own:
            _check_known(named.get("name", self.name), own)
        super().set_params(**named)
        self._params = {**self._params, **own}
        return self

    def fit(self, X: Any, y: Any = None) -> Clusterer:  # noqa: ARG002, N803  (scikit-learn's)
        """Cluster the rows of X, (n, p), dense or sparse; y is ignored."""
        names = names_of_index(X, only_own=True)
        if isinstance(X, np.ma.MaskedArray):  # scikit-learn would drop the mask
            X = as_numbers(X, "X")  # noqa: N806
        X = validate_data(  # noqa: N806
            self, X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_min_samples=2
        )
        problem = Problem(n=X.shape[0], names=names, vectors=X)
        result = fit(
            self.name,
            problem,
            seed=_seed(self.random_state),
            budget=self.budget,
            oracle=self.oracle,
            **self._params,
        )
        partition = self._partition(result)
        self.labels_ = partition.labels.copy()
        self.n_clusters_ = partition.n_clusters
        if isinstance(result, Tree):
            self._describe(result)
        return self

    def _partition(self, result: Tree | Partition) -> Partition:
        if isinstance(result, Tree):
            return result.cut_depth(1) if self.n_clusters is None else result.cut(self.n_clusters)
        if self.n_clusters is not None:
            raise ParameterError(
                f"{self.name} determines the number of clusters: omit n_clusters={self.n_clusters}"
            )
        return result

    def _describe(self, tree: Tree) -> None:
        self.tree_ = tree
        self.n_leaves_ = tree.n
        for name in {"children_", "distances_"} & set(vars(self)):
            delattr(self, name)  # of an earlier fit
        if not tree.is_binary:
            return
        self.children_ = tree.child_ids.reshape(-1, 2).copy()
        has_distances = tree.kind in (HeightKind.DISTANCE, HeightKind.AFFINITY)
        if has_distances and distances(tree).min() >= 0:
            linkage = tree.to_linkage()
            self.children_, self.distances_ = linkage[:, :2].astype(np.int64), linkage[:, 2]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _check_known(name: Any, given: Mapping[str, Any]) -> None:
    """Refuse unknown parameters; unknown algorithms are refused by ``fit``."""
    try:
        spec = load_registry().algorithms.find(parse_name(str(name)).base).spec
    except HcbenchError:
        return
    known = [p.name for p in spec.parameters]
    for unknown in (key for key in given if key not in known):
        raise ParameterError(
            f"{spec.name} has no parameter {unknown!r}; it has {', '.join(known) or 'none'}"
        )


def _seed(random_state: Any) -> int:
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def from_estimator(
    estimator: Any, *, name: str | None = None, returns: Literal["tree", "partition"] = "tree"
) -> AlgorithmSpec:
    """Describe a clusterer of scikit-learn as an algorithm, for `hcbench.compare` or a plugin.

    Parameters
    ----------
    estimator : clusterer
        It is cloned for each call, on vectors; with ``metric="precomputed"`` on the distances
        max(S) - S of similarities S, with ``affinity="precomputed"`` on S itself. Where it has
        them, ``compute_full_tree`` and ``compute_distances`` are switched on, so that its tree is
        whole and has heights; a ``random_state`` that is None is drawn from the cell's seed.
    name : str, optional
        By default the name of its class.
    returns : {"tree", "partition"}
        Its ``children_`` (n - 1, 2), with ``distances_`` as heights if it has them; or its
        ``labels_``, where every item of no cluster, -1, is a cluster of its own.

    Returns
    -------
    AlgorithmSpec
        With all parameters of the estimator that are numbers, strings, booleans or None.

    Raises
    ------
    ParameterError
        If it is no estimator.

    Examples
    --------
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> from_estimator(AgglomerativeClustering(linkage="single"), name="sk-single").accepts
    ('vectors',)
    """
    if isinstance(estimator, type) or not hasattr(estimator, "get_params"):
        raise ParameterError(
            f"from_estimator takes an estimator of scikit-learn, such as "
            f"AgglomerativeClustering(), got {estimator!r}"
        )
    kind = type(estimator)
    package = kind.__module__.partition(".")[0]
    return AlgorithmSpec(
        name=name or kind.__name__,
        function=_Estimator(clone(estimator), returns),
        doc=f"{kind.__name__} of {package}.",
        accepts=("vectors",) if _precomputed(estimator) is None else ("similarities",),
        parameters=tuple(_parameters(estimator)),
        returns=returns,
        requires=tuple(packages_distributions().get(package, ())),
    )


_SCALARS = ("bool", "int", "float", "str")


def _parameters(estimator: Any) -> list[Parameter]:
    """The parameters that can be written in a name; the estimator checks their values."""
    shown = []
    for name, value in estimator.get_params(deep=False).items():
        kind = type(value).__name__
        if kind in _SCALARS or value is None:
            # Not float, which would convert every int.
            first = kind if kind in ("bool", "int") else "str"
            others = [other for other in _SCALARS if other != first]
            doc = f"Of {type(estimator).__name__}."
            shown.append(Parameter(name, value, doc, type=first, alternative=" or ".join(others)))
    return shown


def _precomputed(estimator: Any) -> str | None:
    """The parameter that says that the input is precomputed, if there is one."""
    params = estimator.get_params(deep=False)
    return next((p for p in ("metric", "affinity") if params.get(p) == "precomputed"), None)


@dataclass(frozen=True, slots=True)
class _Estimator:
    """An estimator as the function of an algorithm."""

    estimator: Any
    returns: Literal["tree", "partition"]

    def __call__(
        self, oracle: Oracle, given: Given, rng: np.random.Generator, **params: Any
    ) -> Tree | Partition:
        """Fit a clone to the data of the oracle."""
        fitted = clone(self.estimator).set_params(**params)
        known = fitted.get_params(deep=False)
        switched: dict[str, Any] = {}
        if self.returns == "tree":
            switched = {"compute_full_tree": True, "compute_distances": True}
        if known.get("random_state", 0) is None:
            switched["random_state"] = int(rng.integers(np.iinfo(np.int32).max))
        fitted.set_params(**{key: value for key, value in switched.items() if key in known})
        fitted.fit(_data(oracle, _precomputed(self.estimator)))
        return self._tree(fitted, given) if self.returns == "tree" else _partition_of(fitted)

    def _tree(self, fitted: Any, given: Given) -> Tree:
        name = type(fitted).__name__
        if not hasattr(fitted, "children_"):
            raise NotApplicableError(
                f"{name} makes no tree: it has no children_; its clusters can be had by "
                "from_estimator(..., returns='partition')"
            )
        if len(fitted.children_) != given.n - 1:
            raise NotApplicableError(
                f"{name} makes no tree of the {given.n} items: children_ has the shape "
                f"{fitted.children_.shape}"
            )
        return Tree.from_children(fitted.children_, getattr(fitted, "distances_", None))


def _partition_of(fitted: Any) -> Partition:
    labels: NDArray[np.int64] = np.array(fitted.labels_, dtype=np.int64)
    alone = labels < 0
    labels[alone] = labels.max() + 1 + np.arange(alone.sum())
    return Partition(labels)


def _data(oracle: Oracle, precomputed: str | None) -> Any:
    data = oracle.read()
    if precomputed is None:
        return data
    similarity = np.array(data, dtype=np.float64)
    if precomputed == "affinity":
        return similarity
    np.fill_diagonal(similarity, -np.inf)  # of no pair
    distance = similarity.max() - similarity
    np.fill_diagonal(distance, 0.0)
    return distance
