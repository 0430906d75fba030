"""Tests that reproduce an attack: ``pytest -m survival -n0``, nightly, prints a table of them.

Every test with the marker ``attack(area)`` also runs in each usual run, once. In the attack, those
whose outcome depends on chance run `TURNS` times. A test that tries an area many times by itself
counts its trials with `try_once` and `survive`.
"""

from __future__ import annotations

import os
from collections import Counter

import pytest

TURNS = 20

_tried: Counter[str] = Counter()
_survived: Counter[str] = Counter()
_skipped: Counter[str] = Counter()


def try_once(area: str) -> None:
    """Count a trial of an area."""
    _tried[area] += 1


def survive(area: str) -> None:
    """Count a trial of an area that was survived."""
    _survived[area] += 1


def is_attack(config: pytest.Config) -> bool:
    """Whether this is the nightly attack."""
    return str(config.getoption("markexpr")) == "survival"


@pytest.fixture
def attack_turn(request: pytest.FixtureRequest) -> int:
    """The number of the trial, from 0."""
    turn: int = getattr(request, "param", 0)
    return turn


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Repeat what depends on chance."""
    marker = metafunc.definition.get_closest_marker("attack")
    if marker is None or not is_attack(metafunc.config):
        return
    if marker.kwargs.get("by_chance"):
        metafunc.fixturenames.append("attack_turn")
        metafunc.parametrize("attack_turn", range(TURNS), indirect=True)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Select the reproducers for the attack, and let their reports tell their areas."""
    for item in items:
        marker = item.get_closest_marker("attack")
        if marker is None:
            continue
        item.user_properties.append(("attack", marker.args[0]))
        if is_attack(config):
            item.add_marker(pytest.mark.survival)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Count a reproducer: one that cannot run on this machine is skipped."""
    area = dict(report.user_properties).get("attack")
    if area is None:
        return
    if report.skipped:
        _skipped[str(area)] += 1
    elif report.when == "call":
        _tried[str(area)] += 1
        _survived[str(area)] += report.passed


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Print the table, also into the summary of a job on GitHub."""
    areas = list(dict.fromkeys([*_tried, *_skipped]))
    if not is_attack(config) or not areas:
        return
    lines = [
        "| area | tried | survived | lost | not on this machine |",
        "|---|---:|---:|---:|---:|",
    ]
    for area in areas:
        lost = _tried[area] - _survived[area]
        lines.append(f"| {area} | {_tried[area]} | {_survived[area]} | {lost} | {_skipped[area]} |")
    text = "\n".join(lines)
    terminalreporter.write_line(f"\n{text}")
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        with open(summary, "a", encoding="utf-8") as file:
            file.write(f"{text}\n")
