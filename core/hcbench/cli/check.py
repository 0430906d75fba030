"""``check``: whether plugins keep what every plugin promises."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hcbench.cli.options import (
    JSON_OR_TABLE,
    PLUGIN,
    QUIET,
    TIME_OR_NONE,
    OneName,
    Parsed,
    examples,
)
from hcbench.cli.progress import display
from hcbench.cli.terminal import stdout_for_data, write_json, write_table
from hcbench.errors import ExitCode, ParameterError

if TYPE_CHECKING:
    from hcbench.authoring.testing import Check, Finding

_KINDS = ("algorithms", "datasets", "oracles", "metrics")


def read_exemption(text: str) -> tuple[str, str]:
    """``CHECK=REASON``, or ``NAME:CHECK=REASON``; a name may have parameters in brackets."""
    found = re.fullmatch(r"((?:[^\[=]*|[^\[]*\[.*?\]):)?(\w+)\s*=\s*(.*\S)\s*", text)
    if found is None:
        raise ParameterError(f"{text!r} has no reason; write CHECK=REASON")
    return f"{found[1] or ''}{found[2]}", found[3]


@click.command(
    epilog=examples(
        "hcbench check UPGMA",
        'hcbench check "Splits[axis=1]" --plugin ./mine.py',
        'hcbench check ./mine.py --exempt "Splits:paper=not published yet"',
        "hcbench check --claims gray2023-table1",
    )
)
@click.argument("names", nargs=-1, required=True, type=OneName(*_KINDS), metavar="NAME...")
@click.option("--list", "only_list", is_flag=True, help="List the checks, and run none.")
@click.option(
    "--claims",
    is_flag=True,
    help="NAME is a suite: list what each of its claims accepts, and whether it can fail.",
)
@click.option(
    "--exempt",
    type=Parsed("exemption", read_exemption),
    multiple=True,
    metavar="CHECK=REASON",
    help="A check that need not pass, and why; NAME:CHECK=REASON for one plugin. Repeatable.",
)
@click.option(
    "--timeout",
    type=TIME_OR_NONE,
    default="60s",
    show_default=True,
    metavar="TIME",
    help="Wall time of each check: seconds, or such as 90s, 10min; or none.",
)
@PLUGIN
@JSON_OR_TABLE
@QUIET
@click.pass_context
def check(
    ctx: click.Context,
    names: Sequence[str],
    only_list: bool,
    claims: bool,
    exempt: Sequence[tuple[str, str]],
    timeout: float,
    plugin: Sequence[Path],
    format: str,  # noqa: A002
    quiet: bool,
) -> None:
    """Check what every plugin must fulfil.

    NAME is an algorithm, data set, oracle or metric, with parameters as elsewhere; a plugin file,
    such as ./mine.py; or a package, which means all that it registers. Exit code 1 if a check
    fails, or a claim cannot.
    """
    if claims:
        _check_claims(ctx, names, plugin, format)
        return
    with stdout_for_data():
        from hcbench.authoring.testing import checks_of

        checks = checks_of(names, dict(exempt), plugins=plugin)
        findings = [] if only_list else _run(checks, timeout, quiet=quiet)
    if only_list:
        _write_checks(checks, format)
        return
    if format == "json":
        write_json({"checks": [_as_json(*found) for found in findings]})
    else:
        _write_findings(findings)
    if any(finding.status == "failed" for _, finding in findings):
        ctx.exit(ExitCode.CELLS_FAILED)


def _check_claims(
    ctx: click.Context,
    names: Sequence[str],
    plugin: Sequence[Path],
    format: str,  # noqa: A002
) -> None:
    """List what the claims of suites accept; exit code 1 if one accepts all that is possible."""
    from hcbench.analysis.verdicts import powers_of
    from hcbench.cli.compare import suite_named
    from hcbench.registry import load_registry

    registry = load_registry(plugin)
    powers = [power for name in names for power in powers_of(suite_named(name, registry), registry)]
    if format == "json":
        keys = ("accepted", "possible", "can_fail")
        rows = [{"claim": p.claim.claim, **{k: getattr(p, k) for k in keys}} for p in powers]
        write_json({"claims": rows})
    else:
        write_table(
            ("claim", "accepts", "of", "can fail"),
            [
                (p.claim.claim, p.accepted, p.possible, "yes" if p.can_fail else "NO")
                for p in powers
            ],
            whole=("accepts", "of", "can fail"),
        )
    if not all(power.can_fail for power in powers):
        ctx.exit(ExitCode.CELLS_FAILED)


def _write_checks(checks: Sequence[Check], format: str) -> None:  # noqa: A002
    docs = [(check.id, check.doc) for check in checks]
    if format == "json":
        write_json({"checks": [{"check": name, "doc": doc} for name, doc in docs]})
    else:
        write_table(("check", "what is promised"), docs, whole=("check",))


def _run(checks: Sequence[Check], timeout: float, *, quiet: bool) -> list[tuple[Check, Finding]]:
    from hcbench.authoring.testing.checks import run_limited

    findings = []
    running = run_limited(checks, None if timeout == math.inf else timeout)
    with display(quiet=quiet) as shown, closing(running):
        for done, check in enumerate(checks):
            if shown is not None:
                shown.show(done, len(checks), partial(_describe, done, checks))
            findings.append((check, next(running)))
    return findings


def _describe(done: int, checks: Sequence[Check]) -> list[str]:
    return [f"{done} of {len(checks)} checks", checks[done].id]


def _as_json(check: Check, finding: Finding) -> dict[str, str]:
    return {
        "name": check.subject.label,
        "check": check.name,
        "status": finding.status,
        "reason": finding.reason,
    }


def _write_findings(findings: Sequence[tuple[Check, Finding]]) -> None:
    """A row for each check of one plugin; of several those that did not pass, and the numbers."""
    labels = list(dict.fromkeys(check.subject.label for check, _ in findings))
    quiet = {"passed", "not applicable"} if len(labels) > 1 else set()
    rows = [
        (check.id if quiet else check.name, finding.status, finding.reason)
        for check, finding in findings
        if finding.status not in quiet
    ]
    if rows:
        write_table(("check", "", "why"), rows, whole=("check", ""))
        click.echo()
    counts = Counter(finding.status for _, finding in findings)
    click.echo(f"{_subjects(labels)}: " + ", ".join(f"{n} {name}" for name, n in counts.items()))


def _subjects(labels: Sequence[str]) -> str:
    return labels[0] if len(labels) == 1 else f"{len(labels)} plugins"
