"""Specs of plugins, and validation of parameters."""

import copy
import pickle
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import cloudpickle
import pytest

from hcbench import (
    REQUIRED,
    AlgorithmSpec,
    DatasetSpec,
    MetricSpec,
    Parameter,
    Reference,
    read_references,
)
from hcbench.errors import InvalidSpecError, ParameterError, PluginError
from hcbench.registry.catalogue import Catalogue, Entry
from hcbench.registry.parameters import Interval
from hcbench.registry.plugins import Plugin
from hcbench.registry.specs import any_of, extra, unmet

SPEC = AlgorithmSpec(
    name="A",
    function="json:dumps",
    doc="For these tests.",
    accepts=("vectors",),
    parameters=(
        Parameter("metric", "euclidean", "Distance.", choices=("euclidean", "cosine")),
        Parameter("p", 0.5, "Proportion.", interval="(0, 1]"),
        Parameter("k", None, "Count.", type="int", interval="[1, inf)"),
        Parameter("flag", False, "Switch."),
        Parameter("columns", (), "Names."),
        Parameter("pca", None, "Dimensions.", type="int", alternative="str", choices=("auto",)),
    ),
)


def test_defaults_fill_in_and_ints_become_floats() -> None:
    assert SPEC.resolve({"p": 1}) == {
        "metric": "euclidean",
        "p": 1.0,
        "k": None,
        "flag": False,
        "columns": (),
        "pca": None,
    }
    assert isinstance(SPEC.resolve({"p": 1})["p"], float)


def test_a_wrong_parameter_is_named_with_its_value() -> None:
    for params, message in [
        ({"q": 1}, "A has no parameter 'q'; it has metric, p, k, flag, columns, pca"),
        ({"p": 1.5}, r"A: p must be in \(0, 1\], got 1.5"),
        ({"p": 0}, r"must be in \(0, 1\], got 0"),
        ({"p": "half"}, "A: p must be float, got 'half'"),
        ({"p": True}, "must be float, got True"),
        ({"p": ".5"}, "must be float, got '.5'; write p=0.5$"),
        ({"k": 2.0}, "must be int, got 2.0; write k=2$"),
        ({"k": "1_000"}, "must be int, got '1_000'; write k=1000$"),
        ({"k": 2.5}, "must be int, got 2.5$"),
        ({"k": "nan"}, "must be int, got 'nan'$"),
        ({"k": 0}, r"in \[1, inf\), got 0"),
        ({"flag": 1}, "must be true or false, got 1"),
        ({"metric": "cosin"}, "one of euclidean, cosine; got 'cosin'"),
        ({"metric": None}, "must be str, got None"),
        ({"columns": "a"}, "must be list, got 'a'"),
        ({"pca": "all"}, "one of auto, or int; got 'all'"),
        ({"pca": 1.5}, "must be int or str, got 1.5"),
    ]:
        with pytest.raises(ParameterError, match=message):
            SPEC.resolve(params)  # type: ignore[arg-type]


def test_a_required_parameter_must_be_given() -> None:
    spec = DatasetSpec(
        name="file",
        function="json:dumps",
        doc="A file.",
        provides=("vectors",),
        parameters=(Parameter("path", REQUIRED, "Where.", type="str"),),
    )
    with pytest.raises(ParameterError, match=r"file needs path: file\[path=...\]"):
        spec.resolve({})
    assert spec.resolve({"path": "x"}) == {"path": "x"}


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [("(0, 1]", [0.1, 1], [0, 1.1]), ("[1, inf)", [1, 1e300], [0]), ("[0,0.5)", [0], [0.5])],
)
def test_intervals(text: str, inside: list[float], outside: list[float]) -> None:
    assert all(x in Interval(text) for x in inside)
    assert not any(x in Interval(text) for x in outside)


def test_invalid_declarations_are_refused() -> None:
    with pytest.raises(InvalidSpecError, match="cannot be a name"):
        MetricSpec(name="two words", function="json:dumps", doc="", direction="higher")
    with pytest.raises(InvalidSpecError, match="no hint 'cluster'; the hints are truth, clusters"):
        AlgorithmSpec(
            name="A", function="json:dumps", doc="", accepts=("vectors",), hints=("cluster",)
        )
    with pytest.raises(InvalidSpecError, match="accepts no kind"):
        AlgorithmSpec(name="A", function="json:dumps", doc="", accepts=())
    twice = (Parameter("a", 1, ""), Parameter("a", 2, ""))
    with pytest.raises(InvalidSpecError, match="declared twice"):
        MetricSpec(name="m", function="j:d", doc="", direction="lower", parameters=twice)
    with pytest.raises(InvalidSpecError, match="requires is a tuple"):
        MetricSpec(name="m", function="j:d", doc="", direction="lower", requires="scipy")  # type: ignore[arg-type]
    with pytest.raises(InvalidSpecError, match="not an interval"):
        Parameter("a", 1.0, "", interval="0..1")
    with pytest.raises(InvalidSpecError, match="say its type"):
        Parameter("a", None, "")


