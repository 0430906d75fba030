"""Recommendations: ranks and sentences by hand, subsamples, and the command on known data."""

from __future__ import annotations

import json
import re
import statistics
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner

import hcbench
import hcbench_recommend
from hcbench import HcbenchError, Problem
from hcbench.store import Store
from hcbench_recommend import recommending
from hcbench_recommend.command import recommend as command, split_names
from hcbench_recommend.recommending import (
    Method,
    describe_metrics,
    describe_scale,
    in_words,
    mean_ranks,
    not_separated,
    recommend,
)
from hcbench_recommend.subsample import subsample


def method(name: str, best: int = 0, seconds: float | None = 1.0) -> Method:
    return Method(
        name=name,
        values={},
        rank=1.0,
        best=best,
        stability=None,
        seconds=seconds,
        peak_bytes=None,
        reason="",
    )


def test_ranks_by_hand():
    # Three methods in two subsamples; failures are last, rounding errors are ties.
    one = np.array([[0.9, 0.5], [0.9 + 1e-12, 0.7], [np.nan, 0.6]])
    other = np.array([[3.0, 1.0], [2.0, 2.0], [1.0, 3.0]])
    expected = [[(1.5 + 1) / 2, 3.0], [(1.5 + 2) / 2, (1 + 2) / 2], [3.0, (2 + 1) / 2]]
    assert mean_ranks([one, other]).tolist() == expected


def test_a_method_is_separated_if_the_first_is_better_in_four_of_five():
    ranks = np.array([[1, 1, 1, 1, 3], [2, 2, 2, 2, 1], [3, 3, 3, 1, 2], [1, 4, 4, 4, 4]], float)
    assert not_separated(ranks) == [0, 2]  # the third is better or equal in two
    assert not_separated(np.ones((3, 2))) == [0, 1, 2]


def test_sentences_say_no_more_than_is_known():
    methods = [method("A", 4), method("B", 1, 0.4), method("C"), method("Random", seconds=0.1)]
    assert "Use A: it is better than each other method" in in_words(methods, ["A"], 5)
    assert "best in 4 of 5" in in_words(methods, ["A"], 5)
    both = in_words(methods, ["A", "B"], 5)
    assert both.startswith("A and B are not separated")
    assert both.endswith("B is the fastest of them.")
    alike = [method("A", 4), method("B", 1, 0.6)]  # less than twice as fast
    assert "fastest" not in in_words(alike, ["A", "B"], 5)
    assert "nothing separates the methods" in in_words(methods, ["A", "B", "C"], 5)
    assert "not separated from Random" in in_words(methods, ["A", "Random"], 5)


def test_what_internal_metrics_do_not_say_is_said():
    valued = replace(method("A"), values={"silhouette": 0.5, "AARI": 0.5})
    without = replace(method("B"), values={"silhouette": None, "AARI": 0.5})
    (text,) = describe_metrics([valued, without], ["silhouette"])
    assert "Ranked last by silhouette, of which they have no value: B." in text
    assert "none says whether there are clusters" in text
    (text,) = describe_metrics([valued, without], ["AARI"])
    assert text == "Methods are ranked by the mean of their ranks by AARI."


def test_a_subsample_is_a_part_of_the_items_with_their_labels():
    whole = hcbench.load_registry().use_datasets("iris")[0]
    iris: Problem = whole.spec.load()(0, **whole.params)
    part = subsample(3, of="iris", share=0.5)
    items = np.array(part.names, dtype=int)
    assert part.n == len(set(items)) == 75
    np.testing.assert_array_equal(part.vectors, iris.vectors[items])
    np.testing.assert_array_equal(part.levels, iris.levels[items])
    assert subsample(4, of="iris", share=0.5).names != part.names
    (spec,) = hcbench_recommend.hcbench_datasets()
    assert spec.provides_with({"of": "iris", "share": 0.5}) == iris.provides


