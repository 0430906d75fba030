"""A feed of the regressions, which teams subscribe to (Atom, RFC 4287)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from xml.etree import ElementTree

from hcbench.pages.site.commits import commit_link
from hcbench.pages.site.histories import History, Step
from hcbench.pages.site.performance import number_text

#: The name of the file in a site.
FEED = "regressions.xml"
_NAMESPACE = "http://www.w3.org/2005/Atom"
#: Readers keep what they have seen.
_MOST_ENTRIES = 100
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def make_feed(histories: Sequence[History], title: str, commit_url: str = "") -> str:
    """The feed of all confirmed regressions, the latest first.

    Parameters
    ----------
    histories : sequence of History
    title : str
        Of the site.
    commit_url : str
        What the address of a commit begins with; "" for no links.
    """
    regressions = []
    for history in histories:
        for step in history.regressions:
            regressions.append((history, step))
    regressions.sort(key=lambda regression: regression[1].at.place, reverse=True)
    ElementTree.register_namespace("", _NAMESPACE)
    feed = ElementTree.Element(f"{{{_NAMESPACE}}}feed")
    _add(feed, "title", f"{title}: regressions")
    _add(feed, "id", _identifier(title))
    latest = _EPOCH
    if regressions:
        latest = regressions[0][1].at.date
    _add(feed, "updated", latest.isoformat())
    _add(_add(feed, "author"), "name", "hcbench")
    for history, step in regressions[:_MOST_ENTRIES]:
        _add_entry(feed, history, step, commit_url)
    ElementTree.indent(feed)
    return ElementTree.tostring(feed, encoding="unicode", xml_declaration=True) + "\n"


def _add_entry(feed: ElementTree.Element, history: History, step: Step, commit_url: str) -> None:
    benchmark = history.name
    if history.parameters:
        benchmark += f" ({history.parameters})"
    before = number_text(step.before, history.unit)
    after = number_text(step.after, history.unit)
    entry = _add(feed, "entry")
    _add(entry, "title", f"{benchmark}: {before} -> {after}")
    _add(entry, "id", _identifier(benchmark, history.environment, step.at.commit))
    _add(entry, "updated", step.at.date.isoformat())
    text = (
        f"{history.quantity} of {benchmark} on {history.environment} rose from {before} to {after}"
    )
    if step.ratio is not None:
        text += f" ({step.ratio:.2f} times)"
    _add(entry, "summary", f"{text} at {step.at.commit}.")
    link = commit_link(commit_url, step.at.commit)
    if link:
        _add(entry, "link").set("href", link)


def _add(parent: ElementTree.Element, name: str, text: str = "") -> ElementTree.Element:
    """A new element at the end of its parent."""
    child = ElementTree.SubElement(parent, f"{{{_NAMESPACE}}}{name}")
    if text:
        child.text = text
    return child


def _identifier(*texts: str) -> str:
    """What identifies an entry for good, so that readers show it once."""
    digest = hashlib.blake2b("\0".join(texts).encode(), digest_size=16).hexdigest()
    return f"urn:hcbench:{digest}"
