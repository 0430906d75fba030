"""The public API changes only on purpose."""

from difflib import unified_diff

from tests.core.public_api import RECORDED, describe


def test_the_public_api_is_the_recorded_one() -> None:
    recorded, present = RECORDED.read_text().splitlines(), describe()
    changed = "\n".join(unified_diff(recorded, present, "recorded", "present", lineterm="", n=0))
    assert recorded == present, (
        f"the public API has changed:\n{changed}\n"
        "If that is meant: raise HOOK_VERSION if plugins must change, then record it: "
        "python -m tests.core.public_api"
    )
