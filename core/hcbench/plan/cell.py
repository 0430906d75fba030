"""One unit of work, with its seeds and the key under which its result is stored."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Any

from hcbench.model.cost import Budget, split_budget
from hcbench.plan.seeds import derive_seed
from hcbench.registry.metric_specs import MetricSpec
from hcbench.registry.specs import AlgorithmSpec, DatasetSpec, OracleSpec, load_function, unmet
from hcbench.registry.uses import Use


@dataclass(frozen=True, eq=False)
class Cell:
    """One unit of work: an algorithm, on a data set, through an oracle, once.

    Its key holds everything that decides the result, so that a stored result is found again, and
    nothing else: not the metrics, not the limits, not the other cells.

    Examples
    --------
    >>> suite = hcbench.Suite(name="small", algorithms=("UPGMA",), datasets=("shapes[n=20]",))
    >>> plan = hcbench.plan.make_plan(suite, hcbench.load_registry())
    >>> cell = plan.cells[0]
    >>> cell.labels
    ('UPGMA', 'shapes[n=20]', 'vectors')
    >>> len(cell.key)
    32
    """

    algorithm: Use[AlgorithmSpec]
    dataset: Use[DatasetSpec]
    oracle: Use[OracleSpec]
    repetition: int
    seed: int
    budget: Budget | None
    checkpoints: tuple[int, ...]
    metrics: tuple[Use[MetricSpec], ...]
    threads: int = 1

    @cached_property
    def key(self) -> str:
        """32 hexadecimal digits."""
        identities = (self.algorithm.identity, self.dataset.identity, self.oracle.identity)
        shared: tuple[object, ...] = (self.seed, self.budget, self.checkpoints)
        if self.threads > 1:
            # One thread is not mentioned, as cells once had no other number.
            shared += (self.threads,)
        # The repetitions of a cell differ in one number: the rest is digested once for all.
        beginning, end = _parts_of_key(identities, shared)
        digest = beginning.copy()
        digest.update(b"%d%b" % (self.repetition, end))
        return digest.hexdigest()

    @property
    def labels(self) -> tuple[str, str, str]:
        """Of algorithm, data set and oracle."""
        return self.algorithm.label, self.dataset.label, self.oracle.label

    @property
    def data_key(self) -> str:
        """Names the data: cells with the same use the same data."""
        return f"{self.dataset.identity}/{self.data_seed}"

    @property
    def data_seed(self) -> int:
        """The same for all that use these data; for fixed data the same in all repetitions."""
        return data_seed(self.dataset, self.seed, self.repetition)

    @property
    def noise_seed(self) -> int:
        """The same for all that ask this oracle about these data."""
        return derive_seed(
            self.seed, "noise", self.dataset.seed_name, self.oracle.seed_name, self.repetition
        )

    @property
    def algorithm_seed(self) -> int:
        """The same for all algorithms on these data."""
        return derive_seed(self.seed, "algorithm", self.dataset.seed_name, self.repetition)

    @property
    def expected_price(self) -> float | None:
        """What the answers are expected to cost at most; 0 if they are free, None if unknown."""
        oracle = self.oracle.spec
        if not oracle.currency:
            return 0.0

        # The budget and the expected number of queries both limit it: the smaller one counts.
        bounds = []
        if isinstance(self.budget, str):
            amount, unit = split_budget(self.budget)
            if unit == oracle.currency:
                bounds.append(float(amount))

        n_queries = self._most_queries()
        if n_queries is not None and oracle.price is not None:
            price_of_answer = float(load_function(oracle.price)(**self.oracle.params))
            bounds.append(n_queries * price_of_answer)
        return min(bounds, default=None)

    def _most_queries(self) -> int | None:
        """The queries that are expected at most; None if their number is unknown."""
        bounds = []
        if isinstance(self.budget, int):
            bounds.append(self.budget)
        # No data exist yet: the number of items is known if it is a parameter of the data set.
        n = self.dataset.params.get("n")
        if isinstance(n, int):
            # The number, and whether it is a bound; None where the algorithm declares none.
            expected = self.algorithm.spec.expected_queries(n, self.algorithm.params)
            if expected is not None:
                bounds.append(math.ceil(expected[0]))
        return min(bounds, default=None)

    @property
    def expected_bytes(self) -> float | None:
        """The memory that the call takes, as its algorithm declares; None if that is unknown."""
        memory = self.algorithm.spec.memory
        n = self.dataset.params.get("n")
        if memory is None or not isinstance(n, int):
            return None
        return float(load_function(memory)(n, **self.algorithm.params))

    @property
    def secrets(self) -> frozenset[str]:
        """The environment variables with secrets that its specs declare, with wildcards."""
        names = set(self.algorithm.spec.secrets)
        names.update(self.dataset.spec.secrets)
        names.update(self.oracle.spec.secrets)
        for metric in self.metrics:
            names.update(metric.spec.secrets)
        return frozenset(names)

    def why_inapplicable(self, metric: Use[MetricSpec]) -> str:
        """Why a metric cannot score the results of this cell; "" if it can."""
        # What the data set declares; no data exist yet.
        provided = self.dataset.provides
        missing = unmet(metric.spec.needs, provided)
        if missing:
            return f"needs {missing}, which the data set does not provide"
        returns = self.algorithm.spec.returns
        if metric.spec.result not in ("any", returns):
            return f"judges a {metric.spec.result}; the result is a {returns}"
        return ""

    def describe(self) -> dict[str, Any]:
        """In plain values, as it is stored: enough to make it again."""
        return {
            "algorithm": _describe_use(self.algorithm),
            "dataset": _describe_use(self.dataset),
            "oracle": _describe_use(self.oracle),
            "checkpoints": list(self.checkpoints),
            "threads": self.threads,
            "hints": list(self.algorithm.spec.hints_of(self.algorithm.params)),
            "data_seed": self.data_seed,
            "noise_seed": self.noise_seed,
            "algorithm_seed": self.algorithm_seed,
        }


def _describe_use(use: Use[Any]) -> dict[str, Any]:
    """What a cell uses, in plain values."""
    return {
        "name": f"{use.plugin.distribution}:{use.spec.name}",
        "params": dict(use.params),
        "editions": dict(use.fingerprints),
        "digests": dict(use.digests),
    }


@lru_cache(maxsize=1024)
def _parts_of_key(identities: tuple[str, ...], shared: tuple[object, ...]) -> tuple[blake2b, bytes]:
    """What the keys of all repetitions share: the digest of what precedes the number, and the rest.

    A key is the digest of ``[algorithm, dataset, oracle, repetition, seed, budget, checkpoints]``,
    written as JSON.
    """
    # The closing bracket of the first list and the opening one of the second are left out, so that
    # both are parts of one list with the number between them.
    before = json.dumps(identities)[:-1]
    after = json.dumps(shared)[1:]
    return blake2b(f"{before}, ".encode(), digest_size=16), f", {after}".encode()


def data_seed(dataset: Use[DatasetSpec], seed: int, repetition: int) -> int:
    """The seed of a data set in a repetition; for fixed data the same in all."""
    if not dataset.is_random:
        repetition = 0
    return derive_seed(seed, "data", dataset.seed_name, repetition)


def as_tuples(described: Any) -> Any:
    """Plain values that were read from JSON, which has lists where parameters have tuples."""
    if isinstance(described, Mapping):
        return {key: as_tuples(item) for key, item in described.items()}
    # A text is a sequence of texts without end.
    if isinstance(described, Sequence) and not isinstance(described, str):
        return tuple(map(as_tuples, described))
    return described
