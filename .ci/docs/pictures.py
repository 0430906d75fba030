"""Pictures of what is registered: what each algorithm finds, what data, oracles and metrics are.

They are drawn by the public functions of hcbench in this process, whenever the site is built. What
has no picture has a sentence that says why.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import drawing_algorithms
import drawing_data
import drawing_metrics
import drawing_oracles
import rst
from contents import SECTIONS, docname, pages_of
from drawing import Drawing

from hcbench import DataNotAvailableError, HcbenchError, ModelWarning, figures

_DRAW: dict[str, Callable[[Any], Drawing]] = {
    "algorithms": drawing_algorithms.draw,
    "datasets": drawing_data.draw,
    "oracles": drawing_oracles.draw,
    "metrics": drawing_metrics.draw,
}


def draw(kind: str, spec: Any) -> Drawing:
    """The picture of an item that is no suite; warnings of its model are part of the text."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            drawing = _DRAW[kind](spec)
    except DataNotAvailableError:
        return Drawing("There is no picture here: the data were not there when it was to be drawn.")
    except HcbenchError as error:
        return Drawing(f"There is no picture here: {error}.")
    told: dict[str, None] = {}
    for warning in caught:
        # Others are for the authors of libraries.
        if issubclass(warning.category, ModelWarning):
            told[str(warning.message)] = None
    return replace(drawing, text=" ".join([drawing.text, *[f"Warning: {text}." for text in told]]))


def picture_of(kind: str, spec: Any, folder: Path) -> str:
    """The picture of an item with its text, or the text alone, for a page in the folder.

    Both are reStructuredText. Suites have no picture.
    """
    if kind == "suites":
        return text_of_suite(spec)
    drawing = draw(kind, spec)
    if drawing.figure is None:
        return rst.escape(drawing.text)
    name = f"{spec.name}.svg"
    folder.mkdir(parents=True, exist_ok=True)
    figures.write_figure(drawing.figure, folder / name, "svg")
    return rst.block("figure", name, rst.escape(drawing.text), alt=f"Picture of {spec.name}")


def text_of_suite(suite: Any) -> str:
    """Why a suite has no picture, how to make one, and which page shows results."""
    command = f"hcbench run {suite.name}"
    if suite.figures:
        how = f"{rst.code(f'{command} --figures FOLDER')} draws those of the suite"
    else:
        how = f"{rst.code(command)}, and then {rst.code('hcbench report')}, draws some"
    text = f"A run takes from minutes to hours, so this page has no picture; {how}."
    for section in SECTIONS:
        for page in pages_of(section):
            # The page of a paper is named as the first part of its suites.
            if section.folder == "papers" and page.stem == suite.name.partition("-")[0]:
                text += f" {rst.link('What came out', docname(section, page))}."
    if suite.name.startswith("standard-"):
        text += f" {rst.link('What came out', 'results/results')}."
    return text
