"""Simulations of two commits whose times are known, from their processes to the verdicts.

The tests simulate few; each night tests/plugins/regress/test_simulations.py simulates many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hcbench_regress.commits import Commit
from hcbench_regress.measuring import measure_in_turns
from hcbench_regress.records import read_both, write_both
from hcbench_regress.verdicts import Judged, judge

BASE = Commit("main", "a" * 40, 1_000)
HEAD = Commit("topic", "b" * 40, 2_000)
SIZE = 160


class SimulatedProcess:
    """Times of a commit: lognormal, with the noise of each call and an effect of each process.

    Parameters
    ----------
    seconds : sequence of float
        The true time of each benchmark.
    noise : float
        The standard deviation of the logarithms of times within a process.
    process_effect : float
        That of their means between processes, of each benchmark independently.
    rng : numpy.random.Generator
    """

    def __init__(
        self,
        seconds: Sequence[float],
        noise: float,
        process_effect: float,
        rng: np.random.Generator,
    ) -> None:
        self.logarithms = np.log(seconds)
        self.listed = [(f"metric_{number}", SIZE) for number in range(len(seconds))]
        self.noise = noise
        self.process_effect = process_effect
        self.rng = rng
        self.close()

    def close(self) -> None:
        """The next call starts another process."""
        effects = self.rng.normal(scale=self.process_effect, size=len(self.logarithms))
        self.of_process = self.logarithms + effects

    def cases(self) -> list[tuple[str, int]]:
        return self.listed

    def measure(self, case: tuple[str, int], _repetition: int) -> dict[str, Any]:
        number = int(case[0].removeprefix("metric_"))
        logarithm = self.of_process[number] + self.noise * self.rng.standard_normal()
        return {"seconds": float(np.exp(logarithm)), "value": 0.5}


def compare_commits(
    ratios: Sequence[float],
    folder: Path,
    *,
    noise: float,
    process_effect: float = 0.0,
    seed: int = 0,
) -> list[Judged]:
    """Measure, store, read and judge two commits; the verdicts on times, in the order of ratios.

    Parameters
    ----------
    ratios : sequence of float
        The true time of head over that of base, of each benchmark.
    folder : Path
        For the results.
    noise, process_effect : float
        As of `SimulatedProcess`.
    seed : int
    """
    rng = np.random.default_rng(seed)
    base: Any = SimulatedProcess([1.0] * len(ratios), noise, process_effect, rng)
    head: Any = SimulatedProcess(ratios, noise, process_effect, rng)
    write_both(folder, BASE, HEAD, measure_in_turns(base, head))
    judged_by_name = {one.recorded.name: one for one in judge(read_both(folder, BASE, HEAD))}
    judged = []
    for number in range(len(ratios)):
        value = judged_by_name[f"registered.metric_{number}.track_value({SIZE})"]
        assert value.verdict == "same"
        judged.append(judged_by_name[f"registered.metric_{number}.track_seconds({SIZE})"])
    return judged


@dataclass(slots=True)
class Counts:
    """The verdicts on several pairs of commits.

    Attributes
    ----------
    slower : int
        Benchmarks that are truly longer by more than the tolerance.
    detected : int
        Those of them that are called regressions.
    false : list of int
        In each pair of commits, the benchmarks of others that are said to differ.
    false_shares : list of float
        In each pair of commits, their share of all that are said to differ; 0 if there are none.
    """

    slower: int = 0
    detected: int = 0
    false: list[int] = field(default_factory=list)
    false_shares: list[float] = field(default_factory=list)


def count_verdicts(
    ratios: Sequence[float],
    folder: Path,
    runs: int,
    *,
    noise: float,
    process_effect: float = 0.0,
) -> Counts:
    """Compare several pairs of commits, none of which is faster; the tolerance is 10 %."""
    counts = Counts()
    for seed in range(runs):
        results = folder / str(seed)
        judged = compare_commits(
            ratios, results, noise=noise, process_effect=process_effect, seed=seed
        )
        false = 0
        detected = 0
        for ratio, one in zip(ratios, judged, strict=True):
            if ratio > 1.1:
                counts.slower += 1
                detected += one.verdict == "regression"
            else:
                false += one.verdict != "same"
        counts.detected += detected
        counts.false.append(false)
        counts.false_shares.append(false / max(false + detected, 1))
    return counts
