"""Times and amounts of memory with their units."""

from __future__ import annotations

from pathlib import Path

import pytest

from hcbench.errors import ParameterError, SuiteError
from hcbench.registry.names import GIB, SECONDS, Quantity
from hcbench.registry.suite_files import read_suite


def test_units_are_the_common_ones() -> None:
    for quantity, text, value in [
        (SECONDS, "300", 300.0),
        (SECONDS, "0.5", 0.5),
        (SECONDS, "90s", 90.0),
        (SECONDS, "10 min", 600.0),
        (SECONDS, " 1H ", 3600.0),
        (SECONDS, "1.5d", 129600.0),
        (SECONDS, "250ms", 0.25),
        (GIB, "2", 2.0),
        (GIB, "0.5", 0.5),
        (GIB, "2GiB", 2.0),
        (GIB, "512MiB", 0.5),
        (GIB, "1tib", 1024.0),
        (GIB, "2GB", 2e9 / 1024**3),
        (GIB, "512 mb", 512e6 / 1024**3),
        (GIB, "1e3MB", 1e9 / 1024**3),
    ]:
        assert quantity.read(text) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    "text",
    ["", "0", "-1s", "nan", "inf", "1 e", "GB", "10m", "5 apples", "1s2", "\n3\n\n4", "1_0", "٣"],
)
@pytest.mark.parametrize("quantity", [SECONDS, GIB])
def test_invalid_units_are_reported_with_valid_ones(quantity: Quantity, text: str) -> None:
    with pytest.raises(ParameterError, match=f"is no {quantity.name} above 0; write ") as raised:
        quantity.read(text)
    assert "\n" not in str(raised.value)


def test_a_suite_may_contain_units(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text('algorithms = ["UPGMA"]\ntimeout = "10min"\nmemory = "512MiB"\n')
    suite = read_suite(path)
    assert (suite.timeout, suite.memory) == (600.0, 0.5)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())  # as some editors begin a file
    assert read_suite(path) == suite
    path.write_text('algorithms = ["UPGMA"]\nmemory = "2 cows"\n')
    with pytest.raises(
        SuiteError, match=r"s\.toml: memory: '2 cows' is no memory above 0; write 2"
    ):
        read_suite(path)
