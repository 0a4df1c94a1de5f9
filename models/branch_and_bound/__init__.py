"""Branch and bound whose tree is a proof.

Method: ``branch_and_bound`` (read it first). ``prove`` serves other methods as well.
What the root leaves is searched: ``tree_certificate`` grows the tree and writes it,
each ``node_solver`` being a worker, which offers the splits of a node;
``tree_relaxation`` solves a node; ``multipliers`` has the open nodes, and computes in
whole numbers what a node proves.
"""

from starmin.instances.releases.objective_kinds import ANY_OBJECTIVE
from starmin.instances.runs.method import Method, Need

BRANCH_AND_BOUND = Method(
    "starmin.models.branch_and_bound.branch_and_bound",
    "exact",
    requirements=(
        *("k", "l", "k+l"),
        *("distinct", "distinct+k", "distinct+l", "distinct+k+l"),
    ),
    objectives=ANY_OBJECTIVE,
    guarantee="optimal, with a certificate of it",
    reach="30,000 rows x 4-5 quasi-identifiers where the relaxation is nearly tight",
    source="Land, Doig 1960; Fisher 1981",
    needs=(Need("pairs", a_second=2_000_000), Need("types", most=10_000)),
    pauses=True,
)

METHODS = (BRANCH_AND_BOUND,)
