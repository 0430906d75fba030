"""The data of a figure of a suite: which values are drawn in which panel, on which line, where.

`Figure` names properties by which panels and lines differ; here they are read off what was run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING

from hcbench.analysis.axes import find_metric, metric_named
from hcbench.analysis.statistics import average_of
from hcbench.claims.measuring import claimed_numbers, datasets_along
from hcbench.claims.relations import relation_of
from hcbench.claims.sides import NotMeasuredError, Side, find_group
from hcbench.errors import DataNotAvailableError, HcbenchError
from hcbench.model.numbers import read_number
from hcbench.registry.figure import CHECKPOINT, CLAIM
from hcbench.registry.names import (
    format_name,
    format_value,
    is_pattern,
    matches_pattern,
    names_in_grid,
    parse_name,
    same_name,
    split_list,
)

if TYPE_CHECKING:
    from hcbench.analysis.groups import Group
    from hcbench.claims.family_verdicts import FamilyVerdict
    from hcbench.plan.presentation import MetricInfo
    from hcbench.registry.figure import Figure
    from hcbench.registry.parameters import Value
    from hcbench.registry.suite import Claim
    from hcbench.results.results import Results

#: The kinds of names that have parameters.
_KINDS = ("algorithm", "dataset", "oracle", "metric")


@dataclass(frozen=True, slots=True)
class Printed:
    """What a claim compares with, at its place.

    Attributes
    ----------
    x, y : float
    relation : str
        "=", or on which side of it the measured values should be.
    """

    x: float
    y: float
    relation: str


@dataclass(slots=True)
class Panel:
    """What is drawn in a panel.

    Attributes
    ----------
    metric : MetricInfo
        That of the vertical axis; of several in one panel the first.
    values : tuple of value
        Those of the properties by which panels differ.
    lines : mapping of label to mapping of x to list of float
        The values of all repetitions.
    bounds : mapping of name to mapping of x to float
    levels : mapping of name to float
    printed : mapping of label to list of Printed
        What claims about the line of that label compare with.
    slopes : list of str
        The rates that claims state, as printed.
    """

    metric: MetricInfo
    values: tuple[Value, ...]
    lines: dict[str, dict[float, list[float]]] = field(default_factory=dict)
    bounds: dict[str, dict[float, float]] = field(default_factory=dict)
    levels: dict[str, float] = field(default_factory=dict)
    printed: dict[str, list[Printed]] = field(default_factory=dict)
    slopes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Run:
    """One metric of one group.

    Attributes
    ----------
    group : Group
    metric : MetricInfo
    properties : mapping of str to value
        By their names in a figure; a missing one is absent.
    numbers : list of float
        The values that are drawn.
    """

    group: Group
    metric: MetricInfo
    properties: dict[str, Value]
    numbers: list[float]


def collect_panels(figure: Figure, results: Results) -> dict[str, Panel]:
    """The data of a figure by the title of the panel, in the order of the results.

    Raises
    ------
    DataNotAvailableError
        If nothing was measured.
    HcbenchError
        If two groups are at one place of a line.
    """
    runs = list(_runs(figure, results))
    panels = _empty_panels(figure, runs)
    placed: dict[tuple[str, str, float], Group] = {}
    for run in runs:
        if _is_level(figure, run):
            continue
        line = _line_name(figure, run)
        for title in _titles(figure, run, panels):
            panel = panels[title]
            for x, numbers in _places(figure, run, results).items():
                if figure.band != "runs":
                    first = placed.setdefault((title, line, x), run.group)
                    _check_one_group(figure, x, line, first, run.group)
                values = panel.lines.setdefault(line, {})
                if figure.band == "runs":
                    # Runs on several data sets may be at one place.
                    values.setdefault(x, []).extend(numbers)
                else:
                    values[x] = numbers
            _add_bounds(panel, figure, run, results)
    panels = {title: panel for title, panel in panels.items() if panel.lines}
    if not panels:
        raise DataNotAvailableError(f"{figure.metric} was not measured against {figure.x}")
    _add_levels(panels, figure, runs)
    if figure.printed:
        _add_printed(panels, figure, results)
    return panels


def claimed_families(figure: Figure, results: Results) -> list[FamilyVerdict]:
    """The claims that a figure shows."""
    families = []
    for family in results.judged_families:
        if family.claim.claim.startswith(figure.claims):
            families.append(family)
    return families


def _check_one_group(figure: Figure, x: float, line: str, first: Group, second: Group) -> None:
    if first is second:
        return
    runs = []
    for group in (first, second):
        runs.append(f"{group.algorithm} on {group.dataset} through {group.oracle}")
    raise HcbenchError(
        f"figure {figure.name}: two runs have {figure.x} = {x:g} on the line {line!r}: {runs[0]}, "
        f"and {runs[1]}; select one by where, or separate them by line or panel"
    )


# ---- What is drawn -------------------------------------------------------------------------------


def _runs(figure: Figure, results: Results) -> Iterator[_Run]:
    """What is drawn, in the order of the results or of the claims."""
    if figure.only_claimed:
        for _, run in _claimed_runs(figure, results):
            yield run
    for name in figure.metrics:
        metric = find_metric(results, name)
        for group in results.groups:
            properties = _properties(group, metric, results)
            is_level = properties["algorithm"] in figure.level
            # Levels are no subject of claims, but are drawn beside them.
            if figure.only_claimed and not is_level:
                continue
            numbers = group.numbers(metric)
            if numbers and _is_drawn(figure, group, properties, results):
                yield _Run(group, metric, properties, numbers)


def _claimed_runs(figure: Figure, results: Results) -> Iterator[tuple[Claim, _Run]]:
    """What the claims of a figure are about, as far as it was run."""
    metrics = [find_metric(results, name) for name in figure.metrics]
    for family in claimed_families(figure, results):
        if metric_named(results, family.claim.metric) not in metrics:
            continue
        for claim, metric in product(_readings(family), metrics):
            with suppress(NotMeasuredError):
                run = _claimed_run(claim, metric, results)
                # All members of a family are in one panel, which has its text.
                run.properties[CLAIM] = family.claim.claim
                if _is_drawn(figure, run.group, run.properties, results):
                    yield claim, run


def _readings(family: FamilyVerdict) -> list[Claim]:
    """The claims of a family, of an erratum as printed and as corrected."""
    claims = []
    for verdict in family.verdicts:
        claims.append(verdict.claim)
        if verdict.claim.erratum:
            claims.append(verdict.claim.as_corrected)
    return claims


def _claimed_run(claim: Claim, metric: MetricInfo, results: Results) -> _Run:
    """What a claim is about, with a metric of the figure."""
    group = _claimed_group(claim, metric, results)
    numbers = group.numbers(metric)
    if claim.tuned_by:
        # The tuned member differs from repetition to repetition: only its own metric is tuned.
        if metric_named(results, claim.metric) != metric:
            raise NotMeasuredError(f"{claim.claim} is not about {metric.label}")
        numbers = list(claimed_numbers(claim, results).values())
    return _Run(group, metric, _properties(group, metric, results), numbers)


def _claimed_group(claim: Claim, metric: MetricInfo, results: Results) -> Group:
    """The group of a claim; of a tuned grid that of its first member."""
    algorithm = claim.algorithm
    if claim.tuned_by:
        algorithm = names_in_grid(algorithm)[0]
    dataset = claim.dataset
    if claim.exponent:
        # The first of the data sets over which the rate is taken.
        dataset = next(iter(datasets_along(claim, results).values()), dataset)
    return find_group(Side(algorithm, dataset, claim.oracle, claim.checkpoint, metric), results)


def _properties(group: Group, metric: MetricInfo, results: Results) -> dict[str, Value]:
    """All properties of a group and a metric, as figures name them."""
    properties: dict[str, Value] = {}
    for kind in _KINDS:
        label = metric.label
        properties[kind] = label
        if kind != "metric":
            label = getattr(group, kind)
            properties[kind] = label.partition("[")[0]
        parameters_by_label = results.parameters.get(f"{kind}s", {})
        for name, value in parameters_by_label.get(label, {}).items():
            properties[f"{kind}.{name}"] = value
    if group.checkpoint is not None:
        properties[CHECKPOINT] = group.checkpoint
    return properties


def _is_drawn(
    figure: Figure, group: Group, properties: Mapping[str, Value], results: Results
) -> bool:
    if figure.x != CHECKPOINT and CHECKPOINT in properties:
        # A state before the end.
        return False
    is_level = properties["algorithm"] in figure.level
    for condition in figure.where:
        name, _, values = condition.partition("=")
        if is_level and name.startswith("algorithm"):
            continue
        if "." in name:
            texts = [text.strip() for text in values.split("|")]
            value = ""
            if properties.get(name) is not None:
                value = format_value(properties[name])
            if value not in texts:
                return False
        elif not _is_one_of(getattr(group, name), values, results.parameters.get(f"{name}s", {})):
            return False
    return True


def _is_one_of(label: str, texts: str, parameters: Mapping[str, Mapping[str, Value]]) -> bool:
    """Whether a label is one of the names, grids and patterns that a condition has."""
    for text in split_list(texts):
        if is_pattern(text):
            if matches_pattern(text, label):
                return True
            continue
        for name in names_in_grid(text):
            if same_name(name, label, parameters):
                return True
    return False


# ---- Where it is drawn ---------------------------------------------------------------------------


def _is_level(figure: Figure, run: _Run) -> bool:
    return run.properties["algorithm"] in figure.level


def _places(figure: Figure, run: _Run, results: Results) -> dict[float, list[float]]:
    """The values of a run by x; none where x is no number."""
    unit = _value_of(figure.per, run, results)
    numbers = [number / unit for number in run.numbers]
    x_unit = _value_of(figure.x_per, run, results)
    if figure.band == "runs" and is_metric(figure.x):
        # Each repetition has an x of its own.
        by_repetition = run.group.by_repetition(find_metric(results, figure.x))
        places: dict[float, list[float]] = {}
        for repetition, number in run.group.by_repetition(run.metric).items():
            if repetition in by_repetition:
                x = by_repetition[repetition] / x_unit
                places.setdefault(x, []).append(number / unit)
        return places
    x_or_none = _x_of(figure, run, results)
    if x_or_none is None:
        return {}
    return {x_or_none: numbers}


def _x_of(figure: Figure, run: _Run, results: Results) -> float | None:
    """Where a run is on the horizontal axis; None where it has no number for it."""
    if is_metric(figure.x):
        x: Value = _mean_of(run.group, figure.x, results)
    else:
        x = run.properties.get(figure.x)
    # A text, or a missing parameter, has no place on the axis.
    if isinstance(x, str | bool | None | tuple):
        return None
    return float(x) / _value_of(figure.x_per, run, results)


def is_metric(name: str) -> bool:
    """Whether a name of a figure is that of a metric: neither a parameter nor the checkpoint."""
    kind, dot, _ = name.partition(".")
    return name != CHECKPOINT and not (dot and kind in _KINDS)


def _value_of(name: str, run: _Run, results: Results) -> float:
    """The value of a metric or parameter by which something is divided; 1 without a name."""
    if not name:
        return 1.0
    number = read_number(name)
    if number is not None:
        return number
    if is_metric(name):
        return _mean_of(run.group, name, results)
    value = run.properties.get(name)
    if isinstance(value, str | bool | None | tuple):
        raise DataNotAvailableError(f"{name} of {run.group.dataset} is no number")
    return float(value)


def _mean_of(group: Group, metric: str, results: Results) -> float:
    mean = average_of(group.numbers(find_metric(results, metric)))
    if mean is None:
        raise DataNotAvailableError(f"{metric} was not measured")
    return mean


def _empty_panels(figure: Figure, runs: Sequence[_Run]) -> dict[str, Panel]:
    """The panels by their titles: of what has all properties, if there is any."""
    complete: dict[str, Panel] = {}
    incomplete: dict[str, Panel] = {}
    numbers_of_title: dict[str, list[float]] = {}
    for run in runs:
        if _is_level(figure, run):
            continue
        values = [_property(name, run.properties) for name in figure.panel]
        panels = complete
        if None in values:
            panels = incomplete
        title = _names_of(figure.panel, run.properties)
        panels.setdefault(title, Panel(run.metric, tuple(values)))
        numbers_of_title[title] = [value for value in values if isinstance(value, int | float)]
    panels = complete or incomplete
    if not all(len(numbers_of_title[title]) == len(figure.panel) for title in panels):
        # Texts have no order but that of the results.
        return panels
    return {title: panels[title] for title in sorted(panels, key=numbers_of_title.__getitem__)}


def _titles(figure: Figure, run: _Run, panels: Mapping[str, Panel]) -> list[str]:
    """The panels that a run is part of: those that agree with the properties that it has."""
    title = _names_of(figure.panel, run.properties)
    if title in panels:
        return [title]
    values = [_property(name, run.properties) for name in figure.panel]
    titles = []
    for other_title, panel in panels.items():
        pairs = zip(values, panel.values, strict=True)
        if all(value is None or value == panel_value for value, panel_value in pairs):
            titles.append(other_title)
    return titles


def _property(name: str, properties: Mapping[str, Value]) -> Value:
    """The first of the properties of a name that there is; None without any."""
    for alternative in name.split("|"):
        if properties.get(alternative) is not None:
            return properties[alternative]
    return None


def _names_of(names: Sequence[str], properties: Mapping[str, Value]) -> str:
    """The title of a panel or the name of a line."""
    texts = []
    for name in names:
        value = _property(name, properties)
        if value is None:
            continue
        # A claim and a name say what they are.
        kind, dot, parameter = name.partition("|")[0].partition(".")
        text = format_value(value)
        if dot:
            text = f"{parameter} = {text}"
        elif kind == CLAIM:
            text = str(value)
        texts.append(text)
    return ", ".join(texts)


def _line_name(figure: Figure, run: _Run) -> str:
    """The properties of lines; or the algorithm without the parameters of x and of panels."""
    if figure.line:
        return _names_of(figure.line, run.properties)
    name = parse_name(run.group.algorithm)
    # These are on the axis and in the titles of panels.
    shown_elsewhere = [figure.x]
    for panel_property in figure.panel:
        shown_elsewhere += panel_property.split("|")
    params = {}
    for parameter, value in name.params.items():
        if f"algorithm.{parameter}" not in shown_elsewhere:
            params[parameter] = value
    return format_name(name.base, params)


# ---- Bounds, levels and printed values -----------------------------------------------------------


def _add_bounds(panel: Panel, figure: Figure, run: _Run, results: Results) -> None:
    """A bound is a number, or a metric that says where it is."""
    x = _x_of(figure, run, results)
    if x is None:
        return
    for bound in figure.bound:
        height = read_number(bound)
        if height is None:
            height = _mean_of(run.group, bound, results) / _value_of(figure.per, run, results)
        panel.bounds.setdefault(bound, {})[x] = height


def _add_levels(panels: Mapping[str, Panel], figure: Figure, runs: Sequence[_Run]) -> None:
    for run in runs:
        average = average_of(run.numbers, run.metric.average)
        if not _is_level(figure, run) or average is None:
            continue
        for title in _titles(figure, run, panels):
            panels[title].levels[run.group.algorithm] = average


def _add_printed(panels: Mapping[str, Panel], figure: Figure, results: Results) -> None:
    """What the claims of a figure compare with, where the line that they are about is drawn."""
    for claim, run in _claimed_runs(figure, results):
        if metric_named(results, claim.metric) == run.metric:
            _add_printed_value(panels, figure, claim, run, results)


def _add_printed_value(
    panels: Mapping[str, Panel], figure: Figure, claim: Claim, run: _Run, results: Results
) -> None:
    line = _line_name(figure, run)
    titles = []
    for title in _titles(figure, run, panels):
        if line in panels[title].lines:
            titles.append(title)
    if claim.exponent:
        for title in titles:
            if figure.x == f"dataset.{claim.exponent}" and claim.paper not in panels[title].slopes:
                panels[title].slopes.append(claim.paper)
        return
    y = _printed_height(claim, run, results)
    x = _x_of(figure, run, results)
    if x is None or y is None:
        return
    unit = _value_of(figure.per, run, results)
    for title in titles:
        printed = Printed(x, y / unit, relation_of(claim, [run.metric]))
        panels[title].printed.setdefault(line, []).append(printed)


def _printed_height(claim: Claim, run: _Run, results: Results) -> float | None:
    """The printed number, or the bound of the same run that is another metric; None for neither."""
    compares_with_other_runs = (
        claim.better_than or claim.than_dataset or claim.than_oracle or claim.than_checkpoint
    )
    if compares_with_other_runs:
        return None
    if claim.than_metric:
        return _mean_of(run.group, claim.than_metric, results)
    return float(claim.paper)
