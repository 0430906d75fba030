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
    # The other answers name no closest pair.
    decided = [answer for answer in session.recorded.answers if answer.code not in (UNSURE, NONE)]
    triples = [_closest_pair_first(answer) for answer in decided]
    return [decided[row] for row in find_contradiction(triples)]


def describe_contradiction(answers: list[RecordedAnswer]) -> str:
    """Describe contradictory answers in words."""
    texts = []
    for answer in answers:
        first, second, odd = _closest_pair_first(answer)
        texts.append(
            f"{odd!r} is the odd one out, not {first!r} or {second!r} (line {answer.line})"
        )
    return "; ".join(texts)


def _closest_pair_first(answer: RecordedAnswer) -> tuple[str, str, str]:
    odd = answer.query[answer.code]
    first, second = [item for item in answer.query if item != odd]
    return first, second, odd


def count_disagreeing(session: SessionResult) -> int:
    """Count the answers that disagree with the result.

    A tree without heights does not determine which of two pairs is more similar, so no answer of
    that kind disagrees with it.
    """
    recorded = session.recorded
    header = recorded.header
    result = session.result
    answers = [answer for answer in recorded.answers if answer.code != UNSURE]
    if not answers:
        return 0
    number_of = {item: number for number, item in enumerate(header.items)}
    queries = np.empty((len(answers), recorded.kind.arity), dtype=np.int64)
    for row, answer in enumerate(answers):
        queries[row] = [number_of[item] for item in answer.query]
    codes = np.array([answer.code for answer in answers])
    if header.kind == "ordinal-queries" and isinstance(result, Tree):
        i, j, k = queries.T
        # Of the pair without each item; nodes have smaller numbers than their parents.
        ancestors = np.stack([result.lca(j, k), result.lca(i, k), result.lca(i, j)])
        are_equal = (ancestors == ancestors[0]).all(axis=0)
        odd = np.where(are_equal, NONE, ancestors.argmin(axis=0))
        return int((odd != codes).sum())
    # Of a cut, whether both items are in one cluster.
    if header.kind == "pair-queries" and isinstance(result, Partition):
        together = result.labels[queries[:, 0]] == result.labels[queries[:, 1]]
        return int((together != codes).sum())
    return 0


def report(session: SessionResult, contradicting: list[RecordedAnswer]) -> dict[str, Any]:
    """Collect everything in plain values, for JSON."""
    recorded = session.recorded
    header = recorded.header
    kind = recorded.kind
    answers = [answer for answer in recorded.answers if answer.code != UNSURE]
    neither = 0
    if kind.neither is not None:
        neither = sum(answer.code == kind.neither.code for answer in answers)
    distinct = {kind.canonical(answer.query)[0] for answer in answers}
    odd_answers = []
    for answer in contradicting:
        odd_answers.append({"question": list(answer.query), "odd": answer.query[answer.code]})
    values: dict[str, Any] = {"items": list(header.items)}
    values.update(_shape_of(session.result))
    values.update(
        algorithm=header.algorithm,
        seed=header.seed,
        kind=header.kind,
        questions=len(recorded.answers),
        answers=len(answers),
        distinct=len(distinct),
        unsure=len(recorded.answers) - len(answers),
        neither=neither,
        undone=recorded.undone,
        disagreeing=count_disagreeing(session),
        contradiction=odd_answers,
        notes=list(session.notes),
    )
    return values


def _shape_of(result: Tree | Partition) -> dict[str, Any]:
    """A tree or a partition in plain values."""
    if isinstance(result, Tree):
        return {"newick": result.to_newick(lengths=False), "parent": result.parent.tolist()}
    return {"clusters": result.labels.tolist()}


def save(tree: Tree | Partition, described: dict[str, Any], stem: Path) -> list[Path]:
    """Write a report to STEM.json; for a tree also STEM.nwk and, with matplotlib, STEM.svg.

    Raises
    ------
    DataError
        If a file cannot be written.
    """
    text = json.dumps(described, indent=2, ensure_ascii=False)
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
