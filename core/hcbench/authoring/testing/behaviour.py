"""Checks of all kinds: what they do to the process that they run in."""

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

from hcbench.authoring.testing.asking import say
from hcbench.authoring.testing.findings import require, skip
from hcbench.authoring.testing.items import DATA_SEED
from hcbench.authoring.testing.making import make
from hcbench.authoring.testing.running import SEED, heard_of, hints, usual
from hcbench.authoring.testing.scoring import usual_value
from hcbench.authoring.testing.subjects import Subject
from hcbench.model.notes import collect_notes
from hcbench.run.given import give
from hcbench.run.inputs import make_oracle


def check_global_random_state(subject: Subject) -> None:
    """The global generators of random and numpy decide nothing, and stay as they are."""
    _perform(subject)  # what an import or a compilation draws is not the plugin's
    found = []
    for seed in (0, 1):
        with _seeded(seed):
            before = _state()
            found.append(_perform(subject))
            require(
                _state() == before,
                f"{subject.label} uses a global generator of random numbers; use the seed or rng "
                "that it is given",
            )
    require(
        found[0] == found[1],
        f"{subject.label} depends on a global generator of random numbers",
    )


def check_nothing_printed(subject: Subject) -> None:
    """Nothing is written to stdout or stderr."""
    _perform(subject)  # what an import or a compilation prints is not the plugin's
    with tempfile.TemporaryFile() as file:
        with _caught(file.fileno()):
            _perform(subject)
        file.seek(0)
        text = file.read().decode(errors="replace").strip()
    first = text.partition("\n")[0]
    require(not text, f"{subject.label} prints {first!r}; an algorithm warns by ModelWarning")


def _perform(subject: Subject) -> Any:
    """Do once what a spec is for, with fixed seeds; something that can be compared."""
    if subject.noun == "algorithm":
        return _call(subject)
    if subject.noun == "metric":
        return repr(usual_value(subject))  # NaN is equal to itself
    if subject.noun == "oracle":
        return say(subject)
    return make(subject, DATA_SEED).digest()


def _call(subject: Subject) -> Any:
    """Call an algorithm, without the seeds that a cell gives the global generators."""
    heard = heard_of(subject)[0]
    usual(subject, heard)
    problem = heard.problem()
    oracle = make_oracle(heard.answers(problem), None)
    given, rng = give(problem, hints(subject)), np.random.default_rng(SEED)
    with collect_notes():
        returned = subject.spec.load()(oracle, given, rng, **subject.params)
    return returned.tolist() if isinstance(returned, np.ndarray) else returned


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """The global generators with a seed, and then as they were."""
    before = random.getstate(), np.random.get_state()  # noqa: NPY002
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002
    try:
        yield
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])  # noqa: NPY002


def _state() -> tuple[Any, ...]:
    numpys = np.random.get_state(legacy=False)  # noqa: NPY002
    return random.getstate(), repr(numpys), numpys["state"]["key"].tobytes()


@contextmanager
def _caught(descriptor: int) -> Iterator[None]:
    """Whatever is written to stdout and stderr, by C as well, goes to a descriptor."""
    try:
        kept = [(number, os.dup(number)) for number in (1, 2)]
    except OSError:
        skip("this process has no stdout or stderr")
    _flush()
    with open(os.dup(descriptor), "w", buffering=1) as file:
        for number, _ in kept:
            os.dup2(descriptor, number)
        try:
            with redirect_stdout(file), redirect_stderr(file):
                yield
        finally:
            _flush()
            for number, copy in kept:
                os.dup2(copy, number)
                os.close(copy)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError, OSError):
            stream.flush()
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).fflush(None)


CHECKS = (check_global_random_state, check_nothing_printed)
