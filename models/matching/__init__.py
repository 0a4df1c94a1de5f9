"""Exact methods that match rows: by matchings, factors and assignments.

Methods: ``bipartite_matching`` (read it first) and ``general_factor``;
``simplex_matching`` at scale; ``assignment_mip`` (rows to groups, in PuLP) and
``pairwise_cp`` (pairs of rows, in CP-SAT), textbook formulations for tiny tables as
independent second opinions. ``two_factor`` serves the heuristic ``factor_cover``.

``pairs_and_triples`` lists the pairs and triples that prices pay too much for, and
finds cuts. ``packing_releases`` is their linear program; it makes a certificate of its
prices, and releases of its solutions. ``group_costs`` tells what any group of row types
costs.
"""

from starmin.instances.releases.objective_kinds import BY_STARS
from starmin.instances.runs.method import Method, Need

GENERAL_FACTOR = Method(
    "starmin.models.matching.general_factor",
    "exact",
    requirements=("k",),
    objectives=BY_STARS,
    guarantee="optimal; for k = 2, in polynomial time",
    reach="100 rows",
    source="Blocki, Williams 2010; Dudycz, Paluch 2018",
)

BIPARTITE_MATCHING = Method(
    "starmin.models.matching.bipartite_matching",
    "exact",
    requirements=("l", "k+l"),
    objectives=("stars",),
    guarantee="optimal; for l = 2 and two sensitive values, in polynomial time",
    reach="100,000 rows x 6 quasi-identifiers",
    source="Xiao, Yi, Tao 2010",
    pauses=True,
)

SIMPLEX_MATCHING = Method(
    "starmin.models.matching.simplex_matching",
    "exact",
    requirements=("k", "l", "k+l"),
    objectives=("stars", "gcp"),
    guarantee="optimal, for k = l = 2, if few pairs and triples are left; else a bound",
    reach="30,000 rows x 8 or 16 quasi-identifiers, with or without hierarchies",
    source="here; Anshelevich, Karagiozova 2011; Edmonds 1965",
    solver="HiGHS",
    needs=(Need("group", most=2), Need("couples", a_second=6_000_000)),
)

PAIRWISE_CP = Method(
    "starmin.models.matching.pairwise_cp",
    "exact",
    requirements=("k", "l", "k+l"),
    objectives=BY_STARS,
    guarantee="optimal",
    reach="20 rows",
    source="starmin",
    aliases=("cp_sat",),
    solver="CP-SAT",
)

ASSIGNMENT_MIP = Method(
    "starmin.models.matching.assignment_mip",
    "exact",
    requirements=("k", "l", "k+l"),
    objectives=BY_STARS,
    guarantee="optimal",
    reach="10 rows; any solver of pulp, and export",
    source="textbook",
    solver="HiGHS, or another one of PuLP",
)

METHODS = (
    GENERAL_FACTOR,
    BIPARTITE_MATCHING,
    SIMPLEX_MATCHING,
    PAIRWISE_CP,
    ASSIGNMENT_MIP,
)
