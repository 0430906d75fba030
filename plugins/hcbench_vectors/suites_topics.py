"""Figure 3 of Gray et al. 2023 as a suite: similarity of the topics of 20 Newsgroups."""

from __future__ import annotations

from hcbench import Claim, Figure, Suite
from hcbench_vectors.data_specs import GRAY_2023
from hcbench_vectors.suites_tables import NEWSGROUPS

DOCUMENTS = f"{NEWSGROUPS[:-1]}, pca=34]"
TOPICS = f"{NEWSGROUPS[:-1]}, by=topic, pca=34]"

WINDOWS = 5
"""Index of comp.windows.x in the alphabetical order of topics."""

_BY_DOT_PRODUCT = f"related-neighbours[of={WINDOWS}]"
_BY_DISTANCE = f"related-neighbours[of={WINDOWS}, by=euclidean]"

FIGURE_3 = Suite(
    name="gray2023-figure3",
    doc="Figure 3: topics of 20 Newsgroups by mean dot product and by mean Euclidean distance of "
    "34 PC scores. Means are over pairs of different documents.",
    algorithms=("DotProduct", "UPGMA"),
    datasets=(DOCUMENTS, TOPICS),
    metrics=(_BY_DOT_PRODUCT, _BY_DISTANCE, "kendall-tau-b"),
    only=(("UPGMA", TOPICS),),
    repetitions=1,
    claims=(
        Claim(
            claim="Figure 3(c): four of the five topics closest to comp.windows.x are of comp",
            algorithm="DotProduct",
            dataset=DOCUMENTS,
            metric=_BY_DOT_PRODUCT,
            paper="4",
            note="the other one, sci.crypt in the paper, is visible in the figure",
        ),
        Claim(
            claim="Figure 3(d): in Euclidean distance, the others of comp are not as close",
            algorithm="DotProduct",
            dataset=DOCUMENTS,
            metric=_BY_DISTANCE,
            than_metric=_BY_DOT_PRODUCT,
            relation="<",
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
    paper=GRAY_2023,
)
