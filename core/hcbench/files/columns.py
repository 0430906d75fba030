"""Names of the columns of comparisons, as other programs write them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

#: Names of columns in the files of others, without blanks, underscores and a final "id".
_WORDS = {
    "i": ("i", "anchor", "reference", "ref", "head", "query", "pivot"),
    "j": ("j", "near", "nearer", "nearest", "close", "closer", "positive", "similar", "winner"),
    "k": ("k", "far", "farther", "further", "farthest", "negative", "dissimilar", "loser"),
    "l": ("l",),
    "response": ("response", "answer", "choice", "chosen", "selected", "selection", "decision"),
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

#: Names of two items of which another column says which one is nearer: left and right, a and b.
_SIDES = {
    "j": ("left", "a", "optiona", "option1", "candidatea", "candidate1"),
    "k": ("right", "b", "optionb", "option2", "candidateb", "candidate2"),
}


def comparison_columns(header: Sequence[str]) -> dict[str, int] | None:
    """Where ``i, j, k, l, response, annotator`` are in a header; None if it has no i, j and k.

    Examples
    --------
    >>> comparison_columns(["j", "i", "k", "response"])
    {'j': 0, 'i': 1, 'k': 2, 'response': 3}
    >>> comparison_columns(["name", "height"]) is None
    True
    """
    places: dict[str, int] = {}
    for place, role in enumerate(roles_of_columns(header)):
        if role is None:
            continue
        if role in places:
            # Two columns would have one meaning.
            return None
        places[role] = place
    if not places.keys() >= {"i", "j", "k"}:
        return None
    return places


def roles_of_columns(header: Sequence[str]) -> list[str | None]:
    """What each column of comparisons has, by its name; None where the name is unknown.

    Beside a column of responses, left and right or a and b are the two items of an answer.
    """
    roles = [_role_in(_WORDS, name) for name in header]
    if "response" not in roles or "j" in roles or "k" in roles:
        return roles
    for place, name in enumerate(header):
        if roles[place] is None:
            roles[place] = _role_in(_SIDES, name)
    return roles


def _role_in(words_of_roles: Mapping[str, Sequence[str]], name: str) -> str | None:
    """The role that has the name of a column among its words."""
    word = re.sub(r"[\W_]", "", name.casefold())
    for role, words in words_of_roles.items():
        if word in words or word.removesuffix("id") in words:
            return role
    return None
