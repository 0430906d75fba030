"""Checks of all kinds: side effects on the process."""

from __future__ import annotations

import ctypes
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from typing import Any

import numpy as np

from hcbench.authoring.testing.datasets import make
from hcbench.authoring.testing.findings import require, skip
from hcbench.authoring.testing.items import DATA_SEED
from hcbench.authoring.testing.metrics import usual_values
from hcbench.authoring.testing.querying import all_answers, answers_of, problem_of
from hcbench.authoring.testing.running import SEED, sources_of, usual
from hcbench.authoring.testing.subjects import Subject
from hcbench.model.notes import collect_notes
from hcbench.run.given import give
from hcbench.run.inputs import make_oracle


def check_global_random_state(subject: Subject) -> None:
    """The global generators of random and numpy are neither used nor changed."""
    _perform(subject)  # numbers that an import or a compilation draws are not the plugin's
    outcomes = []
    for seed in (0, 1):
        with _seeded(seed):
            before = _state()
            outcomes.append(_perform(subject))
            require(
                _state() == before,
                "uses a global generator of random numbers; use the seed or rng that it is given",
            )
    require(outcomes[0] == outcomes[1], "depends on a global generator of random numbers")


def check_nothing_printed(subject: Subject) -> None:
    """Nothing is written to stdout or stderr."""
    _perform(subject)  # text that an import or a compilation prints is not the plugin's
    with tempfile.TemporaryFile() as file:
        with _redirected(file.fileno()):
            _perform(subject)
        file.seek(0)
        text = file.read().decode(errors="replace").strip()
    first = text.partition("\n")[0]
    require(not text, f"prints {first!r}; an algorithm warns by ModelWarning")


def _perform(subject: Subject) -> Any:
    """Call the function of a spec once, with fixed seeds; return something comparable."""
    if subject.noun == "algorithm":
        return _call(subject)
    if subject.noun == "metric":
        return repr(usual_values(subject))  # NaN is equal to itself
    if subject.noun == "oracle":
        return all_answers(answers_of(subject, problem_of(subject)))
    return make(subject, DATA_SEED).digest()


def _call(subject: Subject) -> Any:
    """Call an algorithm, without the seeds that a cell gives the global generators."""
    source = sources_of(subject)[0]
    usual(subject, source)
    problem = source.problem()
    oracle = make_oracle(source.answers(problem), None)
    given, rng = give(problem, subject.hints), np.random.default_rng(SEED)
    with collect_notes():
        returned = subject.call(oracle, given, rng)
    return returned.tolist() if isinstance(returned, np.ndarray) else returned


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Seed the global generators, and restore their state afterwards."""
    before = random.getstate(), np.random.get_state()  # noqa: NPY002
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002
    try:
        yield
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])  # noqa: NPY002


def _state() -> tuple[Any, ...]:
    state = np.random.get_state(legacy=False)  # noqa: NPY002
    return random.getstate(), repr(state), state["state"]["key"].tobytes()


@contextmanager
def _redirected(descriptor: int) -> Iterator[None]:
    """Send what is written to stdout and stderr, by C as well, to a descriptor."""
    try:
        copies = [(number, os.dup(number)) for number in (1, 2)]
    except OSError:
        skip("this process has no stdout or stderr")
    _flush()
    with open(os.dup(descriptor), "w", buffering=1) as file:
        for number, _ in copies:
            os.dup2(descriptor, number)
        try:
            with redirect_stdout(file), redirect_stderr(file):
                yield
        finally:
            _flush()
            for number, copy in copies:
                os.dup2(copy, number)
                os.close(copy)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError, OSError):
            stream.flush()
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).fflush(None)