def test_names_are_split_outside_brackets():
    assert split_names("UPGMA[metric=['cosine','euclidean']], Ward,") == [
        "UPGMA[metric=['cosine','euclidean']]",
        "Ward",
    ]


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_the_command_recommends_what_separates_the_rings(tmp_path, monkeypatch):
    # Two rings, which single linkage separates and average linkage does not.
    angle = np.linspace(0, 2 * np.pi, 30, endpoint=False)
    rings = np.concatenate([r * np.column_stack([np.cos(angle), np.sin(angle)]) for r in (1, 6)])
    rows = [f"{x:.4f},{y:.4f},{'ab'[i // 30]}" for i, (x, y) in enumerate(rings)]
    (tmp_path / "rings.csv").write_text("\n".join(["x,y,ring", *rows, ""]))
    arguments = [f"{tmp_path}/rings.csv[labels=ring]", "--algos", "UPGMA,Single", "--quiet"]
    arguments += ["--subsamples", "3", "--share", "0.9", "--store", f"{tmp_path}/r.sqlite"]
    page = tmp_path / "page.html"
    done = CliRunner().invoke(
        command, [*arguments, "--format", "json", "--report", str(page)], catch_exceptions=False
    )
    found = json.loads(done.stdout)
    assert found["recommendation"].startswith("Use Single")
    assert [m["name"] for m in found["methods"]] == ["Single", "UPGMA", "Random"]
    assert found["methods"][0]["values"]["AARI"] == 1.0
    assert found["methods"][0]["best"] == 3
    assert all(m["seconds"] > 0 for m in found["methods"])
    assert found["methods"][2]["stability"] < 0.6 < found["methods"][0]["stability"]
    text = page.read_text()
    assert "Use Single: it is better than each other method" in text
    assert "A call on all items takes: Single " in text
    assert "Single is better than the second, UPGMA, in 3. Their means: AARI 1.000 and " in text
    assert re.search(r"Their means: AARI 1.000 and [\d.]+ \(Random -?[\d.]+\)", text)
    assert "<h1>Recommendation for " in text
    assert "standardise=true" not in text  # the two columns have the same variance
    assert "some of the same items" in text  # so there is no test
    assert "signed-rank" not in text
    again = CliRunner().invoke(command, [*arguments, "--format", "json"], catch_exceptions=False)
    assert json.loads(again.stdout) == found, "also the stability, from the store"
    with Store(tmp_path / "r.sqlite") as store:
        timed = [o for o, _ in store.outcomes() if o.dataset.startswith(f"{tmp_path}/rings.csv")]
    seconds: dict[str, list[float]] = {}
    for outcome in timed:
        seconds.setdefault(outcome.algorithm, []).append(outcome.cost.seconds)
    assert {m["name"]: m["seconds"] for m in found["methods"]} == {
        name: statistics.median(of_method) for name, of_method in seconds.items()
    }
    assert [len(of_method) for of_method in seconds.values()] == [recommending.CALLS] * 3
    table = CliRunner().invoke(command, arguments, catch_exceptions=False).stdout  # from the store
    assert "Use Single" in table
    assert "3/3" in table
    monkeypatch.setattr(recommending, "MOST", 20)  # instead of 80 % of the 60 items
    found = recommend(arguments[0], ["Single"], subsamples=2, store=f"{tmp_path}/r.sqlite")
    assert "Of 2 random subsamples of 20 of 60 items, Single is better" in found.sentences[2]


def test_a_long_call_is_timed_once(monkeypatch):
    long, short = (SimpleNamespace(seconds=seconds) for seconds in (9.0, 0.5))
    rows = [("Slow", 0, long), ("Fast", 0, short), ("Failing", 0, SimpleNamespace(seconds=None))]

    def results(rows):
        outcomes = [
            SimpleNamespace(algorithm=name, repetition=number, cost=cost)
            for name, number, cost in rows
        ]
        return SimpleNamespace(outcomes=outcomes)

    def compare(algorithms, datasets, *, repetitions, exclusive, **_):
        assert (algorithms, datasets, exclusive) == (["Fast"], ["iris"], True)
        seconds = [0.5, 0.1, 0.3, 0.4, 0.2]
        return results(
            [("Fast", k, SimpleNamespace(seconds=seconds[k])) for k in range(repetitions)]
        )

    monkeypatch.setattr(recommending, "compare", compare)
    assert recommending._times(results(rows), "iris", {}) == {"Slow": 9.0, "Fast": 0.3}


def test_a_column_that_decides_the_distances_is_told_of(tmp_path):
    # The variances are 1 and 100: the second column has 100 / 101 of their sum.
    (tmp_path / "units.csv").write_text("x,y\n" + "-1,10\n1,-10\n-1,-10\n1,10\n")
    registry = hcbench.load_registry()
    for changes, told in (("", ["One of 2 columns has 99.0%"]), ("[standardise=true]", [])):
        (use,) = registry.use_datasets(f"{tmp_path}/units.csv{changes}")
        problem = use.spec.load()(0, **use.params)
        assert [text[: len(told[0])] for text in describe_scale(use, problem)] == told


def test_mistakes_are_one_line():
    with pytest.raises(HcbenchError, match="subsamples=1: at least 2"):
        recommend("iris", subsamples=1)
    with pytest.raises(HcbenchError, match="means 2 data sets"):
        recommend("planted[N0=[2,3]]")
