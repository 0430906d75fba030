"""Names as users type them: NAME[param=value]."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from hcbench import load_registry
from hcbench.errors import NameSyntaxError, UnknownNameError
from hcbench.registry.names import format_name, parse_name, parse_value, split_list


def test_commas_split_only_outside_brackets_and_quotes() -> None:
    for text, parts in [
        ("4-AL,UPGMA", ["4-AL", "UPGMA"]),
        (
            "4-AL[init=3],UPGMA[metric=['cosine','euclidean']]",
            ["4-AL[init=3]", "UPGMA[metric=['cosine','euclidean']]"],
        ),
        ("a, b ,", ["a", "b"]),
        ("'a,b',c", ["'a,b'", "c"]),
        ("", []),
    ]:
        assert split_list(text) == parts


def test_values_are_toml_and_bare_words_are_strings() -> None:
    for text, value in [
        ("3", 3),
        ("0.5", 0.5),
        ("1e-3", 1e-3),
        ("true", True),
        ("cosine", "cosine"),
        ("'two words'", "two words"),
        ("[1, 2]", (1, 2)),
        ("[cosine, euclidean]", ("cosine", "euclidean")),
        ("[['a','b'],['c']]", (("a", "b"), ("c",))),
        ("inf", float("inf")),
        ("UPGMA[metric=cosine]", "UPGMA[metric=cosine]"),
        ("./data/my-file.csv", "./data/my-file.csv"),
        ("2020-01-01", "2020-01-01"),
    ]:
        assert parse_value(text) == value


def test_values_that_are_not_written_as_numbers_are_texts() -> None:
    """They may be names of columns or items."""
    for text in ["1_1", "0x1A", "0o17", "007"]:
        assert parse_value(text) == text
        assert parse_value(f"[{text},x]") == (text, "x")
    assert parse_value("[1_1,2]") == ("1_1", 2)


def test_names_nest() -> None:
    name = parse_name("cut-of[tree=UPGMA[metric=cosine], law=uniform]")
    assert name.base == "cut-of"
    assert name.params == {"tree": "UPGMA[metric=cosine]", "law": "uniform"}


def test_each_mistake_is_reported() -> None:
    for text, complaint in [
        ("UPGMA[metric=cosine", "not closed"),
        ("UPGMA]", "closes nothing"),
        ("UPGMA[metric]", "no param=value"),
        ("UPGMA[=cosine]", "no param=value"),
        ("UPGMA[metric=]", "no param=value"),
        ("UPGMA[a=1,a=2]", "given twice"),
        ("UPGMA[a=1]x", "nothing after the bracket"),
        ("UPGMA[a=1", "a bracket is not closed"),
        ("[a=1]", "no name"),
        ("UPGMA[a=two words]", "quotes"),
        ("UPGMA[a=nan]", "nan"),
        ("UPGMA[a='x]", "not closed"),
    ]:
        with pytest.raises(NameSyntaxError, match=complaint):
            parse_name(split_list(text)[0])


scalars = st.one_of(
    st.booleans(),
    st.integers(-(2**62), 2**62),
    st.floats(allow_nan=False),
    st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), min_size=1, max_size=8),
)
words = st.from_regex(r"[a-zA-Z][a-zA-Z0-9_-]{0,6}", fullmatch=True)


@pytest.mark.slow
@given(
    words | st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8),
    st.dictionaries(words, scalars | st.lists(scalars, min_size=1, max_size=3).map(tuple)),
)
def test_what_is_written_reads_back_the_same(base: str, params: dict[str, object]) -> None:
    text = format_name(base, params)  # type: ignore[arg-type]
    assert split_list(text) == [text]
    name = parse_name(text)
    assert (name.base, dict(name.params)) == (base, params)


def test_a_star_stands_for_any_text() -> None:
    registry = load_registry()
    found = registry.use_algorithms("wpg*[metric=cosine]")
    assert [use.label for use in found] == ["WPGMA[metric=cosine]"]
    assert {use.spec.name for use in registry.use_algorithms("*PGMA")} >= {"UPGMA", "WPGMA"}
    with pytest.raises(UnknownNameError, match=r"no algorithm is called 'no-\*'"):
        registry.use_algorithms("no-*")


def test_a_name_without_an_ending_is_a_data_set_unless_there_is_such_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    registry = load_registry()
    (use,) = registry.use_datasets("planted[N0=2]")
    assert use.spec.name == "planted"
    assert registry.reader_of(Path("outfile")) is None
    (tmp_path / "outfile").write_text("1 2\n")
    assert registry.reader_of(Path("outfile")) is not None
