"""The generative model of Gray et al. 2023 (section 2.1, appendices D.1, E.3 and E.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hcbench import DataError, DataRequest, HeightKind, ParameterError, Problem, Tree
from hcbench_vectors.vertices import Vertices, read_vertices, with_unit_heights

NAME = "gray-simulated"


@dataclass(frozen=True, slots=True)
class Model:
    """The tree, the vertices that are observed, and their probabilities."""

    tree: Vertices
    observed: NDArray[np.int64]  # vertices (k,), the paper's script Z
    probability: NDArray[np.float64]  # (k,), sums to 1


def gray_simulated(
    request: DataRequest,
    *,
    n: int,
    p: int,
    tree: str,
    observed: Sequence[str | int],
    probabilities: Sequence[float],
    balanced: bool,
    noise: str,
    sigma: float | Sequence[float],
    correlation: float,
    tails: float | None,
    window: int,
    S: str | None,  # noqa: N803  (the paper's name)
    gamma: str,
    gamma_spread: float,
    unit_heights: bool,
) -> Problem:
    """Draw ``Y_i = gamma_i X(Z_i) + S(Z_i) E_i``, n vectors of p numbers.

    For each of the p coordinates ``X_j(v) ~ N(X_j(parent of v), variance of v)``, from 0 above the
    root: alpha(u, v), the mean of ``<X(u), X(v)> / p``, is the sum of the variances from the root
    to the lowest common ancestor of u and v, and h(v) = alpha(v, v) (equation 2). E_i is standard
    normal by default. O((n + |V|) p) time and memory, and O(n p^2) time for an S from a file.

    Parameters
    ----------
    n, p : int
    tree : str
        In Newick, with a name at every vertex; a branch length is the variance of the step that
        ends at its vertex, by default 1.
    observed : sequence of str or int
        The possible values of Z_i, which may be inner vertices; the leaves if empty.
    probabilities : sequence of float
        Of the observed vertices, in their order; equal if empty.
    balanced : bool
        Whether the numbers of items of the observed vertices are fixed by the probabilities, up to
        rounding, instead of independent draws; the items are in random order in both cases.
    noise : {"additive", "multiplicative", "both"}
        ``X + S E`` (equation 1), ``gamma X`` (equation 29) or ``gamma X + S E`` (appendix E.4).
    sigma : float or sequence of float
        S(z) = sigma_z R^(1/2): one number, or one for each observed vertex.
    correlation : float
        ``R_jk = correlation^|j - k|``: noise of neighbouring coordinates is correlated, and the
        norm of S stays bounded as p grows (assumption A5).
    tails : float, optional
        E has Student's t distribution of so many degrees of freedom, scaled to variance 1: moments
        of order 2q are finite for q < tails / 2 (assumption A4).
    window : int
        ``X_j(v) - X_j(parent of v)`` is the sum of ``window`` consecutive independent normals,
        scaled to the same variance: coordinates at least so far apart are independent, so that
        X is mixing (assumption A3).
    S : str, optional
        An .npy file with the matrix S (p, p), or one for each observed vertex (k, p, p); sigma and
        correlation are then not used.
    gamma : {"lognormal", "uniform"}
        The law of gamma_i: ``exp N(0, spread^2)``, or uniform on [1 - spread, 1 + spread].
    gamma_spread : float
    unit_heights : bool
        Lengthen the branches of the observed leaves and scale all, so that h(z) = 1 at each, as
        theorem 3 assumes.

    Returns
    -------
    Problem
        Truth ``exact``: an item is a child of the vertex Z_i at ``h(Z_i) + tr(S'S)/p`` (section
        3.3), so that two items merge at alpha(Z_i, Z_j). Levels: the path from the root to Z_i.

    Raises
    ------
    ParameterError
        If parameters are inconsistent.
    DataError
        If the file S cannot be read or has the wrong shape.
    """
    seed = request.seed
    model = _model(tree, observed, probabilities, unit_heights)
    rng = np.random.default_rng(seed)
    labels = _labels(rng, model.probability, n, balanced)
    centres = _centres(rng, model.tree, p, window)[model.observed]
    vectors = centres[labels]
    if noise != "additive":
        vectors *= _gammas(rng, gamma, gamma_spread, n)[:, None]
    extra = np.zeros(model.observed.size)
    if noise != "multiplicative":
        additive_noise = _Noise.made(model.observed.size, p, sigma, correlation, S)
        for z in range(model.observed.size):
            rows = np.flatnonzero(labels == z)
            vectors[rows] += additive_noise.times(z, _errors(rng, tails, (rows.size, p)))
        extra = additive_noise.traces
    where = model.observed[labels]
    return Problem(
        n=n,
        vectors=vectors,
        levels=model.tree.paths()[where],
        truths={"exact": augmented(model.tree, where, extra[labels])},
    )


def _model(
    text: str, observed: Sequence[str | int], probabilities: Sequence[float], unit_heights: bool
) -> Model:
    tree = read_vertices(text, NAME)
    number = {name: v for v, name in enumerate(tree.names)}
    observed_names = [str(name) for name in observed] or [tree.names[v] for v in tree.leaves]
    for name in observed_names:
        if name not in number:
            raise ParameterError(
                f"{NAME}: observed has {name!r}, but the vertices are {', '.join(tree.names)}"
            )
    if len(set(observed_names)) < len(observed_names):
        raise ParameterError(f"{NAME}: observed names a vertex twice: {', '.join(observed_names)}")
    places = np.array([number[name] for name in observed_names])
    if unit_heights:
        tree = with_unit_heights(tree, places, NAME)
    return Model(tree, places, _probability(probabilities, observed_names))


def _probability(value: Sequence[float], observed_names: Sequence[str]) -> NDArray[np.float64]:
    if not value:
        return np.full(len(observed_names), 1 / len(observed_names))
    values = _numbers(value, "probabilities")
    if len(values) != len(observed_names) or (values <= 0).any() or abs(values.sum() - 1) > 1e-9:
        raise ParameterError(
            f"{NAME}: probabilities must be {len(observed_names)} positive numbers of sum 1, one "
            f"for each of {', '.join(observed_names)}; got {list(value)}"
        )
    scaled: NDArray[np.float64] = values / values.sum()
    return scaled


def _numbers(value: Sequence[float], name: str) -> NDArray[np.float64]:
    if not all(isinstance(x, int | float) and not isinstance(x, bool) for x in value):
        raise ParameterError(f"{NAME}: {name} must be numbers, got {list(value)}")
    values = np.array(value, dtype=np.float64)
    if not np.isfinite(values).all():
        raise ParameterError(f"{NAME}: {name} must be finite, got {list(value)}")
    return values


def _labels(
    rng: np.random.Generator, probability: NDArray[np.float64], n: int, balanced: bool
) -> NDArray[np.int64]:
    """The observed vertex of each item, (n,)."""
    if not balanced:
        return rng.choice(probability.size, n, p=probability)
    ends = np.rint(np.cumsum(probability) * n).astype(np.int64)
    return rng.permutation(np.repeat(np.arange(probability.size), np.diff(ends, prepend=0)))


def _centres(rng: np.random.Generator, tree: Vertices, p: int, window: int) -> NDArray[np.float64]:
    """X(v) of all vertices, (|V|, p)."""
    centres = rng.standard_normal((len(tree.names), p + window - 1))
    if window > 1:
        sums = np.cumsum(centres, axis=1)
        sums[:, window:] -= sums[:, :-window].copy()
        centres = sums[:, window - 1 :] / np.sqrt(window)
    centres *= np.sqrt(tree.variance)[:, None]
    for v, parent in enumerate(tree.parent):
        if parent >= 0:
            centres[v] += centres[parent]
    return centres


def _errors(
    rng: np.random.Generator, tails: float | None, shape: tuple[int, int]
) -> NDArray[np.float64]:
    """E of the rows, with mean 0 and variance 1."""
    if tails is None:
        return rng.standard_normal(shape)
    scaled: NDArray[np.float64] = rng.standard_t(tails, shape) * np.sqrt((tails - 2) / tails)
    return scaled


def _gammas(rng: np.random.Generator, law: str, spread: float, n: int) -> NDArray[np.float64]:
    if law == "lognormal":
        return rng.lognormal(0.0, spread, n)
    if spread >= 1:
        raise ParameterError(
            f"{NAME}: gamma=uniform on [1 - spread, 1 + spread] must be positive; set "
            f"gamma_spread below 1, got {spread}"
        )
    return rng.uniform(1 - spread, 1 + spread, n)


@dataclass(frozen=True, slots=True)
class _Noise:
    """S(z) of each observed vertex, as a scale and a correlation, or as a matrix."""

    scale: NDArray[np.float64]  # (k,)
    correlation: float
    matrix: NDArray[np.float64] | None  # (1 or k, p, p)

    @classmethod
    def made(
        cls, k: int, p: int, sigma: float | Sequence[float], correlation: float, file: str | None
    ) -> _Noise:
        matrix = None if file is None else _read_matrix(Path(file).expanduser(), k, p)
        scales = _numbers(sigma, "sigma") if isinstance(sigma, Sequence) else np.full(k, sigma)
        if scales.size != k or (scales < 0).any():
            raise ParameterError(
                f"{NAME}: sigma must be one nonnegative number, or {k} of them; got {sigma}"
            )
        return cls(scales.astype(np.float64), correlation, matrix)

    def times(self, z: int, normal: NDArray[np.float64]) -> NDArray[np.float64]:
        """S(z) E for standard normal rows E (m, p)."""
        if self.matrix is not None:
            product: NDArray[np.float64] = normal @ self.matrix[z % len(self.matrix)].T
            return product
        fresh = np.sqrt(1 - self.correlation**2)
        if self.correlation:
            for j in range(1, normal.shape[1]):
                normal[:, j] *= fresh
                normal[:, j] += self.correlation * normal[:, j - 1]
        normal *= self.scale[z]
        return normal

    @property
    def traces(self) -> NDArray[np.float64]:
        """tr(S'S) / p of each observed vertex, (k,)."""
        if self.matrix is None:
            return self.scale**2
        squares = (self.matrix**2).sum(axis=(1, 2)) / self.matrix.shape[2]
        return np.broadcast_to(squares, self.scale.shape)


def _read_matrix(path: Path, k: int, p: int) -> NDArray[np.float64]:
    try:
        loaded = np.load(path, allow_pickle=False)
        matrix = np.asarray(loaded, dtype=np.float64)
    except (OSError, ValueError, TypeError) as error:
        raise DataError.of_file("read", path, error) from error
    stack = matrix[None] if matrix.ndim == 2 else matrix
    if stack.shape not in {(1, p, p), (k, p, p)} or not np.isfinite(stack).all():
        raise DataError(
            f"{NAME}: S={path} has shape {matrix.shape}; it must contain finite numbers of shape "
            f"({p}, {p}) or ({k}, {p}, {p})"
        )
    return stack


def augmented(tree: Vertices, where: NDArray[np.int64], extra: NDArray[np.float64]) -> Tree:
    """The dendrogram with an item below each vertex of ``where`` (n,) (section 3.3, figure 1b).

    Parameters
    ----------
    tree : Vertices
    where : (n,) int array
        Z_i.
    extra : (n,) array
        Height of each item above h(Z_i).

    Returns
    -------
    Tree
        Of kind AFFINITY. Vertices without items below them, and those with a single child, are
        removed; merge heights stay exact. O(n + |V|).
    """
    n = where.size
    heights = tree.heights()
    used = np.zeros(len(tree.names), dtype=np.bool_)
    used[where] = True
    for v in range(len(tree.names) - 1, 0, -1):
        used[tree.parent[v]] |= used[v]
    number = np.full(len(tree.names), -1)
    number[used] = n + np.arange(used.sum())
    above = np.where(tree.parent < 0, -1, number[tree.parent])
    return Tree.from_parents(
        np.concatenate([number[where], above[used]]),
        np.concatenate([heights[where] + extra, heights[used]]),
        HeightKind.AFFINITY,
        collapse_unary=True,
    )
