"""The names that scipy, R and papers have for our algorithms, metrics and data sets."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from hcbench import Claim, Suite, load_registry
from hcbench.plan.plan import make_plan
from hcbench.registry.catalogue import Catalogue

OTHER_NAMES = {
    "algorithm": {
        # scipy.cluster.hierarchy.linkage and R's hclust
        "average": "UPGMA",
        "weighted": "WPGMA",
        "mcquitty": "WPGMA",
        "single": "Single",
        "complete": "Complete",
        "centroid": "Centroid",
        "median": "Median",
        "ward": "Ward",
        "ward.D2": "Ward",
        # Sneath and Sokal 1973
        "UPGMC": "Centroid",
        "WPGMC": "Median",
    },
    "metric": {"CPCC": "cophenetic-correlation", "cophenet": "cophenetic-correlation"},
    "data set": {"WDBC": "breast-cancer"},
}
CATALOGUES = {catalogue.noun: catalogue for catalogue in load_registry().catalogues}


@pytest.mark.parametrize("noun", OTHER_NAMES)
@pytest.mark.filterwarnings("ignore:.* is another name of:UserWarning")
def test_the_names_of_others_are_ours(noun: str) -> None:
    catalogue = CATALOGUES[noun]
    found = {name: catalogue.find(name).spec.name for name in OTHER_NAMES[noun]}
    assert found == OTHER_NAMES[noun]


@pytest.mark.parametrize("noun", CATALOGUES)
def test_no_alias_is_a_name_or_the_alias_of_another(noun: str) -> None:
    catalogue: Catalogue[object] = CATALOGUES[noun]  # type: ignore[assignment]
    names = []
    for entry in catalogue.entries:
        if entry.plugin.distribution == "hcbench":
            names.append(entry.spec.name.casefold())
            names += [alias.casefold() for alias in getattr(entry.spec, "aliases", ())]
    assert len(names) == len(set(names))


def test_a_tree_of_another_name_is_scipys_of_that_name() -> None:
    import numpy as np
    from scipy.cluster.hierarchy import linkage

    import hcbench

    points = np.random.default_rng(5).normal(size=(30, 3))
    for name in ("average", "weighted", "single", "complete", "centroid", "median", "ward"):
        if name in ("average", "weighted"):
            with pytest.warns(UserWarning, match=f"{name} is another name of the algorithm"):
                tree = hcbench.fit(name, points)
        else:
            tree = hcbench.fit(name, points)
        heights = np.sort(tree.to_linkage()[:, 2])
        assert np.allclose(heights, np.sort(linkage(points, name)[:, 2])), name


def test_listing_aliases_imports_nothing_heavy() -> None:
    code = (
        "import sys; from hcbench.cli import main\n"
        "try: main(['list', '--search', 'average'])\n"
        "except SystemExit: pass\n"
        "sys.exit(({'numpy', 'numba', 'scipy'} & set(sys.modules) or None))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "aliases average" in done.stdout


@pytest.mark.filterwarnings("ignore:.* is another name of:UserWarning")
def test_claims_and_families_of_a_suite_may_have_other_names() -> None:
    claim = Claim(
        claim="c",
        algorithm="average[metric=cosine], single",
        dataset="WDBC[n=60]",
        metric="CPCC",
        better_than="McQuitty",
        erratum="It is the other one.",
        corrected={"better_than": "weighted"},
    )
    registered = Claim(claim="d", algorithm="UPGMA*", dataset="wine", metric="AARI", paper="0.5")
    suite = Suite(
        name="s",
        algorithms=("average[metric=cosine]", "single", "mcquitty"),
        datasets=("WDBC[n=60]", "wine"),
        metrics=("CPCC", "AARI"),
        claims=(claim, registered),
        families={"WDBC": "tumours"},
    )
    plan = make_plan(suite, load_registry())
    renamed, same = plan.suite.claims
    assert renamed == replace(
        claim,
        algorithm="UPGMA[metric=cosine], single",
        dataset="breast-cancer[n=60]",
        metric="cophenetic-correlation",
        better_than="WPGMA",
        corrected={"better_than": "WPGMA"},
    )
    assert same is registered
    assert plan.suite.families == {"breast-cancer": "tumours"}
