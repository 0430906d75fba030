"""``hcbench list``: what is registered, as an overview of names or with a line on each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click

from hcbench.cli import options
from hcbench.cli.describing import licence_of, summarise, value_text
from hcbench.cli.loading import load_plugins
from hcbench.cli.option_types import KINDS, KindChoice
from hcbench.cli.terminal import console, tell, write_json, write_table
from hcbench.registry.catalogue import tags_of
from hcbench.registry.fingerprint import installation
from hcbench.registry.metric_specs import MetricSpec
from hcbench.registry.specs import AlgorithmSpec, DatasetSpec, Spec
from hcbench.registry.suite import Suite

if TYPE_CHECKING:
    from hcbench.registry import Registry
    from hcbench.registry.catalogue import Entry

    #: The entries of each kind, such as "algorithms".
    _EntriesByKind = Mapping[str, Sequence[Entry[Any]]]

#: Columns of an overview that its kinds, numbers and blanks take at most.
_COLUMNS_BESIDE_NAMES = 26
#: Narrower than this, one name does not fit; the terminal breaks such lines.
_LEAST_WIDTH_OF_NAMES = 10

#: Groups of an overview with fewer names are joined to one.
_FEWEST_IN_A_GROUP = 3

#: Filters whose text is a whole word; that of the others may be a part.
_WHOLE_WORDS = ("tag", "accepts")

#: The kinds that an overview divides into groups, and how it says so.
_GROUPED_KINDS = {
    "algorithms": "by the kind of oracle that they accept first",
    "datasets": "by their first tag",
    "metrics": "by their first tag",
}


@click.command(
    "list",
    epilog=options.examples("hcbench list algorithms --tag active", "hcbench list --search ward"),
)
@click.argument("kind", type=KindChoice(), required=False)
@click.option("--tag", metavar="TAG", help="Only those with this tag, such as linkage.")
@click.option("--accepts", metavar="KIND", help="Only algorithms that accept this kind of oracle.")
@click.option("--licence", metavar="TEXT", help="Only those whose licence contains this text.")
@click.option(
    "--search", metavar="TEXT", help="Only those with this text in name, alias or description."
)
@options.PLUGIN
@options.JSON_OR_TABLE
@click.option("--short", is_flag=True, help="Print names only, one per line.")
def list_(
    *, kind: str | None, plugin: Sequence[Path], form: str, short: bool, **filters: str | None
) -> None:
    """List algorithms, data sets, oracles, metrics and suites.

    Without a kind or a filter it is an overview of names; with one, a line on each.
    """
    registry = load_plugins(plugin)
    # Filters compare without regard to case; None means that the option is not used.
    filter_texts = {}
    for name, text in filters.items():
        if text is not None:
            filter_texts[name] = text.casefold()
    kinds = list(KINDS)
    if kind:
        kinds = [kind]
    entries = {}
    for name in kinds:
        entries[name] = _matching_entries(registry, name, filter_texts)
    if short:
        _write_names(entries)
    elif form == "json":
        _write_json(entries)
    elif kind or filter_texts:
        _write_descriptions(entries)
        if not any(entries.values()):
            _write_no_match(registry, kind, kinds, by_tag="tag" in filter_texts)
    else:
        _write_overview(entries)


def _matching_entries(
    registry: Registry, kind: str, filter_texts: Mapping[str, str]
) -> list[Entry[Any]]:
    """The entries of a kind that pass all filters, in the order of their names."""
    matching = list(_sorted_entries(registry, kind))
    # Each filter leaves those that pass it.
    for name, text in filter_texts.items():
        passing = []
        for entry in matching:
            if _passes(entry, name, text):
                passing.append(entry)
        matching = passing
    return matching


def _sorted_entries(registry: Registry, kind: str) -> list[Entry[Any]]:
    entries: Sequence[Entry[Any]] = getattr(registry, kind).entries
    return sorted(entries, key=lambda entry: entry.spec.name.casefold())


def _passes(entry: Entry[Any], filter_name: str, filter_text: str) -> bool:
    """Whether an entry has what one filter, such as ``--tag``, requires."""
    spec = entry.spec
    # The texts of which one must be, or contain, what is looked for.
    if filter_name == "tag":
        texts = tags_of(spec)
    elif filter_name == "accepts":
        texts = getattr(spec, "accepts", ())
    elif filter_name == "licence":
        texts = (licence_of(entry),)
    else:
        texts = (spec.name, spec.doc, *getattr(spec, "aliases", ()))
    folded_texts = [text.casefold() for text in texts]
    if filter_name in _WHOLE_WORDS:
        return filter_text in folded_texts
    return any(filter_text in text for text in folded_texts)


def _write_names(entries: _EntriesByKind) -> None:
    for entries_of_kind in entries.values():
        for entry in entries_of_kind:
            click.echo(entry.spec.name)


def _write_json(entries: _EntriesByKind) -> None:
    summaries = {}
    for kind, entries_of_kind in entries.items():
        summaries[kind] = [summarise(entry) for entry in entries_of_kind]
    write_json(summaries)


def _write_descriptions(entries: _EntriesByKind) -> None:
    """Write a table for each kind, with a description of each entry."""
    for kind, entries_of_kind in entries.items():
        if not entries_of_kind:
            continue
        rows = []
        for entry in entries_of_kind:
            summary = summarise(entry)
            rows.append((summary["name"], f"{summary['doc']}\n{_details(summary)}"))
        write_table((kind, ""), rows, unwrapped=(kind,))


def _details(summary: Mapping[str, Any]) -> str:
    """Everything in a summary but its name and description, in one line."""
    details = []
    for key, value in summary.items():
        if value and key not in ("name", "doc"):
            details.append(f"{key} {value_text(value)}")
    return "; ".join(details)


def _write_no_match(
    registry: Registry, kind: str | None, kinds: Iterable[str], *, by_tag: bool
) -> None:
    """Say that no entry passes the filters; after ``--tag``, which tags there are."""
    message = f"There are no such {kind or 'names'}."
    if by_tag:
        tags: set[str] = set()
        for name in kinds:
            for entry in _sorted_entries(registry, name):
                tags.update(getattr(entry.spec, "tags", ()))
        message += f" Tags are {', '.join(sorted(tags))}."
    click.echo(message)


def _write_overview(entries: _EntriesByKind) -> None:
    write_table(("kind", "", "names"), _overview(entries), right=("",), unwrapped=("kind",))
    click.echo("hcbench list KIND describes all, hcbench info NAME shows everything about one.")
    missing = []
    for command, names in _unavailable(entries).items():
        missing.append(f"{', '.join(names)} ({command})")
    if missing:
        tell(f"unavailable until installed: {', '.join(missing)}")


def _overview(entries: _EntriesByKind) -> list[tuple[str, str, str]]:
    """Kinds and groups, with their numbers of names and their names.

    Names are in two lines at most, so that the table fits a screen; names of suites and oracles
    that begin alike are one name with a star.
    """
    width = max(console().width - _COLUMNS_BESIDE_NAMES, _LEAST_WIDTH_OF_NAMES)
    rows = []
    for kind, entries_of_kind in entries.items():
        groups = _groups(entries_of_kind)
        number = str(len(entries_of_kind))
        # Oracles and suites are few, or have long names: one row, with a star for each group.
        if kind not in _GROUPED_KINDS:
            rows.append((kind, number, _in_two_lines(_group_names(groups), width)))
            continue
        rows.append((kind, number, _GROUPED_KINDS[kind]))
        for group, names in _with_small_groups_joined(groups).items():
            rows.append((f"  {group}", str(len(names)), _in_two_lines(names, width)))
    return rows


def _groups(entries: Iterable[Entry[Any]]) -> dict[str, list[str]]:
    """The names of each group, in the order in which the groups first occur."""
    groups: dict[str, list[str]] = {}
    for entry in entries:
        groups.setdefault(_group(entry.spec), []).append(entry.spec.name)
    return groups


def _group(spec: Spec | Suite) -> str:
    # The kind of oracle that it is asked first is what distinguishes algorithms most.
    if isinstance(spec, AlgorithmSpec):
        return spec.accepts[0]
    if isinstance(spec, DatasetSpec | MetricSpec):
        if spec.tags:
            return spec.tags[0]
        return "other"
    if isinstance(spec, Suite):
        # The suites of a paper begin with its name: gray2023-table1.
        return spec.name.partition("-")[0]
    return spec.name


def _group_names(groups: Mapping[str, Sequence[str]]) -> list[str]:
    """One name for each group: its only one, or their common beginning with a star."""
    group_names = []
    for beginning, names in groups.items():
        if len(names) == 1:
            group_names.append(names[0])
        else:
            group_names.append(f"{beginning}* ({len(names)})")
    return group_names


def _with_small_groups_joined(groups: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """The large groups, and last, as "other", the names of all small ones."""
    large_groups = {}
    remaining_names: list[str] = []
    for group, names in groups.items():
        if len(names) < _FEWEST_IN_A_GROUP:
            remaining_names.extend(names)
        else:
            large_groups[group] = names
    if remaining_names:
        # A group may be called "other" already: it has what has no tag.
        remaining_names.extend(large_groups.get("other", []))
        large_groups["other"] = sorted(remaining_names, key=str.casefold)
    return large_groups


def _in_two_lines(names: Sequence[str], width: int) -> str:
    """Names in at most two lines of a width; those that do not fit are replaced by "..."."""
    text = ", ".join(names)
    lines = wrap(text, width, max_lines=2, placeholder=" ...", break_on_hyphens=False)
    return "\n".join(lines)


def _unavailable(entries: _EntriesByKind) -> dict[str, list[str]]:
    """The names whose libraries are not installed, by the command that installs these."""
    names_by_command: dict[str, list[str]] = {}
    for entries_of_kind in entries.values():
        for entry in entries_of_kind:
            command = installation(getattr(entry.spec, "requires", ()))
            if command:
                names_by_command.setdefault(command, []).append(entry.spec.name)
    return names_by_command
