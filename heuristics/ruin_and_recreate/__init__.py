"""Ruin and recreate: groups near to one another are broken up and built anew.

``ruin_and_recreate`` is the method; read it first. It also improves good releases in
parts, with several threads. ``ruin_search`` goes through its time. ``ruin_rows`` has
all rows or a part of them: what they lose together, for each type those that it loses
little with, and what prices of the Lagrangian bound tell the moves. ``group_state``
holds the groups, ``ruin_moves`` breaks them up and builds them anew, in place, and has
the constants.
"""

from starmin.instances.runs.method import Method, Need

RUIN_AND_RECREATE = Method(
    "starmin.heuristics.ruin_and_recreate.ruin_and_recreate",
    "heuristic",
    requirements=("k", "l", "k+l"),
    objectives=("stars", "gcp"),
    guarantee="none; never worse than its start",
    reach="30,000 rows x 24 quasi-identifiers; 100,000 rows in minutes",
    source="Schrimpf, Schneider, Stamm-Wilbrandt, Dueck 2000",
    # A move builds two groups anew, row by row: too slow where they are larger.
    needs=(Need("cells", a_second=500_000), Need("group", most=2_000)),
    pauses=True,
)

METHODS = (RUIN_AND_RECREATE,)
