"""Our linkages beside those of scipy, fastcluster and scikit-learn, in one process and in turns.

``python -m benchmarks.peers [FIGURE]`` prints seconds of one processor, how many times the least
work of the problem this is (`benchmarks.limits`), the ratios to the peers with their spread, and
what a call takes of memory in a process of its own, and draws times and memory. Trees from
comparisons, which have no peers, are set beside the least work only.
"""

from __future__ import annotations

import multiprocessing
import re
import statistics
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from time import process_time

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist, squareform
from sklearn.cluster import AgglomerativeClustering
from threadpoolctl import threadpool_limits

import hcbench
from benchmarks.inputs import SEED, Timed, benchmark
from benchmarks.limits import limit_of_comparisons, limit_of_matrix, limit_of_vectors
from benchmarks.quadruplets import draw_comparisons, fit_comparisons

Floats = NDArray[np.float64]
Call = Callable[[], object]
Ratios = dict[str, list[float]]  # by peer
Peaks = dict[str, float]  # MB, by package

N, P = 6000, 34
TRACKED = 4000  # items in asv's benchmarks
#: Ours, the peers' name of the method, and the metric. DotProduct has the peers' average linkage
#: beside it, which is as much work.
CASES = {
    "DotProduct": ("average", "euclidean"),
    "UPGMA": ("average", "euclidean"),
    "UPGMA of cosines": ("average", "cosine"),
    "UPGMA of manhattan": ("average", "manhattan"),
    "UPGMA of similarities": ("average", "precomputed"),
    "Complete of similarities": ("complete", "precomputed"),
    "WPGMA": ("weighted", "euclidean"),
    "Complete": ("complete", "euclidean"),
    "Single": ("single", "euclidean"),
    "Single of similarities": ("single", "precomputed"),
    "Single of 3 features": ("single", "euclidean"),
    "Centroid": ("centroid", "euclidean"),
    "Centroid of 3 features": ("centroid", "euclidean"),
    "Median": ("median", "euclidean"),
    "Ward": ("ward", "euclidean"),
}
#: One of each way to use memory: the other cases take as much as one of these.
MEMORY_CASES = ("DotProduct", "UPGMA", "UPGMA of similarities", "Single", "Centroid", "Ward")
PACKAGES = ("hcbench", "scipy", "fastcluster", "linkage_vector", "scikit-learn")
LIMIT = "limit"
#: Trees from comparisons: the items and the comparisons of each.
COMPARING = {"4-AL": (600, 10_000_000), "4K-AL": (200, 2_000_000)}
_OF_VECTORS = ("single", "centroid", "median", "ward")
_OF_SKLEARN = ("average", "complete", "single", "ward")


def normal_vectors(case: str, n: int) -> Floats:
    """Independent normal coordinates of mean 1, as dot products should not be negative."""
    p = 3 if case.endswith("of 3 features") else P
    return np.random.default_rng(SEED).normal(1.0, size=(n, p))


def call_of(case: str, package: str, vectors: Floats) -> Call | None:
    """One package's tree from vectors, distances included; None if it has no such linkage."""
    method, metric = CASES[case]
    if metric == "precomputed":
        return _call_of_matrix(case.split()[0], method, package, vectors)
    theirs = "cityblock" if metric == "manhattan" else metric
    if package == "hcbench":
        params = {} if metric == "euclidean" else {"metric": metric}
        return lambda: hcbench.fit(case.split()[0], vectors, **params)
    if package == "scipy":
        return lambda: linkage(vectors, method, metric=theirs)
    if package == "fastcluster":
        # There is none for the newest Python, where the other benchmarks can be listed and run.
        import fastcluster

        return lambda: fastcluster.linkage(vectors, method, metric=theirs)
    if package == "linkage_vector":
        import fastcluster

        if method not in _OF_VECTORS:
            return None
        return lambda: fastcluster.linkage_vector(vectors, method)
    if method not in _OF_SKLEARN:
        return None
    model = AgglomerativeClustering(1, metric=metric, linkage=method, compute_full_tree=True)
    return lambda: model.fit(vectors)


