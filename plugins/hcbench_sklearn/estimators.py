"""`Clusterer` and `from_estimator`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import packages_distributions
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from hcbench import (
    AlgorithmSpec,
    HcbenchError,
    HeightKind,
    Items,
    NotApplicableError,
    Oracle,
    Parameter,
    ParameterError,
    Partition,
    Problem,
    Tree,
    distances,
    fit,
    load_registry,
)
from hcbench.model import as_numbers, names_of_index
from hcbench.registry import parse_name


class Clusterer(ClusterMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A registered algorithm as an estimator of scikit-learn.

    Parameters
    ----------
    name : str
        The name of the algorithm, such as ``"UPGMA"``; see ``hcbench list algorithms``.
    n_clusters : int, optional
        The number of clusters in ``labels_``, into which the tree is cut. By default they are the
        children of the root, two in a binary tree. Not for algorithms that return a partition.
    oracle : str, optional
        The oracle, such as ``"quadruplet-set[p=0.05,similarity=euclidean]"``; by
        default the first kind that the algorithm accepts.
    budget : int, optional
        The largest number of queries.
    random_state : int, RandomState instance or None
        The seed, as in `hcbench.fit`, or what it is drawn from.
    **params
        Parameters of the algorithm.

    Attributes
    ----------
    labels_ : (n,) int array
        The cluster of each item.
    tree_ : Tree
        The tree with its heights, and the names in the index of a DataFrame; only for algorithms
        that return a tree, as are ``children_``, ``distances_`` and ``n_leaves_``.
    children_ : (n - 1, 2) int array
        The merged nodes, as AgglomerativeClustering has them; only if the tree is binary.
    distances_ : (n - 1,) float array
        The distances at which the children merge; only if the tree is binary and its heights are
        distances, or affinities, which are subtracted from the largest one.
    n_leaves_, n_clusters_, n_features_in_ : int
        The numbers of items, of clusters and of columns.

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
        constructor_names = super().get_params(deep=False)
        of_constructor = {}
        of_algorithm = {}
        for name, value in params.items():
            if name in constructor_names:
                of_constructor[name] = value
            else:
                of_algorithm[name] = value
        if of_algorithm:
            # The algorithm may be set in the same call.
            _check_known(of_constructor.get("name", self.name), of_algorithm)
        super().set_params(**of_constructor)
        self._params = {**self._params, **of_algorithm}
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
        # What scikit-learn's clusterers set, whatever the algorithm returns.
        partition = self._partition(result)
        self.labels_ = partition.labels.copy()
        self.n_clusters_ = partition.n_clusters
        if isinstance(result, Tree):
            self._describe(result)
        return self

    def _partition(self, result: Tree | Partition) -> Partition:
        """The clusters of a result, into which a tree is cut."""
        if isinstance(result, Tree):
            if self.n_clusters is None:
                return result.cut_depth(1)
            return result.cut(self.n_clusters)
        if self.n_clusters is not None:
            raise ParameterError(
                f"{self.name} determines the number of clusters: omit n_clusters={self.n_clusters}"
            )
        return result

    def _describe(self, tree: Tree) -> None:
        """Set the attributes of a tree."""
        self.tree_ = tree
        self.n_leaves_ = tree.n
        for name in ("children_", "distances_"):
            if hasattr(self, name):  # of an earlier fit; this tree may not have it
                delattr(self, name)
        if not tree.is_binary:
            return
        self.children_ = tree.child_ids.reshape(-1, 2).copy()
        has_distances = tree.kind in (HeightKind.DISTANCE, HeightKind.AFFINITY)
        if has_distances and distances(tree).min() >= 0:
            # Children and distances in one order, that of the linkage.
            linkage = tree.to_linkage()
            self.children_ = linkage[:, :2].astype(np.int64)
            self.distances_ = linkage[:, 2]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _check_known(algorithm: Any, params: Mapping[str, Any]) -> None:
    """Refuse unknown parameters; unknown algorithms are refused by ``fit``."""
    try:
        spec = load_registry().algorithms.find(parse_name(str(algorithm)).base).spec
    except HcbenchError:
        return
    names = [parameter.name for parameter in spec.parameters]
    for name in params:
        if name not in names:
            raise ParameterError(
                f"{spec.name} has no parameter {name!r}; it has {', '.join(names) or 'none'}"
            )


def _seed(random_state: Any) -> int:
    """The seed of an algorithm, from what scikit-learn accepts as a random state."""
    # A generator of scikit-learn, or None, gives another seed each time.
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
        The estimator, which is cloned for each call. It is fitted to vectors; with
        ``metric="precomputed"`` to the distances max(S) - S of similarities S, with
        ``affinity="precomputed"`` to S itself. Where it has them, ``compute_full_tree`` and
        ``compute_distances`` are switched on, so that its tree is whole and has heights; a
        ``random_state`` that is None is drawn from the cell's seed.
    name : str, optional
        The name of the algorithm, by default that of the estimator's class.
    returns : {"tree", "partition"}
        What the algorithm returns: the estimator's ``children_`` (n - 1, 2), with ``distances_``
        as heights if it has them; or its ``labels_``, where every item of no cluster, -1, is a
        cluster of its own.

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
    cls = type(estimator)
    package = cls.__module__.partition(".")[0]
    accepted = "vectors"
    if _precomputed(estimator) is not None:
        accepted = "similarities"
    return AlgorithmSpec(
        name=name or cls.__name__,
        function=_Estimator(estimator=clone(estimator), returns=returns),
        doc=f"{cls.__name__} of {package}.",
        accepts=(accepted,),
        parameters=tuple(_parameters(estimator)),
        returns=returns,
        requires=tuple(packages_distributions().get(package, ())),
    )


_Scalar: TypeAlias = Literal["bool", "int", "float", "str"]
_SCALARS: tuple[_Scalar, ...] = ("bool", "int", "float", "str")


def _parameters(estimator: Any) -> list[Parameter]:
    """The parameters that can be written in a name; the estimator checks their values."""
    doc = f"Passed on to {type(estimator).__name__}."
    parameters = []
    for name, value in estimator.get_params(deep=False).items():
        kind = type(value).__name__
        if kind not in _SCALARS and value is not None:
            continue
        # Not float, which would convert every int.
        first: _Scalar = "str"
        if kind == "bool":
            first = "bool"
        elif kind == "int":
            first = "int"
        # Values of other types are accepted as well: only the estimator knows which are valid.
        alternatives = tuple([scalar for scalar in _SCALARS if scalar != first])
        parameters.append(Parameter(name, value, doc, type=first, alternative=alternatives))
    return parameters


def _precomputed(estimator: Any) -> str | None:
    """The parameter that says that the input is precomputed, if there is one."""
    params = estimator.get_params(deep=False)
    for name in ("metric", "affinity"):
        if params.get(name) == "precomputed":
            return name
    return None


@dataclass(frozen=True, slots=True)
class _Estimator:
    """An estimator as the function of an algorithm."""

    estimator: Any
    returns: Literal["tree", "partition"]

    def __call__(
        self, oracle: Oracle, items: Items, rng: np.random.Generator, /, **params: Any
    ) -> Tree | Partition:
        """Fit a clone to the data of the oracle."""
        estimator = clone(self.estimator).set_params(**params)
        settings = estimator.get_params(deep=False)
        if self.returns == "tree":
            # Not each estimator has them.
            for name in ("compute_full_tree", "compute_distances"):
                if name in settings:
                    estimator.set_params(**{name: True})
        if "random_state" in settings and settings["random_state"] is None:
            estimator.set_params(random_state=int(rng.integers(np.iinfo(np.int32).max)))
        estimator.fit(_data(oracle, _precomputed(self.estimator)))
        if self.returns == "tree":
            return _tree_of(estimator, items)
        return _partition_of(estimator)


def _tree_of(fitted: Any, items: Items) -> Tree:
    """The tree of a fitted estimator."""
    name = type(fitted).__name__
    if not hasattr(fitted, "children_"):
        raise NotApplicableError(
            f"{name} makes no tree: it has no children_; its clusters can be had by "
            "from_estimator(..., returns='partition')"
        )
    if len(fitted.children_) != items.n - 1:
        raise NotApplicableError(
            f"{name} makes no tree of the {items.n} items: children_ has the shape "
            f"{fitted.children_.shape}"
        )
    return Tree.from_children(fitted.children_, getattr(fitted, "distances_", None))


def _partition_of(fitted: Any) -> Partition:
    """The partition of a fitted estimator."""
    labels: NDArray[np.int64] = np.array(fitted.labels_, dtype=np.int64)
    is_alone = labels < 0  # of no cluster, as DBSCAN has it
    labels[is_alone] = labels.max() + 1 + np.arange(is_alone.sum())
    return Partition(labels)


def _data(oracle: Oracle, precomputed: str | None) -> Any:
    """What an estimator is fitted to: vectors, similarities, or distances made of them."""
    data = oracle.read()
    if precomputed is None:
        return data
    similarity = np.array(data, dtype=np.float64)
    if precomputed == "affinity":
        return similarity
    np.fill_diagonal(similarity, -np.inf)  # the similarity of an item to itself is of no pair
    distance = similarity.max() - similarity
    np.fill_diagonal(distance, 0.0)
    return distance
