"""The spec of the generative model of Gray et al. 2023."""

from __future__ import annotations

from hcbench import DatasetSpec, Parameter
from hcbench_vectors.references import PAPERS

PAPERS_TREE = "((1:5,2:2,3:2)6:2,(4:0.5,5:7)7:1)8:1"
"""Section 4 and appendix D.1: vertex 8 is the root; X_j(1) ~ N(X_j(6), 5) and so on."""

GRAY_SIMULATED = DatasetSpec(
    name="gray-simulated",
    function="hcbench_vectors.simulated:gray_simulated",
    doc="Noisy vectors around the vertices of a random tree; the truth has its exact heights.",
    parameters=(
        Parameter("n", 1000, "Items.", interval="[2, inf)"),
        Parameter("p", 1000, "Coordinates.", interval="[1, inf)"),
        Parameter(
            "tree",
            PAPERS_TREE,
            "Newick with a name at every vertex; a branch length is the variance of the step.",
        ),
        Parameter(
            "observed", (), "The vertices that have items; inner ones are allowed; default leaves."
        ),
        Parameter("probabilities", (), "For the observed vertices, in order; default equal."),
        Parameter("balanced", False, "Whether vertices have fixed, not random, numbers of items."),
        Parameter(
            "noise",
            "additive",
            "X + S E (eq. 1), gamma X (eq. 29), or gamma X + S E (E.4).",
            choices=("additive", "multiplicative", "both"),
        ),
        Parameter(
            "sigma",
            1.0,
            "Standard deviation of S E: one number, or [[...]] with one for each observed vertex.",
            interval="[0, inf)",
            alternative="list",
        ),
        Parameter(
            "correlation",
            0.0,
            "Correlation of S E in neighbouring coordinates; it decays as correlation^|j - k|.",
            interval="(-1, 1)",
        ),
        Parameter(
            "tails",
            None,
            "Degrees of freedom of Student's t for E, of variance 1; by default E is normal.",
            type="float",
            interval="(2, inf)",
        ),
        Parameter(
            "window",
            1,
            "X_j(v) is a moving average over this many coordinates: those farther apart are "
            "independent.",
            interval="[1, inf)",
        ),
        Parameter(
            "S",
            None,
            "An .npy file with the matrix S, or with one for each observed vertex; "
            "instead of sigma and correlation.",
            type="str",
        ),
        Parameter("gamma", "lognormal", "The law of gamma.", choices=("lognormal", "uniform")),
        Parameter(
            "gamma_spread",
            0.5,
            "Standard deviation of log gamma, or half the width of the uniform law around 1.",
            interval="[0, inf)",
        ),
        Parameter(
            "unit_heights",
            False,
            "Lengthen the branches of observed leaves and rescale, so that E|X(z)|^2/p = 1.",
        ),
    ),
    provides=("vectors", "levels", "truth", "heights"),
    files=("S",),
    paper=PAPERS["gray2023"],
    tags=("simulated",),
)