def _call_of_matrix(name: str, method: str, package: str, vectors: Floats) -> Call | None:
    """One package's tree from a square matrix, of which each makes what it needs."""
    square = squareform(pdist(vectors))
    if package == "hcbench":
        problem = hcbench.Problem(n=len(square), similarity=-square)
        return lambda: hcbench.fit(name, problem)
    if package == "scipy":
        return lambda: linkage(squareform(square, checks=False), method)
    if package == "fastcluster":
        import fastcluster

        return lambda: fastcluster.linkage(squareform(square, checks=False), method)
    return None


def limit_of(case: str, vectors: Floats) -> Call:
    """The least work of a case."""
    metric = CASES[case][1]
    if metric == "precomputed":
        return limit_of_matrix(len(vectors))
    return limit_of_vectors(vectors, metric)


def seconds_in_turns(calls: list[Call], rounds: int = 3) -> list[list[float]]:
    """Processor seconds of each call in each round; in every round each is called once."""
    seconds: list[list[float]] = [[] for _ in calls]
    with threadpool_limits(1):
        for _ in range(rounds):
            for call, found in zip(calls, seconds, strict=True):
                start = process_time()
                call()
                found.append(process_time() - start)
    return seconds


class Peers:
    """Items with 34 or 3 features, in turns, on one thread."""

    params = (tuple(CASES), PACKAGES[1:])
    param_names = ("algorithm", "peer")

    def setup_cache(self) -> dict[str, Ratios]:
        """Measure everything once."""
        return {case: ratios for case, _, ratios in ratios_to_peers(TRACKED, 3)}

    def setup(self, found: dict[str, Ratios], case: str, peer: str) -> None:
        """Skip what the peer does not have."""
        if peer not in found[case]:
            raise NotImplementedError(f"{peer} has no {CASES[case][0]} linkage")

    @benchmark("Linkages: time over a peer's", "ratio")
    def track_ratio(self, found: dict[str, Ratios], case: str, peer: str) -> float:
        """Median of our times over that of the peer's; the goal is at most 2/3."""
        return 1 / statistics.median(found[case][peer])


class Memory(Timed):
    """Peak memory of a process that builds one tree."""

    params = (MEMORY_CASES, PACKAGES)
    param_names = ("algorithm", "package")

    def setup(self, case: str, package: str) -> None:
        """Draw the vectors, and skip what the package does not have."""
        self.call = call_of(case, package, normal_vectors(case, TRACKED))
        if self.call is None:
            raise NotImplementedError(f"{package} has no {CASES[case][0]} linkage")

    @benchmark("Peak memory beside the peers")
    def peakmem_tree(self, *_: str) -> None:
        """Peak memory, the imports of the benchmarks included."""
        assert self.call is not None
        self.call()


def ratios_to_peers(n: int, rounds: int) -> Iterator[tuple[str, float, Ratios]]:
    """Yield each algorithm, our seconds, and the rising ratios of other times to ours.

    The others are the peers, and the least work, `LIMIT`.
    """
    for case in CASES:
        vectors = normal_vectors(case, n)
        calls = {name: call_of(case, name, vectors) for name in PACKAGES}
        there = {name: call for name, call in calls.items() if call is not None}
        there[LIMIT] = limit_of(case, vectors)
        there["hcbench"]()
        times = dict(zip(there, seconds_in_turns(list(there.values()), rounds), strict=True))
        ours = times.pop("hcbench")
        ratios = {
            name: sorted(b / a for a, b in zip(ours, found, strict=True))
            for name, found in times.items()
        }
        yield case, statistics.median(ours), ratios


def ratios_to_limits(rounds: int) -> Iterator[tuple[str, float, list[float]]]:
    """Yield each algorithm that compares, our seconds, and the rising ratios of the limit's."""
    for name, (n, count) in COMPARING.items():
        comparisons = draw_comparisons(n, count)
        calls = [partial(fit_comparisons, name, comparisons), limit_of_comparisons(comparisons)]
        calls[0]()
        ours, limits = seconds_in_turns(calls, rounds)
        ratios = sorted(b / a for a, b in zip(ours, limits, strict=True))
        yield name, statistics.median(ours), ratios


