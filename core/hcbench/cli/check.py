"""``check``: whether plugins keep what every plugin promises."""

from __future__ import annotations

import math
import re
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hcbench.cli import options
from hcbench.cli.option_types import KINDS, OneName, read_time
from hcbench.cli.terminal import stdout_for_data, write_json, write_table
from hcbench.errors import ExitCode

if TYPE_CHECKING:
    from hcbench.claims.powers import Power
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
        "hcbench check my-package --editions tests/editions.json",
    )
)
@click.argument("names", nargs=-1, required=True, type=OneName(*KINDS), metavar="NAME...")
@click.option("--list", "only_list", is_flag=True, help="List the checks, and run none.")
@click.option(
    "--claims",
    is_flag=True,
    help="NAME is a suite: list what each of its claims accepts, and whether it can fail.",
)
@click.option(
    "--editions",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Tell whether results have changed while their edition has not. FILE is a record of a "
    "small probe of each spec, which is made if it does not exist, and kept up to date.",
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
    type=read_time,
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
    editions: Path | None,
    exempt: Sequence[tuple[str, str]],
    timeout: float,
    plugin: Sequence[Path],
    form: str,
    quiet: bool,
) -> ExitCode:
    """Check what every plugin must fulfil.

    NAME is an algorithm, data set, oracle or metric, with parameters as elsewhere; a plugin file,
    such as ./mine.py; or a package, which means all that it registers. Advice is shown apart. Exit
    code 1 if a required check fails, an exempt one passes, a claim cannot fail, or results of an
    edition have changed.
    """
    if editions is not None:
        _refuse_beside_editions({"--claims": claims, "--list": only_list, "--exempt": exempt})
        if _compare_editions(names, plugin, editions, form):
            return ExitCode.OK
        return ExitCode.CELLS_FAILED
    if claims:
        if _write_claims(names, plugin, form):
            return ExitCode.OK
        return ExitCode.CELLS_FAILED
    # What checked plugins print goes to stderr, as the findings are the data.
    findings = []
    with stdout_for_data():
        checks = _checks_of(names, dict(exempt), plugin)
        if not only_list:
            findings = _run(checks, timeout, quiet=quiet)
    if only_list:
        _write_list(checks, form)
        return ExitCode.OK
    if form == "json":
        descriptions = [_describe(check, finding) for check, finding in findings]
        write_json({"checks": descriptions})
    else:
        _write_findings(findings)
    for _, finding in findings:
        # Advice that is not followed, and an exempt check, have another status.
        if finding.status == "failed":
            return ExitCode.CELLS_FAILED
    return ExitCode.OK


def _describe(check: Check, finding: Finding) -> dict[str, Any]:
    """A check and what it found, as JSON."""
    description: dict[str, Any] = {
        "name": check.subject.label,
        "check": check.name,
        "required": check.required,
    }
    description.update(asdict(finding))
    return description


def _checks_of(
    names: Sequence[str], exempt: dict[str, str], plugins: Sequence[Path]
) -> list[Check]:
    """The checks; an exemption from none of them is told in a line on stderr."""
    from hcbench.testing.checks import checks_of
    from hcbench.testing.exemptions import UnknownCheckWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UnknownCheckWarning)
        checks = checks_of(names, exempt, plugins=plugins)
    # A misspelt exemption is our own message; other warnings go on to whoever listens.
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
        descriptions = []
        for check in checks:
            descriptions.append({"check": check.id, "doc": check.doc, "required": check.required})
        write_json({"checks": descriptions})
        return
    required_rows = []
    advice_rows = []
    for check in checks:
        row = (check.id, check.doc)
        if check.required:
            required_rows.append(row)
        else:
            advice_rows.append(row)
    write_table(("check", "what is promised"), required_rows, unwrapped=("check",))
    if advice_rows:
        click.echo()
        write_table(("advice", "what is better"), advice_rows, unwrapped=("advice",))


