"""2-anonymity and 2-diversity at scale: pairs and triples of row types, odd sets.

Method: ``simplex_matching``. ``pairs_and_triples`` lists the pairs and triples that
prices pay too much for, and finds cuts. ``integer`` is the linear program; it makes a
certificate of its prices, and releases of its solutions. ``group_costs`` tells what any
group of row types costs.
"""

from starmin.instances.runs.method import Method, Need

SIMPLEX_MATCHING = Method(
    "starmin.models.simplex_matching.simplex_matching",
    "exact",
    requirements=("k", "l", "k+l"),
    objectives=("stars", "gcp"),
    guarantee="optimal, for k = l = 2, if few pairs and triples are left; else a bound",
    reach="30,000 rows x 8 or 16 quasi-identifiers, with or without hierarchies",
    source="here; Anshelevich, Karagiozova 2011; Edmonds 1965",
    solver="HiGHS",
    needs=(Need("group", most=2), Need("couples", a_second=6_000_000)),
)

METHODS = (SIMPLEX_MATCHING,)
