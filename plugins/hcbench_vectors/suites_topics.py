"""Figure 3 of Gray et al. 2023 as a suite: similarity of the topics of 20 Newsgroups."""

from __future__ import annotations

from hcbench import Claim, Figure, Suite
from hcbench_vectors.references import PAPERS
from hcbench_vectors.suites_tables import NEWSGROUPS

DOCUMENTS = f"{NEWSGROUPS[:-1]}, pca=34]"
TOPICS = f"{NEWSGROUPS[:-1]}, by=topic, pca=34]"

WINDOWS = 5
"""Index of comp.windows.x in the alphabetical order of topics."""

CLASSES = {
    "comp": (1, 2, 3, 4, 5),
    "rec": (7, 8, 9, 10),
    "sci": (11, 12, 13, 14),
    "talk": (16, 17, 18, 19),
}
"""Indices of the topics of each class of several."""


def _by_dot_product(topic: int) -> str:
    return f"related-neighbours[of={topic}]"


def _by_distance(topic: int) -> str:
    return f"related-neighbours[of={topic}, by=euclidean]"


_ALL_TOPICS = tuple(topic for topics in CLASSES.values() for topic in topics)
_NO_CLUSTER = (
    "open: of rec and of two topics of sci fewer of the five closest are of their class by dot "
    "product than by distance, in the authors' matrix with 34 scores; over all topics of these "
    "classes there are 41 by dot product and 25 by distance. With squared distances, the topic "
    "itself as one of the five, distances of mean scores, or vectors without PCA, at most one "
    "topic of rec has more by dot product"
)

FIGURE_3 = Suite(
    name="gray2023-figure3",
    doc="Figure 3: topics of 20 Newsgroups by mean dot product and by mean Euclidean distance of "
    "34 PC scores. Means are over pairs of different documents.",
    algorithms=("DotProduct", "UPGMA"),
    datasets=(DOCUMENTS, TOPICS),
    metrics=(
        *map(_by_dot_product, _ALL_TOPICS),
        *map(_by_distance, _ALL_TOPICS),
        "kendall-tau-b",
    ),
    only=(("UPGMA", TOPICS),),
    repetitions=2,  # deterministic, which two equal ones show
    claims=(
        Claim(
            claim="Figure 3(c): four of the five topics closest to comp.windows.x are of comp",
            algorithm="DotProduct",
            dataset=DOCUMENTS,
            metric=_by_dot_product(WINDOWS),
            paper="4",
            note="the other one, sci.crypt in the paper, is visible in the figure",
        ),
        Claim(
            claim="Figure 3(d): in Euclidean distance, the others of comp are not as close",
            algorithm="DotProduct",
            dataset=DOCUMENTS,
            metric=_by_distance(WINDOWS),
            than_metric=_by_dot_product(WINDOWS),
            relation="<",
        ),
        *(
            Claim(
                claim="Figure 3(a)-(b): more of the closest topics are of the same class by dot "
                f"product than by distance: {name}, topic {topic}",
                algorithm="DotProduct",
                dataset=DOCUMENTS,
                metric=_by_dot_product(topic),
                than_metric=_by_distance(topic),
                relation=">",
                explanation=_NO_CLUSTER,
                note="topics are numbered in alphabetical order, from 0",
            )
            for name, topics in CLASSES.items()
            for topic in topics
        ),
    ),
    figures=(
        Figure(
            name="gray2023-figure3ab",
            doc="For each topic the five with largest mean dot product, or smallest distance.",
            function="hcbench_vectors.figures_topics:closest_topics",
        ),
        Figure(
            name="gray2023-figure3cd",
            doc="Mean dot product and mean distance of comp.windows.x and all topics.",
            function="hcbench_vectors.figures_topics:one_topic",
        ),
        Figure(
            name="gray2023-figure3ef",
            doc="Dendrograms of the topics' mean PC scores, by dot products and by UPGMA.",
            function="hcbench_vectors.figures_topics:dendrograms",
        ),
    ),
    paper=PAPERS["gray2023"],
)
