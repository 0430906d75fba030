"""The page that an annotator sees: a query with its items, or the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import jinja2

from hcbench_ask.annotators import Annotator, agreement_lines
from hcbench_ask.interview import earlier_text, help_lines, items_with_keys, progress
from hcbench_ask.outline import outline, visible
from hcbench_ask.pictures import Pictures
from hcbench_ask.session import Query

#: What can be done with a query instead of answering it: keys, and their texts.
_ACTIONS = {"d": "defer", "z": "undo"}


@dataclass(frozen=True, slots=True)
class Card:
    """A choice as it is shown: one item, or the two of a pair.

    Attributes
    ----------
    key : str
        The key that chooses it; "" where the items are not what is chosen.
    items : list of dict
        ``text``, ``picture`` (the number of the item, None without a picture) and ``alt``.
    """

    key: str
    items: list[dict[str, Any]]


@cache  # which compiles the template once
def _environment() -> jinja2.Environment:
    """The template of the page; its arguments are escaped."""
    return jinja2.Environment(
        loader=jinja2.PackageLoader("hcbench_ask", "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def accepted_keys(query: Query) -> set[str]:
    """The keys that the page of a query may send."""
    return set(_choices(query)) | set(_ACTIONS)


def render(
    annotator: Annotator,
    annotators: Sequence[Annotator],
    pictures: Pictures,
    title: str,
    nonce: str,
) -> str:
    """The page of an annotator.

    Parameters
    ----------
    annotator : Annotator
    annotators : sequence of Annotator
        All of them; their agreement is shown when each has answered everything.
    pictures : Pictures
        Those of the items.
    title : str
    nonce : str
        Of the page's own style and script, the only ones that may run.
    """
    content: dict[str, Any] = {
        "title": title,
        "nonce": nonce,
        "step": annotator.step,
        "query": annotator.query,
        "error": annotator.error,
    }
    if annotator.query is not None:
        content.update(_query_content(annotator.query, annotator.message, pictures))
    elif annotator.result is not None:
        content.update(_result_content(annotator, annotators))
    return _environment().get_template("page.html").render(content)


def _query_content(query: Query, message: str, pictures: Pictures) -> dict[str, Any]:
    remaining = 0
    if query.remaining:
        remaining = query.remaining[0]
    # Those without a text are the keys of items.
    choices = [(key, text) for key, text in _choices(query).items() if text]
    actions = dict(_ACTIONS)
    if not query.may_undo:
        del actions["z"]
    # The page has no key to leave it: one closes it.
    lines = [line for line in help_lines(query) if not line.startswith("q:")]
    return {
        "progress": progress(query),
        "share": query.answered / (query.answered + max(remaining, 1)),
        "earlier": earlier_text(query),
        "message": message,
        "cards": [(card.key, card.items) for card in _cards(query, pictures)],
        "choices": choices,
        "actions": list(actions.items()),
        "help": lines,
    }


def _result_content(annotator: Annotator, annotators: Sequence[Annotator]) -> dict[str, Any]:
    assert annotator.result is not None
    agreements: list[str] = []
    if all(annotator.query is None for annotator in annotators):
        agreements = agreement_lines(annotators)
    items = annotator.file.header.items
    return {
        "drawn": "\n".join(outline(annotator.result.result, items)),
        "number": len(annotator.file.recorded.answers),
        "agreements": agreements,
    }


def _choices(query: Query) -> dict[str, str]:
    """The texts of the choices by their keys; "" for those of items."""
    texts = {}
    for choice in query.kind.offered(neither=query.takes_neither):
        texts[choice.key] = choice.text
    if query.may_be_unsure:
        texts["u"] = "unsure"
    return texts


def _cards(query: Query, pictures: Pictures) -> list[Card]:
    """The items of a query; those of a pair share a card."""
    cards: list[Card] = []
    are_pairs = query.kind.symmetry == "quadruplet"
    for place, (key, text) in enumerate(items_with_keys(query)):
        item = {
            "text": visible(text),
            "picture": pictures.number_of(text),
            "alt": f"Picture {place + 1}",
        }
        is_second_of_pair = are_pairs and place % 2 == 1
        if is_second_of_pair:
            cards[-1].items.append(item)
        else:
            cards.append(Card(key=key, items=[item]))
    return cards
