"""Notes: what a call warns about, collected without a change of the process."""

import warnings

import pytest

from hcbench.errors import ModelWarning
from hcbench.model.cost import MOST, collect_notes


def test_each_text_is_noted_once_in_order_with_simple_blanks() -> None:
    with collect_notes() as notes:
        for text in ("b", "a\n  c", "b"):
            warnings.warn(text, ModelWarning, stacklevel=1)
    assert list(notes) == ["b", "a c"]


def test_no_more_than_some_notes_of_a_call_are_kept() -> None:
    with collect_notes() as notes:
        for number in range(MOST + 5):
            warnings.warn(f"step {number}", ModelWarning, stacklevel=1)
    assert list(notes) == [f"step {number}" for number in range(MOST)]


def test_other_warnings_are_shown_when_the_block_ends() -> None:
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        with collect_notes() as notes:
            warnings.warn("a note", ModelWarning, stacklevel=1)
            warnings.warn("another warning", UserWarning, stacklevel=1)
            inside = len(shown)
    assert inside == 0
    assert list(notes) == ["a note"]
    assert [str(warning.message) for warning in shown] == ["another warning"]


def test_notes_are_complete_where_a_block_raises() -> None:
    noted = {}

    def call() -> None:
        nonlocal noted
        with collect_notes() as notes:
            noted = notes
            warnings.warn("before", ModelWarning, stacklevel=1)
            raise ValueError("of the call")

    with pytest.raises(ValueError, match="of the call"):
        call()
    assert list(noted) == ["before"]


def test_nothing_of_warnings_has_changed_afterwards() -> None:
    before = warnings.showwarning, warnings.formatwarning, list(warnings.filters)
    with collect_notes():
        pass
    assert before == (warnings.showwarning, warnings.formatwarning, list(warnings.filters))
