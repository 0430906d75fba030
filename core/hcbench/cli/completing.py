"""What a shell completes: names and their parameters, columns of files, and numbers of runs."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from hcbench.errors import HcbenchError
from hcbench.registry.catalogue import tags_of
from hcbench.registry.parameters import Parameter
from hcbench.registry.specs import DatasetSpec

if TYPE_CHECKING:
    from hcbench.registry import Registry

#: Runs that are offered, the latest first.
_MOST_RUNS = 30
#: Bytes of a table in which its first line is looked for.
_HEADER_BYTES = 1 << 16
#: The suffixes of tables whose first line names the columns.
_TABLES = (".csv", ".tsv", ".txt", ".data", ".tab")
#: A column that needs no quotes, neither in a list of hcbench nor in a shell.
_PLAIN_COLUMN = re.compile(r"[\w.-]+")


def complete_names(
    registry: Registry, kinds: Sequence[str], incomplete: str
) -> list[CompletionItem]:
    """Complete the last name of ``NAME[param=value],NAME``, its parameter or its value.

    Parameters
    ----------
    registry : Registry
    kinds : sequence of str
        The kinds of names, as attributes of the registry.
    incomplete : str
        All that the option has so far; what is complete is repeated in each item.
    """
    start = _start_of_last_part(incomplete)
    before = incomplete[:start]
    name = incomplete[start:]
    # Behind a bracket there are parameters; before it, names.
    if "[" in name:
        return list(_complete_parameter(registry, kinds, before, name))
    items = []
    for candidate, doc in sorted(_candidates(registry, kinds, name).items()):
        if candidate.casefold().startswith(name.casefold()):
            items.append(CompletionItem(f"{before}{candidate}", help=doc))
    return items


def complete_runs(
    ctx: click.Context,
    param: click.Parameter,  # noqa: ARG001
    incomplete: str,
) -> list[CompletionItem]:
    """The numbers and names of runs that begin so, the latest first, with date and command."""
    from hcbench.cli.loading import open_store
    from hcbench.cli.run_tables import local_time

    runs = []
    # Without a store, or with one that cannot be read, there is nothing to complete.
    location = ctx.params.get("store")
    with suppress(HcbenchError, OSError), open_store(location, read_only=True) as store:
        runs = store.runs()
    items = []
    for run in reversed(runs):
        doc = f"{local_time(run.started)}: {run.command}"
        for text in (str(run.id), run.name):
            if text and text.startswith(incomplete):
                items.append(CompletionItem(text, help=doc))
        if len(items) >= _MOST_RUNS:
            break
    return items


def complete_source(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete ``[RUN|TREE|ALGORITHM DATA]``: first a run, an algorithm or a file, then data."""
    from hcbench.cli.loading import load_plugins

    is_first = not ctx.params.get(param.name or "")
    kinds = ("datasets",)
    if is_first:
        kinds = ("algorithms",)
    # The shell completes files itself.
    if "[" not in incomplete and ("/" in incomplete or incomplete.startswith((".", "~"))):
        return [CompletionItem(incomplete, type="file")]
    items = []
    if is_first:
        items.extend(complete_runs(ctx, param, incomplete))
    # An error would be written into the line that the user is editing.
    with suppress(HcbenchError, OSError):
        registry = load_plugins(ctx.params.get("plugin") or (), quiet=True)
        items.extend(complete_names(registry, kinds, incomplete))
    return items


def _start_of_last_part(text: str) -> int:
    """The position behind the last comma that is outside of brackets."""
    start = 0
    depth = 0
    for position, char in enumerate(text):
        if char == "[":
            depth += 1
        elif char == "]":
            depth -= 1
        elif char == "," and depth == 0:
            start = position + 1
    return start


def _candidates(registry: Registry, kinds: Sequence[str], name: str) -> dict[str, str]:
    """The names of some kinds, or with ``@`` their tags, with their descriptions."""
    docs: dict[str, str] = {}
    for kind in kinds:
        for entry in getattr(registry, kind).entries:
            if name.startswith("@"):
                for tag in tags_of(entry.spec):
                    docs[f"@{tag}"] = ""
            else:
                docs[entry.spec.name] = entry.spec.doc
    return docs


def _complete_parameter(
    registry: Registry, kinds: Sequence[str], before: str, name: str
) -> Iterator[CompletionItem]:
    """Complete ``NAME[param=value,par``, or the value of the last parameter.

    Of names that are values, such as ``half[of=sub``, nothing is completed.
    """
    base, _, inside = name.partition("[")
    if "[" in inside or inside.endswith("]"):
        return
    spec = _spec_of(registry, kinds, base)
    if spec is None:
        return
    last = inside.rpartition(",")[2]
    before += name.removesuffix(last)
    key, has_value, value = last.partition("=")
    for parameter in spec.parameters:
        if not has_value and parameter.name.startswith(key):
            yield CompletionItem(f"{before}{parameter.name}=", help=parameter.doc)
        elif has_value and parameter.name == key:
            for text in _values_of(spec, parameter, base):
                if text.startswith(value):
                    yield CompletionItem(f"{before}{key}={text}")


def _spec_of(registry: Registry, kinds: Sequence[str], base: str) -> Any:
    """The spec of a name, or of the data set that reads a file; None if there is none."""
    with suppress(HcbenchError):
        if "datasets" in kinds and ("/" in base or Path(base).suffix):
            reader = registry.reader_of(Path(base))
            if reader is not None:
                return reader.spec
        for kind in kinds:
            for entry in getattr(registry, kind).entries:
                if entry.spec.name == base:
                    return entry.spec
    return None


def _values_of(spec: Any, parameter: Parameter, base: str) -> list[str]:
    """The values that a parameter may have, as far as they can be listed."""
    if parameter.choices:
        return list(parameter.choices)
    if parameter.type == "bool":
        return ["true", "false"]
    # A parameter of a data set that reads a table may name its columns.
    reads_text = "str" in parameter.type or "list" in parameter.type
    if isinstance(spec, DatasetSpec) and reads_text and Path(base).suffix in _TABLES:
        return _columns_of(Path(base).expanduser())
    return []


def _columns_of(path: Path) -> list[str]:
    """The columns that the first line of a table names and that need no quotes."""
    if not path.is_file():
        return []
    with path.open("rb") as stream:
        beginning = stream.read(_HEADER_BYTES)
    first_line = beginning.decode("utf-8-sig", errors="replace").partition("\n")[0]
    # The delimiter is the one that occurs most often.
    delimiter = max(",;\t", key=first_line.count)
    (cells,) = csv.reader(io.StringIO(first_line.strip("\r")), delimiter=delimiter)
    columns = []
    for cell in cells:
        if _PLAIN_COLUMN.fullmatch(cell):
            columns.append(cell)
    return columns
