"""Dives along Lagrangian prices: rows are dealt where prices leave no doubt.

``lagrangian_diving`` is the method; read it first. ``dive`` is one dive, plain or with
a look ahead, ``group_neighbourhoods`` deal the rows of some groups anew.
"""

from starmin.instances.runs.method import Method

LAGRANGIAN_DIVING = Method(
    "starmin.heuristics.diving.lagrangian_diving",
    "heuristic",
    requirements=("l", "k+l"),
    objectives=("stars", "gcp"),
    guarantee="none",
    reach="30,000 rows x 7 quasi-identifiers in seconds",
    source="here; after Caprara, Fischetti, Toth 1999",
    aliases=("price_diving",),
    counted=True,
)

METHODS = (LAGRANGIAN_DIVING,)
