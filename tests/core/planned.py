"""Names and parameters of labels, for outcomes that tests make without a plan."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hcbench.errors import NameSyntaxError
from hcbench.plan.outcome import Outcome
from hcbench.plan.presentation import split_label
from hcbench.registry.names import parse_name


def planned(outcomes: Iterable[Outcome], **known: Any) -> dict[str, Any]:
    """The arguments of `Results` that say it; ``known``: further parameters."""
    kinds = {"algorithms": "algorithm", "datasets": "dataset", "oracles": "oracle"}
    labels = {
        plural: dict.fromkeys(getattr(outcome, kind) for outcome in outcomes)
        for plural, kind in kinds.items()
    }
    return {
        "names": {
            plural: {label: split_label(label) for label in of_kind}
            for plural, of_kind in labels.items()
        },
        "query_kinds": {label: split_label(label)[0] for label in labels["oracles"]},
        "parameters": {
            plural: {
                label: {**known.get(plural, {}).get(label, {}), **_written(label)}
                for label in of_kind
            }
            for plural, of_kind in labels.items()
        },
    }


def _written(label: str) -> dict[str, Any]:
    try:
        return dict(parse_name(label).params)
    except NameSyntaxError:
        return {}
