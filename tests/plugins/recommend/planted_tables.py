"""Tables with planted clusters, and what is recommended for them.

``python -m tests.plugins.recommend.planted_tables 200`` prints the numbers of the plugin's README;
the nightly test `tests.plugins.recommend.test_planted_tables` makes fewer.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, TypeAlias

import click
import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

import hcbench
from hcbench import Problem
from hcbench_recommend.candidates import Candidate, candidates_of
from hcbench_recommend.choosing import choose_distances
from hcbench_recommend.deciding import Drawn
from hcbench_recommend.halves import divide
from hcbench_recommend.judging import Measured, judge
from hcbench_recommend.replicating import Halves, tables_of
from hcbench_recommend.rows import with_rows_scaled

Table: TypeAlias = tuple[NDArray[np.float64], NDArray[np.int64] | None]
METHODS = ("UPGMA", "Complete", "Single", "Ward", "HDBSCAN")
DIVISIONS = 10
#: As good as the best is a tree whose AARI is behind by at most this.
NEARLY = 0.05


def separated_normals(rng: np.random.Generator) -> Table:
    """2 to 6 normal clusters of different sizes and spreads in 2, 5 or 20 dimensions."""
    k = int(rng.integers(2, 7))
    p = int(rng.choice([2, 5, 20]))
    sizes = rng.integers(15, 50, size=k)
    distance = rng.uniform(2.5, 6) * np.sqrt(2 / p)
    centres = rng.normal(size=(k, p)) * distance
    labels = np.repeat(np.arange(k), sizes)
    spread = rng.uniform(0.6, 1.4, size=k)
    if p == 20:
        spread /= 2
    noise = rng.normal(size=(labels.size, p)) * spread[labels][:, None]
    return centres[labels] + noise, labels[:, None]


def nested_normals(rng: np.random.Generator) -> Table:
    """2 or 3 groups of 2 or 3 normal clusters each."""
    n_groups = int(rng.integers(2, 4))
    n_parts = int(rng.integers(2, 4))
    p = int(rng.choice([5, 20]))
    groups = rng.normal(size=(n_groups, p)) * 8 * np.sqrt(2 / p)
    distance = rng.uniform(2.5, 5) * np.sqrt(2 / p)
    parts = rng.normal(size=(n_groups * n_parts, p)) * distance
    labels = np.repeat(np.arange(len(parts)), rng.integers(12, 40, size=len(parts)))
    group = labels // n_parts
    spread = 1.0 if p == 5 else 0.6
    table = groups[group] + parts[labels] + rng.normal(size=(labels.size, p)) * spread
    return table, np.column_stack([group, labels])


def gene_modules(rng: np.random.Generator) -> Table:
    """3 to 8 modules of correlated rows, each row with a level and a scale of its own."""
    k = int(rng.integers(3, 9))
    p = int(rng.choice([12, 24, 48]))
    n = int(rng.integers(120, 300))
    labels = rng.integers(k, size=n)
    profiles = rng.normal(size=(k, p))
    loading = rng.uniform(0.6, 1.6, size=n)
    table = loading[:, None] * profiles[labels] + rng.normal(size=(n, p)) * rng.uniform(0.4, 1.0)
    scale = rng.lognormal(0, 0.8, size=n)
    level = rng.normal(0, rng.uniform(2, 6), size=n)
    return table * scale[:, None] + level[:, None], labels[:, None]


def shapes(rng: np.random.Generator) -> Table:
    """Rings inside each other, two half moons, or parallel stripes."""
    kind = int(rng.integers(3))
    if kind == 0:
        k = int(rng.integers(2, 4))
        labels = np.repeat(np.arange(k), [40, 80, 120][:k])
        angle = rng.uniform(0, 2 * np.pi, labels.size)
        radius = 1 + 3 * labels
        table = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
        return table + rng.normal(size=table.shape) * 0.15, labels[:, None]
    if kind == 1:
        labels = np.repeat([0, 1], 100)
        angle = rng.uniform(0, np.pi, labels.size)
        table = np.column_stack([np.cos(angle), np.sin(angle)])
        table[labels == 1] = [1.0, 0.4] - table[labels == 1]
        return table + rng.normal(size=table.shape) * 0.06, labels[:, None]
    k = int(rng.integers(2, 5))
    labels = np.repeat(np.arange(k), 50)
    across = 2.0 * labels + rng.normal(size=labels.size) * 0.2
    return np.column_stack([rng.uniform(0, 12, labels.size), across]), labels[:, None]


def pure_noise(rng: np.random.Generator) -> Table:
    """No clusters: normal, long normal, uniform, or normal with levels and scales of rows."""
    kind = int(rng.integers(4))
    n = int(rng.integers(100, 250))
    p = int(rng.choice([2, 5, 20]))
    if kind == 2:
        return rng.uniform(size=(n, p)), None
    table = rng.normal(size=(n, p))
    if kind == 1:
        table *= np.linspace(1, 4, p)
    if kind == 3:
        table *= rng.lognormal(0, 0.8, size=n)[:, None]
        table += rng.normal(0, 3, size=n)[:, None]
    return table, None


KINDS: Mapping[str, Callable[[np.random.Generator], Table]] = {
    "separated normals": separated_normals,
    "nested normals": nested_normals,
    "gene modules": gene_modules,
    "rings, moons, stripes": shapes,
    "pure noise": pure_noise,
}


@dataclass(frozen=True, slots=True)
class Advice:
    """What is recommended for one table.

    Attributes
    ----------
    kind : str
    first : str
        The name of the first.
    is_separated, is_unstable : bool
        Whether it is separated from the others, and whether nothing is said to be stable.
    aari, best, mean : float
        The AARI of the first, of the best, and the mean of all; NaN without clusters.
    by_silhouette : float
        The AARI of the candidate with the largest silhouette of any of its cuts.
    """

    kind: str
    first: str
    is_separated: bool
    is_unstable: bool
    aari: float
    best: float
    mean: float
    by_silhouette: float


class _FittedHere(Halves):
    """Halves on which methods are fitted in this process, as hundreds of tables are many."""

    def fit(self, algorithms: Sequence[str]) -> None:
        """Fit the methods to all halves."""
        for distance in self.distances:
            for reference, division in self.places:
                both = divide(
                    self.problem, distance, division=division, reference=reference, draw=self.draw
                )
                for side in (1, 2):
                    start = self.size * (side - 1)
                    half = both.take(np.arange(start, start + self.size))
                    place = self.label(distance, reference, division, side)
                    for algorithm in algorithms:
                        self.results[algorithm, place] = hcbench.fit(algorithm, half)


def advise(kind: str, seed: int) -> Advice:
    """Make a table, and say which method suits it, as `recommend` does with these methods."""
    table, truth = KINDS[kind](np.random.default_rng(seed))
    problem = Problem(n=len(table), vectors=table)
    distances = choose_distances((), problem, {})
    halves = _FittedHere(
        of="iris",  # of which labels are made; the data are the table
        problem=problem,
        distances=distances,
        divisions=DIVISIONS,
        draw=seed,
        registry=hcbench.load_registry(),
    )
    algorithms = (*METHODS, "Random")
    halves.fit(algorithms)
    candidates = candidates_of(algorithms, distances)
    replication = halves.measure(candidates, {})
    tables = tables_of(candidates, replication, DIVISIONS)
    recommendation = judge(_measured(candidates, distances, halves, replication, tables))
    first = recommendation.methods[0].name
    values = {}
    widths = {}
    for candidate in candidates:
        if candidate.algorithm == "Random":
            continue
        tree = hcbench.fit(candidate.algorithm, with_rows_scaled(problem, candidate.distance))
        values[candidate.name] = _aari(tree, truth)
        widths[candidate.name] = _silhouette(tree, problem, candidate)
    return Advice(
        kind=kind,
        first=first,
        is_separated=len(recommendation.undecided) == 1,
        is_unstable="nothing is stable" in recommendation.text,
        aari=values.get(first, 0.0),
        best=max(values.values()),
        mean=float(np.mean(list(values.values()))),
        by_silhouette=values[max(widths, key=lambda name: widths[name])],
    )


def _measured(
    candidates: Sequence[Candidate],
    distances: tuple[str, ...],
    halves: Halves,
    replication: Mapping[str, Any],
    tables: Mapping[str, NDArray[np.float64]],
) -> Measured:
    """As `hcbench_recommend.recommending.Compared.on_halves` returns it, without times."""
    cost = SimpleNamespace(peak_bytes=None)
    outcome: Any = SimpleNamespace(status="ok", reason="", failed=False, cost=cost)
    return Measured(
        data="./table.csv",
        candidates=candidates,
        on_all={candidate.name: outcome for candidate in candidates},
        outcomes={},
        times={},
        tables=tables,
        directed=list(tables.values()),
        drawn=Drawn(
            subsamples=halves.divisions, size=halves.size, n=2 * halves.size, are_halves=True
        ),
        distances=distances,
        replication=replication,
        results=None,
    )


def _aari(tree: Any, truth: NDArray[np.int64] | None) -> float:
    """The mean adjusted Rand index of the cuts into the true numbers of clusters."""
    if truth is None:
        return float("nan")
    values = []
    for labels in truth.T:
        cut = tree.cut(int(labels.max()) + 1).labels
        values.append(adjusted_rand_score(labels, cut))
    return float(np.mean(values))


def _silhouette(tree: Any, problem: Problem, candidate: Candidate) -> float:
    """The largest mean silhouette width of a cut into 2 to 12 clusters."""
    from sklearn.metrics import silhouette_score

    vectors = with_rows_scaled(problem, candidate.distance).vectors
    widths = []
    for k in (2, 3, 4, 5, 6, 8, 10, 12):
        labels = tree.cut(k).labels
        if 2 <= len(set(labels.tolist())) < tree.n:
            widths.append(silhouette_score(vectors, labels))
    return max(widths, default=-1.0)


def summarise(advices: Sequence[Advice]) -> list[dict[str, Any]]:
    """A row for each kind of table."""
    rows = []
    for kind in KINDS:
        of_kind = [advice for advice in advices if advice.kind == kind]
        if not of_kind:
            continue
        row: dict[str, Any] = {"kind": kind, "tables": len(of_kind)}
        row["unstable"] = _share([advice.is_unstable for advice in of_kind])
        stable = [advice for advice in of_kind if not advice.is_unstable]
        row["separated"] = _share([advice.is_separated for advice in of_kind])
        if kind != "pure noise" and stable:
            row["best"] = _share([one.aari >= one.best - 1e-9 for one in stable])
            row["nearly best"] = _share([one.aari >= one.best - NEARLY for one in stable])
            row["silhouette nearly best"] = _share(
                [one.by_silhouette >= one.best - NEARLY for one in stable]
            )
            separated = [one for one in stable if one.is_separated]
            row["separated and nearly best"] = _share(
                [one.aari >= one.best - NEARLY for one in separated]
            )
            for name in ("aari", "best", "mean", "by_silhouette"):
                row[f"mean of {name}"] = round(
                    float(np.mean([getattr(advice, name) for advice in stable])), 2
                )
        rows.append(row)
    return rows


def _share(values: Sequence[bool]) -> str:
    return f"{sum(values)} of {len(values)}"


def simulate(tables: int) -> list[Advice]:
    """Advice on so many tables, of all kinds in turn."""
    kinds = list(KINDS)
    advices = []
    for number in range(tables):
        advices.append(advise(kinds[number % len(kinds)], number))
        if __name__ == "__main__":
            click.echo(f"{number} {advices[-1]}", err=True)
    return advices


if __name__ == "__main__":
    for row in summarise(simulate(int(sys.argv[1]))):
        click.echo(row)
