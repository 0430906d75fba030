"""All built-in plugins pass the suite that plugin authors are given, but for what they exempt."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations, groupby
from pathlib import Path

import pytest

from hcbench import QUERY_KINDS, AlgorithmSpec, Oracle, load_registry
from hcbench.registry.fingerprint import installation
from hcbench.testing import Check, checks_of
from hcbench.testing.running import make_items
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


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKS)
def test_conforms(name: str) -> None:
    """No check fails but those that are exempt, and these do with some of the settings."""
    exempt = {check.name for check in CHECKS[name] if check.exempt}
    assert failures(check for check in CHECKS[name] if check.name not in exempt) == {}
    failed = failures(check for check in CHECKS[name] if check.name in exempt)
    assert {check.rpartition(":")[2] for check in failed} == exempt


def failures(checks: Iterable[Check]) -> dict[str, str]:
    """Checks that fail, exempt or not, each with its message."""
    found = {check.id: replace(check, exempt="").run() for check in checks}
    return {name: each.reason for name, each in found.items() if each.status == "failed"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["ordinal", "pair", "quadruplet"])
def test_recorded_answers_conform(kind: str, tmp_path: Path) -> None:
    """With an answer to every query about the items."""
    query, names = QUERY_KINDS[f"{kind}-queries"], make_items(1).names
    rows = list(combinations(range(12), query.arity))
    if query.arity == 4:
        rows = [(*a, *b) for a, b in combinations(combinations(range(12), 2), 2)]
    true = load_registry().oracles.find(f"{kind}-queries").spec.load()
    codes = Oracle(true(make_items(1), 0, None)).ask(rows).tolist()
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
