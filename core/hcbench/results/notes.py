"""The notes on a comparison that are about all tables; footnotes are made with their tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from hcbench.analysis.groups import MOST_FAILED
from hcbench.analysis.notes import Note
from hcbench.plan.outcome import BUSY

if TYPE_CHECKING:
    from hcbench.results.evaluation import Evaluation


def general_notes(results: Evaluation) -> list[Note]:
    """What to keep in mind about all tables, in the order in which it is shown below them."""
    notes: list[Note] = []
    notes += _on_failures(results)
    notes += _on_tests(results)
    notes += _on_families(results)
    notes += _on_times(results)
    notes += _on_different_data(results)
    notes += _on_equal_data(results)
    chance = results.false_verdicts.text
    if chance:
        notes.append(Note(kind="verdicts", text=chance))
    notes += results.remarks
    return notes


def _on_failures(results: Evaluation) -> Iterator[Note]:
    """How failures count, where there are some."""
    if results.suite.ranks and any(group.has_failures for group in results.competing):
        text = (
            "averages are of the repetitions that succeeded; where more than "
            f"{100 * MOST_FAILED:g} % failed, an algorithm is not the best and ranks last"
        )
        yield Note(kind="failures", text=text)


def _on_tests(results: Evaluation) -> Iterator[Note]:
    """Why algorithms are not compared by a test."""
    reason = results.inference.reason
    if reason and results.rankings:
        text = f"no test of differences between algorithms: {reason}"
        yield Note(kind="test", text=text)


def _on_families(results: Evaluation) -> Iterator[Note]:
    """How data sets of one family count, where ranks are of several families."""
    inference = results.inference
    if results.rankings and inference.has_variants and not inference.reason:
        text = f"ranks count a family of data sets once: {inference.families_text}"
        yield Note(kind="families", text=text)


def _on_times(results: Evaluation) -> Iterator[Note]:
    """Whether times were taken on a busy machine."""
    units = {metric.unit for metric in results.metrics}
    if "s" not in units:
        # No time is shown.
        return
    loads = results.outcomes.column("load").astype(np.float64)
    # NaN where it is unknown.
    known_loads = loads[~np.isnan(loads)]
    busy = known_loads[known_loads > BUSY]
    if not busy.size:
        return
    text = (
        f"{busy.size:,} of {known_loads.size:,} cells were timed on a busy machine, with up to "
        f"{busy.max():.1f} processes per core, so their seconds are too long (--exclusive "
        "--fresh times them again, one at a time)"
    )
    yield Note(kind="busy", text=text)


def _on_different_data(results: Evaluation) -> Iterator[Note]:
    """Data sets of which algorithms got different data in the same repetition."""
    outcomes = results.outcomes
    datasets, labels = outcomes.coded("dataset")
    repetitions, numbers = outcomes.coded("repetition")
    digests, texts = outcomes.coded("data_digest")
    # Cells that failed before their data were there have no digest.
    has_digest = texts[digests] != ""
    # Data set and repetition as one number.
    places = (datasets.astype(np.int64) * numbers.size + repetitions)[has_digest]
    # One entry for each digest of each data set and repetition: a place that occurs twice has two.
    of_digests = np.unique(places * texts.size + digests[has_digest]) // texts.size
    repeated = of_digests[1:][of_digests[1:] == of_digests[:-1]]
    for code in np.unique(repeated // numbers.size).tolist():
        label = labels[code]
        text = f"{label} was other data for some algorithms, as if it ignored its seed"
        yield Note(kind="data", text=text, table=label)


def _on_equal_data(results: Evaluation) -> Iterator[Note]:
    """Data sets that are declared to draw new data in each repetition, and did not."""
    outcomes = results.outcomes
    for dataset in results.datasets:
        if dataset not in results.random_data:
            continue
        of_dataset = outcomes.where("dataset", {dataset})
        digests = of_dataset.column("data_digest")
        has_digest = digests != ""
        repetitions = set(of_dataset.column("repetition")[has_digest].tolist())
        # One repetition alone says nothing about the next.
        if len(set(digests[has_digest].tolist())) == 1 and len(repetitions) > 1:
            text = (
                f"{dataset} has the same data in all repetitions, though it is declared to draw "
                "new data for each seed"
            )
            yield Note(kind="data", text=text, table=dataset)
