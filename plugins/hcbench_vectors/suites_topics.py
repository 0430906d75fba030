"""Figure 3 of Gray et al. 2023 as a suite: similarity of the topics of 20 Newsgroups."""

from __future__ import annotations

from hcbench import Claim, Figure, Suite
from hcbench_vectors.references import PAPERS
from hcbench_vectors.suites_tables import NEWSGROUPS

DOCUMENTS = f"{NEWSGROUPS[:-1]}, pca=34]"
TOPICS = f"{NEWSGROUPS[:-1]}, by=topic, pca=34]"

WINDOWS = 5
"""Index of comp.windows.x in the alphabetical order of topics."""

_OF_WINDOWS = f"related-neighbours[of={WINDOWS}]"
_OF_WINDOWS_BY_DISTANCE = f"related-neighbours[of={WINDOWS}, by=euclidean]"
_BY_DISTANCE = "related-neighbours[by=euclidean]"

FIGURE_3 = Suite(
    name="gray2023-figure3",
    doc="Figure 3: topics of 20 Newsgroups by mean dot product and by mean Euclidean distance of "
    "34 PC scores. Means are over pairs of different documents.",
    algorithms=("DotProduct", "UPGMA"),
    datasets=(DOCUMENTS, TOPICS),
    metrics=(
        "related-neighbours",
        _BY_DISTANCE,
        _OF_WINDOWS,
        _OF_WINDOWS_BY_DISTANCE,
        "kendall-tau-b",
    ),
    only=(("UPGMA", TOPICS),),
    repetitions=2,  # deterministic, which two equal ones show
    claims=(
        Claim(
            claim="Figure 3(c): four of the five topics closest to comp.windows.x are of comp",
            algorithm="DotProduct",
            dataset=DOCUMENTS,
            metric=_OF_WINDOWS,
            paper="4",
            note="the other one, sci.crypt in the paper, is visible in the figure",
        ),
        Claim(
            claim="Figure 3(d): in Euclidean distance, the others of comp are not as close",
            algorithm="DotProduct",
            dataset=DOCUMENTS,
            metric=_OF_WINDOWS_BY_DISTANCE,
            than_metric=_OF_WINDOWS,
            relation="<",
        ),
        Claim(
            claim="Figure 3(a)-(b): more of the five closest topics are of the same class by dot "
            "product than by distance",
            algorithm="DotProduct",
            dataset=DOCUMENTS,
            metric="related-neighbours",
            than_metric=_BY_DISTANCE,
            relation=">",
            note="mean over the 17 topics of comp, rec, sci and talk; not of each: of rec and "
            "of two topics of sci fewer are",
        ),
    ),
    figures=(
        Figure(
            name="gray2023-figure3ab",
            doc="For each topic the five with largest mean dot product, or smallest distance.",
            function="hcbench_vectors.figures_topics:closest_topics",
            claims=("Figure 3(a)",),
        ),
        Figure(
            name="gray2023-figure3cd",
            doc="Mean dot product and mean distance of comp.windows.x and all topics.",
            function="hcbench_vectors.figures_topics:one_topic",
            claims=("Figure 3(c)", "Figure 3(d)"),
        ),
        Figure(
            name="gray2023-figure3ef",
            doc="Dendrograms of the topics' mean PC scores, by dot products and by UPGMA.",
            function="hcbench_vectors.figures_topics:dendrograms",
        ),
    ),
    paper=PAPERS["gray2023"],
)