def peak_memory(case: str, package: str, n: int) -> float:
    """MB that a second call takes at its peak beyond what is resident before it (Linux)."""
    call = call_of(case, package, normal_vectors(case, n))
    small = call_of(case, package, normal_vectors(case, 300))
    assert call is not None
    assert small is not None
    small()  # imports and compiles
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = _resident("VmRSS")
    call()
    return _resident("VmHWM") - before


def _resident(name: str) -> float:
    found = re.search(rf"{name}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) / 1000


def peaks_of_packages(case: str, n: int) -> Peaks:
    """The peak memory of each package that has the linkage, each in a process of its own."""
    vectors = normal_vectors(case, 2)
    there = [package for package in PACKAGES if call_of(case, package, vectors) is not None]
    with ProcessPoolExecutor(
        1, multiprocessing.get_context("spawn"), max_tasks_per_child=1
    ) as processes:
        found = processes.map(peak_memory, [case] * len(there), there, [n] * len(there))
        return dict(zip(there, found, strict=True))


def draw(found: dict[str, Ratios], peaks: dict[str, Peaks], path: str) -> None:
    """Draw medians of the ratios, with lines from the smallest to the largest, and peaks."""
    from matplotlib.figure import Figure  # asv's environments do not have it

    figure = Figure(figsize=(12, 5), layout="constrained")
    axes, memory = figure.subplots(1, 2, sharey=True)
    for at, package in enumerate(PACKAGES):
        rows = [(y, of[package]) for y, of in enumerate(peaks.values()) if package in of]
        heights = [y + 0.15 * (at - 2) for y, _ in rows]
        memory.plot([max(peak, 1.0) for _, peak in rows], heights, "o", label=package)
    for at, peer in enumerate(PACKAGES[1:], start=1):
        ratios_of = [(y, ratios[peer]) for y, ratios in enumerate(found.values()) if peer in ratios]
        heights = [y + 0.15 * (at - 2) for y, _ in ratios_of]
        middles = [statistics.median(ratios) for _, ratios in ratios_of]
        below = [middle - each[0] for middle, (_, each) in zip(middles, ratios_of, strict=True)]
        above = [each[-1] - middle for middle, (_, each) in zip(middles, ratios_of, strict=True)]
        axes.errorbar(middles, heights, xerr=[below, above], fmt="o", color=f"C{at}")
    axes.axvline(1.0, color="gray")
    axes.set_xlabel("time of the peer / time of hcbench")
    memory.set_xlabel("peak memory of the call (MB; less than 1 is drawn as 1)")
    for each in (axes, memory):
        each.set_xscale("log")
    axes.set_yticks(range(len(found)), list(found))
    axes.invert_yaxis()
    memory.legend()
    figure.savefig(path)


def main(path: str = "", n: int = N, rounds: int = 5) -> None:
    """Print a row for each algorithm: our seconds, ratios with smallest and largest, and MB."""
    found, peaks = {}, {}
    for case, ours, found[case] in ratios_to_peers(n, rounds):
        peaks[case] = peaks_of_packages(case, n)
        to_limit = 1 / statistics.median(found[case].pop(LIMIT))
        line = f"{case:24} {ours:6.3f} s = {to_limit:5.1f} limits {peaks[case]['hcbench']:5.0f} MB"
        for name, ratios in found[case].items():
            line += (
                f"   {name} {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
                f" {peaks[case][name]:.0f} MB"
            )
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    for name, ours, ratios in ratios_to_limits(rounds):
        to_limit = 1 / statistics.median(ratios)
        sys.stdout.write(f"{name:24} {ours:6.3f} s = {to_limit:5.1f} limits\n")
        sys.stdout.flush()
    if path:
        draw(found, peaks, path)


if __name__ == "__main__":
    main(*sys.argv[1:2])
