"""Names of the columns of comparisons, as other programs write them."""

from __future__ import annotations

import re
from collections.abc import Sequence

#: Names of columns in the files of others, without blanks, underscores and a final "id".
_WORDS = {
    "i": ("i", "anchor", "reference", "ref", "head", "query", "pivot"),
    "j": ("j", "near", "nearer", "nearest", "close", "closer", "positive", "similar", "winner"),
    "k": ("k", "far", "farther", "further", "farthest", "negative", "dissimilar", "loser"),
    "l": ("l",),
    "response": ("response",),
    "annotator": (
        "annotator",
        "worker",
        "user",
        "participant",
        "rater",
        "respondent",
        "subject",
        "judge",
        "person",
        "crowdworker",
        "turker",
    ),
}


def comparison_columns(header: Sequence[str]) -> dict[str, int] | None:
    """Where ``i, j, k, l, response, annotator`` are in a header; None if it has no i, j and k."""
    places: dict[str, int] = {}
    for place, name in enumerate(header):
        role = role_of_column(name)
        if role is None:
            continue
        if role in places:
            # Two columns would have one meaning.
            return None
        places[role] = place
    if not places.keys() >= {"i", "j", "k"}:
        return None
    return places


def role_of_column(name: str) -> str | None:
    """What a column of comparisons has, by its name; None if the name is unknown."""
    word = re.sub(r"[\W_]", "", name.casefold())
    for role, words in _WORDS.items():
        if word in words or word.removesuffix("id") in words:
            return role
    return None
