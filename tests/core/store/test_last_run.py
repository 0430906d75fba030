"""Which run is the last one, where none is named."""

import pytest
from click.testing import CliRunner

from hcbench import compare
from hcbench.cli import main
from hcbench.store import Store


@pytest.mark.slow
def test_a_try_that_ended_with_an_error_is_not_the_last_run(tmp_path):
    location = tmp_path / "store.sqlite"
    compare(["UPGMA"], ["iris"], metrics=["AARI"], store=location, progress=False)
    with Store(location) as store:
        number = store.begin_run(command="hcbench compare", suite="compare", environment={})
        assert number == 2
        assert store.run().id == 1
        assert store.run(2).id == 2  # it can be named


def test_the_only_run_is_the_last_one_whatever_it_has(tmp_path):
    with Store(tmp_path / "store.sqlite") as store:
        store.begin_run(command="hcbench compare", suite="compare", environment={})
        assert store.run().id == 1


@pytest.mark.slow
def test_the_origin_of_a_run_is_shown(tmp_path):
    location = tmp_path / "store.sqlite"
    compare(
        ["UPGMA"], ["iris"], metrics=["AARI"], store=location, progress=False, command="my script"
    )
    shown = CliRunner().invoke(main, ["results", "--store", str(location)])
    assert "my script" in shown.stdout
