"""What a session with a person comes to: counts, contradictions, and files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from hcbench.asking.contradictions import find_contradiction
from hcbench.asking.questions import KINDS
from hcbench.asking.recorded import Answered, Heading
from hcbench.asking.session import Finding
from hcbench.errors import DataError
from hcbench.model.trees import Partition, Tree
from hcbench.oracle import NONE, UNSURE


@dataclass(frozen=True, slots=True)
class Agreement:
    """How the answers agree with each other and with the result.

    Attributes
    ----------
    contradiction : tuple of Answered
        Answers about three items that no tree agrees with, none of which can be left out.
    disagreeing : int
        Answers that the result says the contrary of.
    """

    contradiction: tuple[Answered, ...]
    disagreeing: int


def agreement(
    finding: Finding, heading: Heading, *, look_for_contradictions: bool = True
) -> Agreement:
    """Compare the answers with each other, if wanted, and with the result.

    A tree without heights does not tell which of two pairs is more alike: of such answers none is
    said to disagree.
    """
    answers = [answer for answer in finding.answers if answer.code != UNSURE]
    found: tuple[Answered, ...] = ()
    if look_for_contradictions and heading.kind == "ordinal-queries":
        said = [answer for answer in answers if answer.code != NONE]
        triplets = [_closest_first(answer) for answer in said]
        found = tuple(said[row] for row in find_contradiction(triplets))
    return Agreement(found, _disagreeing(finding, heading, answers))


def _closest_first(answer: Answered) -> tuple[str, str, str]:
    odd = answer.question[answer.code]
    a, b = (item for item in answer.question if item != odd)
    return a, b, odd


def _disagreeing(finding: Finding, heading: Heading, answers: Sequence[Answered]) -> int:
    number = {item: i for i, item in enumerate(heading.items)}
    asked = np.array([[number[item] for item in answer.question] for answer in answers])
    codes = np.array([answer.code for answer in answers])
    result = finding.result
    if not answers:
        return 0
    if heading.kind == "ordinal-queries" and isinstance(result, Tree):
        i, j, k = asked.T
        low = np.stack([result.lca(j, k), result.lca(i, k), result.lca(i, j)])
        odd = np.where((low == low[0]).all(axis=0), NONE, low.argmin(axis=0))
        return int((odd != codes).sum())
    if heading.kind == "pair-queries" and isinstance(result, Partition):
        together = result.labels[asked[:, 0]] == result.labels[asked[:, 1]]
        return int((together != codes).sum())
    return 0


def describe_contradiction(answers: Sequence[Answered]) -> str:
    """Which answers contradict each other, in words."""
    told = []
    for answer in answers:
        a, b, odd = _closest_first(answer)
        told.append(f"{odd!r} is the odd one out beside {a!r} and {b!r} (line {answer.line})")
    return "; ".join(told)


def report(finding: Finding, heading: Heading, agreed: Agreement) -> dict[str, Any]:
    """All of it in plain values, for JSON."""
    kind = KINDS[heading.kind]
    said = [answer for answer in finding.answers if answer.code != UNSURE]
    neither = [a for a in said if kind.neither is not None and a.code == kind.neither.code]
    result = finding.result
    found: dict[str, Any]
    if isinstance(result, Tree):
        found = {
            "newick": result.to_newick(lengths=False),
            "parent": result.parent.tolist(),
        }
    else:
        found = {"clusters": result.labels.tolist()}
    return {
        "items": list(heading.items),
        **found,
        "algorithm": heading.algorithm,
        "seed": heading.seed,
        "kind": heading.kind,
        "questions": len(finding.answers),
        "answers": len(said),
        "distinct": len({kind.canonical(a.question, a.code)[0] for a in said}),
        "unsure": len(finding.answers) - len(said),
        "neither": len(neither),
        "undone": finding.undone,
        "disagreeing": agreed.disagreeing,
        "contradiction": [
            {"question": list(a.question), "odd": a.question[a.code]} for a in agreed.contradiction
        ],
        "notes": list(finding.notes),
    }


def save(finding: Finding, heading: Heading, agreed: Agreement, stem: Path) -> list[Path]:
    """Write STEM.json and, of a tree, STEM.nwk and, if matplotlib is installed, STEM.svg.

    Raises
    ------
    DataError
        If a file cannot be written.
    """
    said = json.dumps(report(finding, heading, agreed), indent=2, ensure_ascii=False)
    written = [_write(stem, ".json", said + "\n")]
    tree = finding.result
    if isinstance(tree, Tree):
        written.append(_write(stem, ".nwk", tree.to_newick(lengths=False) + "\n"))
        if find_spec("matplotlib"):
            written.append(_draw(tree, _beside(stem, ".svg")))
    return written


def _beside(stem: Path, ending: str) -> Path:
    return stem.with_name(stem.name + ending)


def _write(stem: Path, ending: str, text: str) -> Path:
    path = _beside(stem, ending)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DataError.of_file("write", path, error) from error
    return path


def _draw(tree: Tree, path: Path) -> Path:
    import warnings

    from matplotlib import rc_context

    from hcbench.show.plots import dendrogram, style

    # Names stay text: whoever looks at the file has the letters that matplotlib's font may lack.
    with style(), rc_context({"svg.fonttype": "none"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)
        figure = dendrogram(None, tree, names=True, orientation="left").get_figure(root=True)
        assert figure is not None
        try:
            figure.savefig(path, format="svg", bbox_inches="tight", metadata={"Date": None})
        except OSError as error:
            raise DataError.of_file("write", path, error) from error
    return path
