"""``check``: whether plugins keep what every plugin promises."""

from __future__ import annotations

import math
import re
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
    found = re.fullmatch(r"((?:[^\[=]*|[^\[]*\[.*?\]):)?(\w+)\s*=\s*(.*\S)\s*", text)
    if found is None:
        raise click.BadParameter(f"{text!r} has no reason; write CHECK=REASON")
    return f"{found[1] or ''}{found[2]}", found[3]


@click.command(
    epilog=options.examples(
        "hcbench check UPGMA",
        'hcbench check "Splits[axis=1]" --plugin ./mine.py',
        'hcbench check ./mine.py --exempt "Splits:paper=not published yet"',
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
    help="A check that need not pass, and why; NAME:CHECK=REASON for one plugin. Repeatable.",
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
    such as ./mine.py; or a package, which means all that it registers. Exit code 1 if a check
    fails, or a claim cannot.
    """
    from hcbench.testing.checks import checks_of

    if claims:
        return ExitCode.OK if _write_claims(names, plugin, form) else ExitCode.CELLS_FAILED
    with stdout_for_data():
        checks = checks_of(names, dict(exempt), plugins=plugin)
        findings = [] if only_list else _run(checks, timeout, quiet=quiet)
    if only_list and form == "json":
        write_json({"checks": [{"check": check.id, "doc": check.doc} for check in checks]})
    elif only_list:
        docs = [(check.id, check.doc) for check in checks]
        write_table(("check", "what is promised"), docs, whole=("check",))
    elif form == "json":
        found = [
            {"name": check.subject.label, "check": check.name, **asdict(finding)}
            for check, finding in findings
        ]
        write_json({"checks": found})
    else:
        _write_findings(findings)
    failed = any(finding.status == "failed" for _, finding in findings)
    return ExitCode.CELLS_FAILED if failed else ExitCode.OK


def _write_claims(names: Sequence[str], plugin: Sequence[Path], form: str) -> bool:
    """List what the claims of suites accept; False if one accepts all that is possible."""
    from hcbench.claims.powers import powers_of
    from hcbench.cli.compare import suite_named
    from hcbench.registry import load_registry

    registry = load_registry(plugin)
    rows: list[dict[str, Any]] = [
        {**asdict(power), "claim": power.claim.claim}
        for name in names
        for power in powers_of(suite_named(name, registry), registry)
    ]
    if form == "json":
        write_json({"claims": rows})
    else:
        header = ("claim", "accepts", "of", "can fail")
        shown = [{**row, "can_fail": "yes" if row["can_fail"] else "NO"} for row in rows]
        write_table(header, [tuple(row.values()) for row in shown], whole=header[1:])
    return all(row["can_fail"] for row in rows)


def _run(checks: Sequence[Check], timeout: float, *, quiet: bool) -> list[tuple[Check, Finding]]:
    from hcbench.cli.progress import display
    from hcbench.testing.checks import run_limited

    def describe(done: int) -> list[str]:
        return [f"{done} of {len(checks)} checks", checks[done].id]

    findings = []
    running = run_limited(checks, None if timeout == math.inf else timeout)
    with display(quiet=quiet) as shown, closing(running):
        for done, check in enumerate(checks):
            if shown is not None:
                shown.show(done, len(checks), partial(describe, done))
            findings.append((check, next(running)))
    return findings


def _write_findings(findings: Sequence[tuple[Check, Finding]]) -> None:
    """A row for each check of one plugin; of several those that did not pass, and the numbers."""
    labels = {check.subject.label for check, _ in findings}
    several = len(labels) > 1
    rows = [
        (check.id if several else check.name, finding.status, finding.reason)
        for check, finding in findings
        if not several or finding.status not in ("passed", "not applicable")
    ]
    if rows:
        write_table(("check", "", "why"), rows, whole=("check", ""))
        click.echo()
    counts = Counter(finding.status for _, finding in findings)
    subjects = f"{len(labels)} plugins" if several else labels.pop()
    click.echo(f"{subjects}: " + ", ".join(f"{n} {name}" for name, n in counts.items()))
