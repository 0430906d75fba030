"""Pages without paths of the machine: files are named by their last parts.

Pages are published, and a path such as ``/home/ann/secret/data.csv`` says who has made them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from hcbench.errors import NameSyntaxError
from hcbench.plan.presentation import Presentation
from hcbench.registry.names import format_name, parse_name

if TYPE_CHECKING:
    from hcbench.plan.columns import Outcomes
    from hcbench.store.rows import RunInfo

#: An absolute path, where it is no part of a URL, a closing tag or an embedded image.
_PATH = re.compile(r"""data:[^"'\s]+|(?<![\w/:.<+~-])~?/(?:[\w.@+-]+/)+([\w.@+-]*)""")


def without_paths(text: str) -> str:
    """A text in which absolute paths of this machine are replaced by their last part."""

    def last_part(match: re.Match[str]) -> str:
        # Without a group it is an embedded image, whose text may look like a path.
        if match[1] is None:
            return match[0]
        return f"…/{match[1]}"

    return _PATH.sub(last_part, text)


def labels_without_folders(labels: Iterable[str]) -> dict[str, str]:
    """New labels for data sets whose labels begin with an absolute path, all different.

    Parameters
    ----------
    labels : iterable of str
        Of all data sets of a run.

    Returns
    -------
    dict of str to str
        The new label of each that has one: the name of its file, with the same parameters, and
        a number if files of several folders have this name.
    """
    all_labels = list(labels)
    used = set(all_labels)
    short_labels: dict[str, str] = {}
    for label in all_labels:
        try:
            name = parse_name(label)
        except NameSyntaxError:
            # A caller's own label is no path of a file.
            continue
        path = PurePath(name.base)
        if not path.is_absolute() and path.parts[:1] != ("~",):
            continue
        number = 1
        short = format_name(path.name, name.params)
        while short in used:
            # Files of several folders; these are not named, but numbered.
            number += 1
            short = format_name(f"{path.name} ({number})", name.params)
        used.add(short)
        short_labels[label] = short
    return short_labels


def run_without_folders(run: RunInfo, labels: Mapping[str, str]) -> RunInfo:
    """A run in whose command, note and layout no folders are named.

    Parameters
    ----------
    run : RunInfo
    labels : mapping of str to str
        As of `labels_without_folders`.
    """
    # As text, since labels are keys and values at many places of a layout. The quotes of JSON are
    # removed, as a label may be a part of a text.
    text = json.dumps(run.layout)
    for label, short in labels.items():
        text = text.replace(json.dumps(label)[1:-1], json.dumps(short)[1:-1])
        folder = str(PurePath(parse_name(label).base).parent)
        text = text.replace(json.dumps(folder)[1:-1] + "/", "")
    command = run.command
    for label in labels:
        command = command.replace(str(PurePath(parse_name(label).base).parent) + "/", "…/")
    return replace(run, command=without_paths(command), layout=json.loads(text))


def outcomes_without_folders(outcomes: Outcomes, labels: Mapping[str, str]) -> Outcomes:
    """Outcomes with other labels, and with no folders in reasons and notes."""

    def shorten(text: Any) -> Any:
        for label in labels:
            text = text.replace(str(PurePath(parse_name(label).base).parent) + "/", "")
        return without_paths(text)

    def shorten_all(texts: Any) -> Any:
        return tuple(map(shorten, texts))

    changes: dict[str, Callable[[Any], Any]] = {
        "dataset": lambda label: labels.get(label, label),
        "reason": shorten,
        "notes": shorten_all,
    }
    for name, change in changes.items():
        outcomes = outcomes.changed(name, change)
    return outcomes


def datasets_of(run: RunInfo) -> tuple[str, ...]:
    """The labels of the data sets of a run."""
    return Presentation.of_description(run.layout).datasets