def test_functions_are_loaded_when_needed_and_a_missing_one_is_a_plugin_error() -> None:
    import json

    assert SPEC.load() is json.dumps
    missing = MetricSpec(name="m", function="nowhere:f", doc="", direction="lower")
    with pytest.raises(PluginError, match="cannot load nowhere:f: ModuleNotFoundError"):
        missing.load()


def test_needs_name_alternatives() -> None:
    assert unmet(("similarity|vectors",), frozenset({"vectors"})) is None
    assert unmet(("truth", "similarity|vectors"), frozenset({"truth"})) == "similarity or vectors"
    assert any_of("similarity", "vectors") == "similarity|vectors", "as plugins wrote it before"
    assert any_of("truth", extra("words:strings")) == "truth|words:strings"
    with pytest.raises(InvalidSpecError, match="'strings' needs the name of your package"):
        extra("strings")


@pytest.mark.parametrize("alternative", [("str", "list"), "str or list"])
def test_a_parameter_has_several_types(alternative: Any) -> None:
    parameter = Parameter("init", 1, "Clusters.", alternative=alternative)
    assert parameter.type_names == ("int", "str", "list")
    for value in (2, "auto", (1, 2)):
        assert parameter.check(value, "X") == value
    with pytest.raises(ParameterError, match="init must be int or str or list, got 0"):
        parameter.check(0.5, "X")
    with pytest.raises(InvalidSpecError, match="unknown type 'text'"):
        Parameter("init", 1, "Clusters.", alternative=("str", "text"))  # type: ignore[arg-type]


def test_a_reference_is_bibtex() -> None:
    paper = Reference(
        "x2020", "article", {"author": "Doe, J. and Roe, R.", "title": "T", "year": "2020"}
    )
    assert paper.bibtex.splitlines()[0] == "@article{x2020,"
    assert "  title = {T}," in paper.bibtex
    assert str(paper) == "Doe & Roe 2020, T"
    with pytest.raises(InvalidSpecError, match="no year"):
        Reference("x", "article", {"author": "A", "title": "T"})


def test_references_are_read_from_bibtex(tmp_path: Path) -> None:
    path = tmp_path / "references.bib"
    path.write_text(
        """% What a publisher offers, braces and all.
@InProceedings{ doe2020 ,
  title={The {MNIST} of {{Éclairs}}}, author = "Doe, J. and Roe, R.",
  Year = 2020
}

@misc{poe1845, author = {Poe, E. A.}, title = {The Raven, and more}, year = {1845},}
"""
    )
    references = read_references(path)
    fields = {
        "title": "The {MNIST} of {{Éclairs}}",
        "author": "Doe, J. and Roe, R.",
        "year": "2020",
    }
    assert references["doe2020"] == Reference("doe2020", "inproceedings", fields)
    assert str(references["doe2020"]) == "Doe & Roe 2020, The MNIST of Éclairs"
    assert references["poe1845"].fields["title"] == "The Raven, and more"
    written = tmp_path / "written.bib"
    written.write_text("\n\n".join(reference.bibtex for reference in references.values()))
    assert read_references(written) == references
    for wrong, told in (
        ("month = jan,", "month = jan"),
        ("title = {T},\n  volume = {1", "volume = {1"),
        ("year = {2000} # {1}", "year = {2000} # {1}"),
    ):
        path.write_text(f"@misc{{x,\n  author = {{A}},\n  {wrong}\n}}\n")
        with pytest.raises(InvalidSpecError, match=re.escape(f"cannot read '{told}")):
            read_references(path)
    path.write_text("@misc{x, author = {A}, title = {T}}")
    with pytest.raises(InvalidSpecError, match="reference x: no year"):
        read_references(path)


@pytest.mark.parametrize(
    "copied",
    [
        copy.copy,
        copy.deepcopy,
        lambda parameter: pickle.loads(pickle.dumps(parameter)),
        lambda parameter: pickle.loads(cloudpickle.dumps(parameter)),
        replace,
    ],
)
def test_a_parameter_remains_required_in_a_copy(copied: Any) -> None:
    parameter = Parameter("file", REQUIRED, "A file.", type="str")
    optional = Parameter("file", "required", "A file.")
    assert copied(parameter).required
    assert copied(parameter) == parameter
    assert not copied(optional).required


def test_what_a_spec_lists_twice_counts_once() -> None:
    spec = replace(
        SPEC,
        tags=("a", "b", "a"),
        requires=("numpy", "numpy"),
        accepts=("vectors", "similarities", "vectors"),
        aliases=("Old", "old", "Old"),
    )
    assert spec.tags == ("a", "b")
    assert spec.requires == ("numpy",)
    assert spec.accepts == ("vectors", "similarities")
    catalogue = Catalogue("algorithm", [Entry(spec, Plugin("mine", "main", "1"))])
    with pytest.warns(UserWarning, match="OLD is another name of the algorithm A"):
        assert catalogue.find("OLD").spec is spec
