"""How a run is shown: its description in the store."""

from __future__ import annotations

from hcbench.plan.presentation import Presentation


def test_runs_that_were_stored_before_a_field_was_renamed_keep_what_they_say() -> None:
    received = {"Truth": {"planted": "the true hierarchy"}}
    stored = Presentation(received_truth=received, received_data={"Both": "vectors"}).describe()
    assert stored["truth_given"] == received
    assert stored["data_given"] == {"Both": "vectors"}
    again = Presentation.of_description(stored)
    assert again.received_truth == received
    assert again.received_data == {"Both": "vectors"}
