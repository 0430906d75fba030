"""Results of a session: counts, contradictions, and files."""

from __future__ import annotations

import json
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from hcbench import NONE, UNSURE, DataError, Partition, Tree, figures
from hcbench_ask.answers_file import RecordedAnswer
from hcbench_ask.contradictions import find_contradiction
from hcbench_ask.session import SessionResult


def contradiction(session: SessionResult) -> list[RecordedAnswer]:
    """Find a minimal set of answers about three items with which no tree agrees.

    Empty if there is none, or if the queries are not ordinal.
    """
    if session.recorded.header.kind != "ordinal-queries":
        return []
    answers = [a for a in session.recorded.answers if a.code not in (UNSURE, NONE)]
    return [answers[row] for row in find_contradiction([_closest_pair_first(a) for a in answers])]


def describe_contradiction(answers: list[RecordedAnswer]) -> str:
    """Describe contradictory answers in words."""
    return "; ".join(
        f"{odd!r} is the odd one out, not {a!r} or {b!r} (line {answer.line})"
        for answer in answers
        for a, b, odd in [_closest_pair_first(answer)]
    )


def _closest_pair_first(answer: RecordedAnswer) -> tuple[str, str, str]:
    odd = answer.query[answer.code]
    a, b = (item for item in answer.query if item != odd)
    return a, b, odd


def count_disagreeing(session: SessionResult) -> int:
    """Count the answers that disagree with the result.

    A tree without heights does not determine which of two pairs is more similar, so no answer of
    that kind disagrees with it.
    """
    header, result = session.recorded.header, session.result
    number = {item: i for i, item in enumerate(header.items)}
    answers = [answer for answer in session.recorded.answers if answer.code != UNSURE]
    asked = np.array([[number[item] for item in answer.query] for answer in answers])
    codes = np.array([answer.code for answer in answers])
    if not answers:
        return 0
    if header.kind == "ordinal-queries" and isinstance(result, Tree):
        i, j, k = asked.T
        low = np.stack([result.lca(j, k), result.lca(i, k), result.lca(i, j)])
        odd = np.where((low == low[0]).all(axis=0), NONE, low.argmin(axis=0))
        return int((odd != codes).sum())
    if header.kind == "pair-queries" and isinstance(result, Partition):
        together = result.labels[asked[:, 0]] == result.labels[asked[:, 1]]
        return int((together != codes).sum())
    return 0


def report(session: SessionResult, contradicting: list[RecordedAnswer]) -> dict[str, Any]:
    """Collect everything in plain values, for JSON."""
    recorded, result = session.recorded, session.result
    header, kind = recorded.header, recorded.kind
    answers = [answer for answer in recorded.answers if answer.code != UNSURE]
    shape: dict[str, Any]
    if isinstance(result, Tree):
        shape = {"newick": result.to_newick(lengths=False), "parent": result.parent.tolist()}
    else:
        shape = {"clusters": result.labels.tolist()}
    return {
        "items": list(header.items),
        **shape,
        "algorithm": header.algorithm,
        "seed": header.seed,
        "kind": header.kind,
        "questions": len(recorded.answers),
        "answers": len(answers),
        "distinct": len({kind.canonical(answer.query)[0] for answer in answers}),
        "unsure": len(recorded.answers) - len(answers),
        "neither": sum(a.code == kind.neither.code for a in answers) if kind.neither else 0,
        "undone": recorded.undone,
        "disagreeing": count_disagreeing(session),
        "contradiction": [
            {"question": list(a.query), "odd": a.query[a.code]} for a in contradicting
        ],
        "notes": list(session.notes),
    }


def save(tree: Tree | Partition, said: dict[str, Any], stem: Path) -> list[Path]:
    """Write a report to STEM.json; for a tree also STEM.nwk and, with matplotlib, STEM.svg.

    Raises
    ------
    DataError
        If a file cannot be written.
    """
    text = json.dumps(said, indent=2, ensure_ascii=False)
    written = [_write(stem, ".json", text + "\n")]
    if isinstance(tree, Tree):
        written.append(_write(stem, ".nwk", tree.to_newick(lengths=False) + "\n"))
        if find_spec("matplotlib"):
            written.append(_draw(tree, stem.with_name(f"{stem.name}.svg")))
    return written


def _write(stem: Path, ending: str, text: str) -> Path:
    path = stem.with_name(stem.name + ending)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DataError.of_file("write", path, error) from error
    return path


def _draw(tree: Tree, path: Path) -> Path:
    from matplotlib import rc_context

    # Names remain text, as matplotlib's fonts may lack their letters.
    with figures.style(), rc_context({"svg.fonttype": "none"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)
        figure = figures.dendrogram(None, tree, names=True, orientation="left").get_figure(
            root=True
        )
        assert figure is not None
        try:
            figure.savefig(path, format="svg", bbox_inches="tight", metadata={"Date": None})
        except OSError as error:
            raise DataError.of_file("write", path, error) from error
    return path
