"""What is recommended: methods, best first, and what can be said about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

#: A tree without any information: what is not better than it is not recommended.
BASELINE = "Random"
#: The metrics that decide if the data have labels or a true tree.
EXTERNAL = ("AARI", "dendrogram-purity", "triplet-agreement[count=resolved-in-truth]")
#: The metrics that decide otherwise.
INTERNAL = ("silhouette", "cophenetic-correlation", "dasgupta-normalised[similarity=gaussian]")
#: A replication of less is no recommendation: halves agree less than half way between data without
#: clusters and the same clusters.
LEAST_REPLICATION = 0.5
#: The metric that decides for the answers of a crowd without a truth.
OF_ANSWERS = ("held-out.satisfied",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """What one method did.

    Attributes
    ----------
    name : str
        Its label; with the distance if several are tried.
    algorithm, distance : str
        The label of the method in results, and the distance that the rows were scaled for.
    values : mapping of metric to float or None
        Means over the subsamples or divisions of what decides; None if a value is missing in any.
    score : float
        The mean over subsamples of `hcbench_recommend.deciding.score_methods`; methods are ordered
        by it.
    low, high : float or None
        The 95 % interval of how far it is behind the first; None if there is none.
    note : str
        Why there is no interval; "" if there is one.
    rank : float
        Mean over subsamples of its rank by score; 1 is the best.
    best : int
        Number of subsamples in which its score is the best, ties included.
    clusters : int or None
        The number of clusters that halves find again best; None if metrics decide.
    strength : float or None
        The prediction strength of these clusters.
    rand, reference : float or None
        The adjusted Rand index of these clusters and of those predicted from the other half, and
        that in data without clusters.
    stability : float or None
        Mean proportion of the triplets of common items on which its trees of two subsamples agree.
    seconds : float or None
        The time of a call on all items: the median of several calls, or one if that is long.
    peak_bytes : float or None
        The memory of a call on all items.
    reason : str
        Why it has no result on all items, or on some of the subsamples; "" if it has.
    """

    name: str
    algorithm: str
    distance: str
    values: Mapping[str, float | None]
    score: float
    low: float | None
    high: float | None
    note: str
    rank: float
    best: int
    clusters: int | None = None
    strength: float | None = None
    rand: float | None = None
    reference: float | None = None
    stability: float | None
    seconds: float | None
    peak_bytes: float | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """Methods, best first, and what can be said about them.

    Attributes
    ----------
    data : str
        The data set or file.
    methods : tuple of Method
        The methods, best first.
    metrics : tuple of str
        What decides: metrics, or ``replication`` and ``information``.
    distances : tuple of str
        The distances that were tried.
    undecided : tuple of str
        The first, and the methods that are not separated from it: a set that holds the best in 95 %
        of cases.
    subsamples : int
        The number of subsamples, or of divisions into halves.
    text : str
        The recommendation in words.
    sentences : tuple of str
        The recommendation, what it costs, how sure it is, by what it was found, and the notes.
    notes : tuple of str
        What to keep in mind; the last of the sentences.
    results : StoredResults
        The results on the subsamples; on all items if halves decide.
    """

    data: str
    methods: tuple[Method, ...]
    metrics: tuple[str, ...]
    distances: tuple[str, ...]
    undecided: tuple[str, ...]
    subsamples: int
    text: str
    sentences: tuple[str, ...]
    notes: tuple[str, ...]
    results: Any

    @property
    def is_replicated(self) -> bool:
        """Whether halves of the items decide, and no metrics."""
        return "replication" in self.metrics

    def to_dict(self) -> dict[str, Any]:
        """All but the results, for JSON."""
        return {
            "data": self.data,
            "recommendation": self.text,
            "sentences": list(self.sentences),
            "notes": list(self.notes),
            "undecided": list(self.undecided),
            "subsamples": self.subsamples,
            "metrics": list(self.metrics),
            "distances": list(self.distances),
            "methods": [asdict(method) for method in self.methods],
        }
