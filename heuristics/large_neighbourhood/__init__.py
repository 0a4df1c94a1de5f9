"""Adaptive large neighbourhood search: parts of a release are solved anew.

``large_neighbourhood`` is the method; read it first. ``operator_schedule`` lets several
searches take turns; ``chain_operator`` moves rows along ejection chains
(``chain_moves``, ``ejection_chains``, ``chain_search``, ``chain_state``).
"""

from instances.runs.method import Method

LARGE_NEIGHBOURHOOD = Method(
    "heuristics.large_neighbourhood.large_neighbourhood",
    "heuristic",
    requirements=("k", "l", "k+l"),
    objectives=("stars", "gcp"),
    guarantee="none; never worse than its start",
    reach="30,000 rows x 8 QI columns",
    source="starmin",
)

METHODS = (LARGE_NEIGHBOURHOOD,)