def _write_claims(names: Sequence[str], plugin: Sequence[Path], form: str) -> bool:
    """List what the claims of suites accept; False if one accepts all that is possible."""
    from hcbench.claims.powers import powers_of
    from hcbench.cli.compare import suite_named
    from hcbench.registry import load_registry

    registry = load_registry(plugin)
    powers: list[Power] = []
    for name in names:
        suite = suite_named(name, registry)
        powers.extend(powers_of(suite, registry))
    if form == "json":
        descriptions = []
        for power in powers:
            description = asdict(power)
            # Of all fields of the claim only its text.
            description["claim"] = power.claim.claim
            descriptions.append(description)
        write_json({"claims": descriptions})
    else:
        _write_powers(powers)
    return all(power.can_fail for power in powers)


def _refuse_beside_editions(options_of_checks: Mapping[str, object]) -> None:
    """Raise `click.UsageError` for options that would have no effect."""
    unused = []
    for name, value in options_of_checks.items():
        # Options that are not used are False or empty.
        if value:
            unused.append(name)
    if unused:
        raise click.UsageError(f"--editions runs no checks; omit {' and '.join(unused)}")


def _compare_editions(
    names: Sequence[str], plugin: Sequence[Path], record: Path, form: str
) -> bool:
    """Compare results with those of a record; False if some have changed."""
    from hcbench.testing.editions import compare_editions
    from hcbench.testing.subjects import subjects_of

    with stdout_for_data():
        findings = compare_editions(subjects_of(names, plugin), record)
    if form == "json":
        write_json({"editions": list(map(asdict, findings))})
    else:
        rows = []
        for finding in findings:
            # Specs without an edition have the digest of their package's code instead.
            edition = "-"
            if finding.edition is not None:
                edition = str(finding.edition)
            rows.append((finding.name, edition, finding.status, finding.reason))
        write_table(("spec", "edition", "results", "why"), rows, right=("edition",))
    statuses = {finding.status for finding in findings}
    return "changed" not in statuses


def _write_powers(powers: Sequence[Power]) -> None:
    """Write a table to stdout: what each claim accepts of what is possible."""
    rows = []
    for power in powers:
        text = power.claim.claim
        if power.members > 1:
            text += f" ({power.members:,} members)"
        # A claim that accepts everything is a mistake, which is not to be overlooked.
        can_fail = "NO"
        if power.can_fail:
            can_fail = "yes"
        rows.append((text, power.accepted, power.possible, can_fail))
    header = ("claim", "accepts", "of", "can fail")
    write_table(header, rows, unwrapped=header[1:])


def _run(checks: Sequence[Check], timeout: float, *, quiet: bool) -> list[tuple[Check, Finding]]:
    from hcbench.cli.progress import display
    from hcbench.testing.isolation import run_limited

    def describe(n_done: int) -> list[str]:
        return [f"{n_done} of {len(checks)} checks", checks[n_done].id]

    # Checks run in a process that can be ended, as a plugin may hang or crash.
    findings = []
    limit = None
    if timeout != math.inf:
        limit = timeout
    running = run_limited(checks, limit)
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
    required_rows = []
    advice_rows = []
    for check, finding in findings:
        if len(labels) == 1:
            name = check.name
        else:
            # The names of several plugins, but only what is to be looked at.
            name = check.id
            if finding.status in ("passed", "not applicable"):
                continue
        row = (name, finding.status, finding.reason)
        if check.required:
            required_rows.append(row)
        else:
            advice_rows.append(row)
    for title, rows in (("check", required_rows), ("advice", advice_rows)):
        if rows:
            write_table((title, "", "why"), rows, unwrapped=(title, ""))
            click.echo()

    counts: Counter[str] = Counter()
    for _, finding in findings:
        counts[finding.status] += 1
    numbers = [f"{count} {status}" for status, count in counts.items()]
    subjects = f"{len(labels)} plugins"
    if len(labels) == 1:
        (subjects,) = labels
    click.echo(f"{subjects}: {', '.join(numbers)}")
