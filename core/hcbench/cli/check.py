"""``check``: whether plugins keep what every plugin promises."""

from __future__ import annotations

import math
import re
import warnings
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hcbench.cli import options
from hcbench.cli.terminal import stdout_for_data, write_json, write_table
from hcbench.errors import ExitCode

if TYPE_CHECKING:
    from hcbench.testing.checks import Check
    from hcbench.testing.subjects import Finding


def read_exemption(text: str) -> tuple[str, str]:
    """``CHECK=REASON``, or ``NAME:CHECK=REASON``; a name may have parameters in brackets."""
    match = re.fullmatch(r"((?:[^\[=]*|[^\[]*\[.*?\]):)?(\w+)\s*=\s*(.*\S)\s*", text)
    if match is None:
        raise click.BadParameter(f"{text!r} has no reason; write CHECK=REASON")
    plugin, check, reason = match.groups(default="")
    return plugin + check, reason


@click.command(
    epilog=options.examples(
        "hcbench check UPGMA",
        'hcbench check "Splits[axis=1]" --plugin ./mine.py',
        'hcbench check ./mine.py --exempt "Splits:sparse=only dense vectors so far"',
        "hcbench check --claims gray2023-table1",
    )
)
@click.argument(
    "names", nargs=-1, required=True, type=options.OneName(*options.KINDS), metavar="NAME..."
)
@click.option("--list", "only_list", is_flag=True, help="List the checks, and run none.")
@click.option(
    "--claims",
    is_flag=True,
    help="NAME is a suite: list what each of its claims accepts, and whether it can fail.",
)
@click.option(
    "--exempt",
    type=read_exemption,
    multiple=True,
    metavar="CHECK=REASON",
    help="A check that is expected to fail, and why; NAME:CHECK=REASON for one plugin. Repeatable.",
)
@click.option(
    "--timeout",
    type=options.read_time,
    default="60s",
    metavar="TIME",
    help="Wall time of each check: seconds, or such as 90s, 10min; or none.",
)
@options.PLUGIN
@options.JSON_OR_TABLE
@options.QUIET
def check(
    names: Sequence[str],
    only_list: bool,
    claims: bool,
    exempt: Sequence[tuple[str, str]],
    timeout: float,
    plugin: Sequence[Path],
    form: str,
    quiet: bool,
) -> ExitCode:
    """Check what every plugin must fulfil.

    NAME is an algorithm, data set, oracle or metric, with parameters as elsewhere; a plugin file,
    such as ./mine.py; or a package, which means all that it registers. Advice is shown apart. Exit
    code 1 if a required check fails, an exempt one passes, or a claim cannot fail.
    """
    if claims:
        can_fail = _write_claims(names, plugin, form)
        return ExitCode.OK if can_fail else ExitCode.CELLS_FAILED
    with stdout_for_data():
        checks = _checks_of(names, dict(exempt), plugin)
        findings = [] if only_list else _run(checks, timeout, quiet=quiet)
    if only_list:
        _write_list(checks, form)
        return ExitCode.OK
    if form == "json":
        rows = []
        for each, finding in findings:
            about = {"name": each.subject.label, "check": each.name, "required": each.required}
            rows.append(about | asdict(finding))
        write_json({"checks": rows})
    else:
        _write_findings(findings)
    if any(finding.status == "failed" for _, finding in findings):
        return ExitCode.CELLS_FAILED
    return ExitCode.OK


def _checks_of(
    names: Sequence[str], exempt: dict[str, str], plugins: Sequence[Path]
) -> list[Check]:
    """The checks; an exemption from none of them is told in a line on stderr."""
    from hcbench.testing.checks import checks_of
    from hcbench.testing.exemptions import UnknownCheckWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UnknownCheckWarning)
        checks = checks_of(names, exempt, plugins=plugins)
    for warning in caught:
        if issubclass(warning.category, UnknownCheckWarning):
            click.echo(f"hcbench: {warning.message}", err=True)
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )
    return checks


def _write_list(checks: Sequence[Check], form: str) -> None:
    if form == "json":
        rows = [{"check": c.id, "doc": c.doc, "required": c.required} for c in checks]
        write_json({"checks": rows})
        return
    header = ("check", "what is promised")
    required = [(check.id, check.doc) for check in checks if check.required]
    write_table(header, required, whole=header[:1])
    advice = [(check.id, check.doc) for check in checks if not check.required]
    if advice:
        click.echo()
        write_table(("advice", "what is better"), advice, whole=("advice",))


def _write_claims(names: Sequence[str], plugin: Sequence[Path], form: str) -> bool:
    """List what the claims of suites accept; False if one accepts all that is possible."""
    from hcbench.claims.powers import powers_of
    from hcbench.cli.compare import suite_named
    from hcbench.registry import load_registry

    registry = load_registry(plugin)
    rows: list[dict[str, Any]] = []
    for name in names:
        powers = powers_of(suite_named(name, registry), registry)
        rows += [asdict(power) | {"claim": power.claim.claim} for power in powers]
    if form == "json":
        write_json({"claims": rows})
    else:
        header = ("claim", "accepts", "of", "can fail")
        cells = []
        for row in rows:
            can_fail = "yes" if row["can_fail"] else "NO"
            text = row["claim"]
            if row["members"] > 1:
                text += f" ({row['members']:,} members)"
            cells.append((text, row["accepted"], row["possible"], can_fail))
        write_table(header, cells, whole=header[1:])
    return all(row["can_fail"] for row in rows)


def _run(checks: Sequence[Check], timeout: float, *, quiet: bool) -> list[tuple[Check, Finding]]:
    from hcbench.cli.progress import display
    from hcbench.testing.isolation import run_limited

    def describe(n_done: int) -> list[str]:
        return [f"{n_done} of {len(checks)} checks", checks[n_done].id]

    findings = []
    running = run_limited(checks, None if timeout == math.inf else timeout)
    with display(quiet=quiet) as progress, closing(running):
        for n_done, check in enumerate(checks):
            if progress is not None:
                progress.show(n_done, len(checks), partial(describe, n_done))
            findings.append((check, next(running)))
    return findings


def _write_findings(findings: Sequence[tuple[Check, Finding]]) -> None:
    """Required checks, then advice, then the numbers.

    A row for each check of one plugin; of several plugins, those that tell something.
    """
    labels = {check.subject.label for check, _ in findings}
    is_one = len(labels) == 1
    for required in (True, False):
        rows = []
        for check, finding in findings:
            if check.required != required:
                continue
            if not is_one and finding.status in ("passed", "not applicable"):
                continue
            name = check.name if is_one else check.id
            rows.append((name, finding.status, finding.reason))
        if rows:
            header = ("check" if required else "advice", "", "why")
            write_table(header, rows, whole=header[:2])
            click.echo()
    counts = Counter(finding.status for _, finding in findings)
    subjects = labels.pop() if is_one else f"{len(labels)} plugins"
    numbers = ", ".join(f"{count} {status}" for status, count in counts.items())
    click.echo(f"{subjects}: {numbers}")
