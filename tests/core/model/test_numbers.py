"""What counts as a number in the data of users, in all readers alike."""

import math

import pytest

from hcbench.model.numbers import (
    are_codes,
    number_text,
    read_number,
    read_numbers,
    read_whole_number,
    same_number_text,
)

NUMBERS = {
    "0": 0.0,
    "-0": 0.0,
    "12": 12.0,
    "+5": 5.0,
    " 1 ": 1.0,
    "1.": 1.0,
    ".5": 0.5,
    "-1.25": -1.25,
    "1e5": 1e5,
    "1E-05": 1e-5,
    "2.5e+3": 2500.0,
    "007.50": 7.5,
    "1e999": math.inf,
    "inf": math.inf,
    "-Inf": -math.inf,
}

NO_NUMBERS = [
    *("", ".", "-", "+", "e5", "1e", "1e5.5", "--1", "1 2"),
    *("1_1", "1_000", "0x1A", "0b11", "1d5", "5%", "3 kg"),
    *("007", "00", "01067", "-01", "+4930123456"),
    *("1,234", "1,5", "1'000"),
    *("nan", "NaN", "infinity", "INFINITY", "TRUE", "False"),
    *("١٢", "\uff11\uff12", "²", "½", "Ⅳ", "\u22125"),
]


@pytest.mark.parametrize("text", NUMBERS)
def test_what_is_written_as_a_number_is_read_as_one(text):
    assert read_number(text) == NUMBERS[text]
    assert read_numbers(["1.5", text.strip()]) == [1.5, NUMBERS[text]]


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_what_is_not_written_as_a_number_is_no_number(text):
    assert read_number(text) is None
    assert read_numbers(["1.5", text]) is None
    assert read_numbers([text, "1.5"]) is None
    assert read_whole_number(text) is None


def test_whole_numbers():
    assert read_whole_number(" 12 ") == 12
    assert read_whole_number("-3") == -3
    assert read_whole_number("1.0") is None
    assert read_whole_number("1e2") is None


def test_wells_and_genes_are_codes_if_all_of_a_column_are_written_so():
    assert are_codes(["2E10", "1e5", "12E3"])
    assert not are_codes(["2E10", "1.5"])
    assert not are_codes(["2e+10"])
    assert not are_codes([])


def test_numbers_become_texts_with_all_digits():
    assert number_text(10000001.0) == "10000001"
    assert number_text(-3.0) == "-3"
    assert number_text(0.1) == "0.1"
    assert number_text(1234567.25) == "1234567.25"
    assert number_text(1e22) == "1e+22"
    assert number_text(math.inf) == "inf"


def test_one_number_has_one_text():
    assert {same_number_text(text) for text in ("3", "3.0", "+3", "3e0", "3.")} == {"3"}
    assert same_number_text("0.50") == "0.5"
    assert same_number_text("12345678901234567") == "12345678901234567"
    assert same_number_text("12345678901234568") == "12345678901234568"
    with pytest.raises(ValueError, match="'007' is not a number"):
        same_number_text("007")
