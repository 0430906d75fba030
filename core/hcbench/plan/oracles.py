"""Which oracles an algorithm can ask about a data set, from what their specs declare."""

from __future__ import annotations

from collections.abc import Sequence

from hcbench.registry import Registry
from hcbench.registry.fingerprint import installation
from hcbench.registry.parameters import Value
from hcbench.registry.specs import AlgorithmSpec, OracleSpec, is_data, unmet
from hcbench.registry.uses import Use


def choose_oracles(
    algorithm: Use[AlgorithmSpec],
    provided: frozenset[str],
    source: str,
    requested: Sequence[Use[OracleSpec]],
    registry: Registry,
    n: Value = None,
) -> tuple[list[Use[OracleSpec]], list[tuple[str, str]]]:
    """The oracles for an algorithm on a data set, and why requested ones are inapplicable.

    All requested ones of an accepted kind; where none of those is requested, the first kind in
    the algorithm's own order that the data set can provide.

    Parameters
    ----------
    algorithm : Use
    provided : frozenset of str
        What the data set provides.
    source : str
        Its name, for the reason.
    requested : sequence of Use
    registry : Registry
    n : int, optional
        How many items it has, if that is known; otherwise the worker checks it.

    Returns
    -------
    able : list of Use
    unable : list of (label, reason)
        Requested oracles that are inapplicable; "" if the algorithm has none at all.
    """
    # First what holds for the algorithm whatever the oracle: its reason has no oracle's label.
    spec = algorithm.spec
    command = installation(spec.requires)
    if command:
        return [], [("", f"{algorithm.label} needs what is not installed: {command}")]
    if isinstance(n, int) and n < spec.min_items:
        why = f"{algorithm.label} needs {spec.min_items} items or more, and {source} has {n}"
        return [], [("", why)]
    missing = unmet(_needs_of(algorithm), provided)
    if missing:
        return [], [("", f"{algorithm.label} needs {missing}, which {source} does not provide")]
    able = []
    unable = []
    for oracle in requested:
        if oracle.spec.kind not in spec.accepts:
            # Requested for other algorithms: no reason to show.
            continue
        reason = _why_unusable(oracle, provided, source)
        if reason:
            unable.append((oracle.label, reason))
        else:
            able.append(oracle)
    # An accepted one that was requested and cannot be used is not replaced silently.
    if able or unable:
        return able, unable
    for kind in spec.accepts:
        default = _default_oracle(kind, provided, registry)
        if default is not None:
            return [default], []
    reason = (
        f"{algorithm.label} accepts {', '.join(spec.accepts)}; "
        f"{source} provides {', '.join(sorted(provided)) or 'nothing'}"
    )
    return [], [("", reason)]


def _needs_of(algorithm: Use[AlgorithmSpec]) -> tuple[str, ...]:
    """What a data set must provide for an algorithm, and for the hints that it receives."""
    needs: list[str] = list(algorithm.spec.needs)
    for hint in algorithm.spec.hints_of(algorithm.params):
        if is_data(hint):
            needs.append(hint)
        else:
            # A part of the truth, such as the number of clusters.
            needs.append("truth")
    return tuple(needs)


def _default_oracle(
    kind: str, provided: frozenset[str], registry: Registry
) -> Use[OracleSpec] | None:
    """The oracle of a kind for data that provide so much, if no oracle is requested."""
    entries = []
    for entry in registry.oracles.entries:
        if entry.spec.kind != kind:
            continue
        # A required parameter has no value unless the oracle is requested with one.
        needs_value = any(parameter.required for parameter in entry.spec.parameters)
        # Nobody is asked, and nothing paid, without a request.
        if not entry.spec.is_live and not needs_value:
            entries.append(entry)
    # First the one that is named like its kind.
    entries.sort(key=lambda entry: (entry.spec.name != kind, entry.spec.name))
    for entry in entries:
        if unmet(entry.spec.needs, provided) is None:
            return entry.use({})
    return None


def _why_unusable(oracle: Use[OracleSpec], provided: frozenset[str], source: str) -> str:
    """Why an oracle cannot be asked about a data set; "" if it can."""
    command = installation(oracle.spec.requires)
    if command:
        return f"{oracle.label} needs what is not installed: {command}"
    missing = unmet(oracle.spec.needs, provided)
    if missing is None:
        return ""
    return f"{oracle.label} needs {missing}, which {source} does not provide"
