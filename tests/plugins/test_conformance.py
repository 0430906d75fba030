"""All built-in plugins pass the checks that plugin authors are given, with known exceptions."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from itertools import combinations, groupby
from pathlib import Path

import pytest

from hcbench import QUERY_KINDS, AlgorithmSpec, Oracle, load_registry
from hcbench.registry.fingerprint import installation
from hcbench.run import call_of, make_answers
from hcbench.testing import Check, checks_of
from hcbench.testing.planted import make_items
from hcbench_ask.answers_file import Header

#: Names whose defaults take long, or which need a parameter, with settings for a few items.
SETTINGS = {
    "NoisyInsertion": ("NoisyInsertion[p=0.9]",),
    "related-neighbours": ("related-neighbours[k=2]",),
    "gray-simulated": ("gray-simulated[n=60,p=40]",),
    "4-AL": ("4-AL", "4-AL[init=3]", "4-AL[init='4K-AL']"),
    "UPGMA": ("UPGMA", "UPGMA[metric=cosine]"),
    "InsertionClustering": ("InsertionClustering", "InsertionClustering[separator=exact]"),
    "QuickClustering": ("QuickClustering", "QuickClustering[merge=binary-search]"),
    "V-measure": ("V-measure", "V-measure[beta=2]"),
    "exact-recovery": ("exact-recovery", "exact-recovery[refine=false]"),
    **{
        f"llm-{kind}": (f"llm-{kind}[model=m]",)
        for kind in ("ordinal", "quadruplet", "pair", "rating")
    },
    "mnist": ("mnist[n=1000]",),
    "random-tree": ("random-tree", "random-tree[n=30,degree=3]"),
    "cut-of": ("cut-of", "cut-of[law=top-k,k=4,n=40]"),
    "ordinal-queries": (
        "ordinal-queries",
        "ordinal-queries[noise=0.1,wrong=adversarial]",
        "ordinal-queries[noise=0.3,persistent=true]",
        "ordinal-queries[source=similarity]",
    ),
    "pair-queries": (
        "pair-queries",
        "pair-queries[level=1]",
        "pair-queries[source=cut,k=5]",
        "pair-queries[noise=0.1,law=independent]",
        "pair-queries[skew=1]",
    ),
    "quadruplet-queries": (
        "quadruplet-queries",
        "quadruplet-queries[noise=0.3,persistent=true]",
        "quadruplet-queries[similarity=euclidean]",
    ),
    "subsample": ("subsample[of=iris]",),
    "half": ("half[of=iris]",),
    "rows": ("rows[of=iris]", "rows[of=iris,distance=cosine]"),
    "quadruplet-set": ("quadruplet-set", "quadruplet-set[p=1]", "quadruplet-set[noise=0.3]"),
}
#: Specs that need large downloads, or a terminal.
LEFT_OUT = {
    *("20newsgroups", "20newsgroups-pca", "cifar-100", "openml", "person", "pythons", "rcv1"),
    *("gics", "products", "wordnet", "zebrafish"),
}
#: Specs of libraries that compile for a minute when they are first imported.
LEFT_OUT |= {"evoc", "fast-hdbscan"}
#: Specs that need a file; tests below write it.
BY_FILE = {
    *("file", "recorded-items"),
    *(f"recorded-{kind}" for kind in ("ordinal", "pair", "quadruplet", "rating")),
}
#: Data sets of public files, which are checked if HCBENCH_DATA contains them.
PUBLIC = {"amazon-reviews", "car", "glass", "mnist", "sp500", "zoo"}


def names() -> list[str]:
    """Names of everything that the built-in plugins register."""
    registry = load_registry()
    found = [
        entry.spec.name
        for catalogue in registry.catalogues[:4]
        for entry in catalogue.entries
        if entry.plugin.distribution == "hcbench"
        and not (isinstance(entry.spec, AlgorithmSpec) and installation(entry.spec.requires))
    ]
    left_out = LEFT_OUT | BY_FILE | (set() if os.environ.get("HCBENCH_DATA") else PUBLIC)
    return [name for base in found if base not in left_out for name in SETTINGS.get(base, (base,))]


def by_name() -> dict[str, list[Check]]:
    """The checks of each name, with all of its settings."""
    found = sorted(checks_of(names()), key=lambda check: check.subject.spec.name)
    return {name: list(checks) for name, checks in groupby(found, lambda c: c.subject.spec.name)}


CHECKS = by_name()

TIES = "win rates of a few items tie, and ties go to those that come first"
BY_ROUNDING = "mutual reachability distances tie whatever the data, and ties go by rounding"
BASELINE = "a common baseline without a paper"
ANOTHER_DEFAULT = "it is 4-AL with another default"
NO_SUCH_CUT = "the truth may have no cut into as many clusters that gives these"

#: What is known to fail, or advice that is not followed, with some of the settings.
EXPECTED = {
    "4-AL": {"renumbered_items": TIES},
    "4-AL-I3": {"signature": ANOTHER_DEFAULT},
    "4-AL-I5": {"signature": ANOTHER_DEFAULT},
    "4K-AL": {"renumbered_items": TIES},
    "tK-AL": {"renumbered_items": TIES},
    "AL-rowsum": {"renumbered_items": TIES, "paper": BASELINE},
    "Complete": {"paper": BASELINE},
    "Single": {"paper": BASELINE},
    "OddLinkage": {"paper": BASELINE},
    "RatingLinkage": {"paper": BASELINE},
    "cut-at-K": {"paper": BASELINE},
    "largest-gap": {"paper": BASELINE},
    "HDBSCAN": {"renumbered_items": BY_ROUNDING, "sparse": BY_ROUNDING},
    "sk-hdbscan": {"renumbered_items": BY_ROUNDING},
    "fast-plscan": {"renumbered_items": BY_ROUNDING},
    "ordinal-adversary": {
        "same_question": "it misleads the search for the place of a query's last item",
    },
    "entanglement": {
        "renumbered_nodes": "its layout is a local optimum that starts from node ids",
    },
    "AARI": {"truth_best": "as in the paper, a cut into as many clusters is compared"},
    "kendall-tau-b": {
        "truth_best": "in the authors' code, the ranks around an item are not those in the tree",
    },
    "AMI": {"truth_best": NO_SUCH_CUT},
    "ARI": {"truth_best": NO_SUCH_CUT},
    "V-measure": {"truth_best": NO_SUCH_CUT},
    "clustering-error": {"truth_best": NO_SUCH_CUT},
    "completeness": {"truth_best": NO_SUCH_CUT},
    "homogeneity": {"truth_best": NO_SUCH_CUT},
    "pairs.F1": {"truth_best": NO_SUCH_CUT},
    "pairs.precision": {"truth_best": NO_SUCH_CUT},
    "pairs.recall": {"truth_best": NO_SUCH_CUT},
}

#: The values of parameters by which other results are better than the truth.
NOT_OF_THE_TREE = ("cut=K", "transposed=True", "by_names=True", "break_ties=rounding")


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKS)
def test_conforms(name: str) -> None:
    """What is expected to fail does so with some of the settings, and nothing else does."""
    reasons = failures(CHECKS[name])
    assert {check.rpartition(":")[2] for check in reasons} == set(EXPECTED.get(name, ())), reasons
    for check, reason in reasons.items():
        if check.endswith(":truth_best"):
            for combination in reason.split("with ")[1:]:
                assert any(value in combination for value in NOT_OF_THE_TREE), reason


def failures(checks: Iterable[Check]) -> dict[str, str]:
    """Checks that fail, and advice that is not followed, each with its message."""
    findings = {check.id: check.run() for check in checks}
    return {
        name: finding.reason
        for name, finding in findings.items()
        if finding.status in ("failed", "advice")
    }


def test_what_is_expected_to_fail_exists() -> None:
    checks = {check.name for of_name in CHECKS.values() for check in of_name}
    assert set(EXPECTED) <= set(CHECKS) | {"fast-plscan", "sk-hdbscan"}  # if they are installed
    assert {check for of_name in EXPECTED.values() for check in of_name} <= checks


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["ordinal", "pair", "quadruplet"])
def test_recorded_answers_conform(kind: str, tmp_path: Path) -> None:
    """With an answer to every query about the items."""
    query, names = QUERY_KINDS[f"{kind}-queries"], make_items(1).names
    rows = list(combinations(range(12), query.arity))
    if query.arity == 4:
        rows = [(*a, *b) for a, b in combinations(combinations(range(12), 2), 2)]
    (true,) = load_registry().use_oracles(f"{kind}-queries")
    answers = make_answers(call_of(true), make_items(1), 0, None)
    codes = Oracle(answers).ask(rows).tolist()
    lines = [Header(kind=query.name, items=names).line()]
    lines += [
        {"question": [names[item] for item in row], "answer": code}
        for row, code in zip(rows, codes, strict=True)
    ]
    file = tmp_path / "answers.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert failures(checks_of(f"recorded-{kind}[file='{file}']")) == {}
    assert failures(checks_of(f"recorded-items[path='{file}']")) == {}


def test_a_table_conforms(tmp_path: Path) -> None:
    rows = [f"p{i},{i % 5},{i * i % 7},{'ab'[i % 2]}" for i in range(12)]
    file = tmp_path / "points.csv"
    file.write_text("\n".join(["name,x,y,kind", *rows, ""]))
    assert failures(checks_of(f"{file}[names=name,labels=[kind]]")) == {}
