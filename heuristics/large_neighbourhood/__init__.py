"""Adaptive large neighbourhood search: parts of a release are solved anew.

``large_neighbourhood`` is the method; read it first. It searches for k-anonymity in
``round_search``, and for l-diversity by ``budgets``, whole searches with more and more
time; ``means`` is what both work with, ``neighbourhood_params`` are the constants of
all of them.

Rounds of annealing are followed by ``turns`` of recombination and neighbourhoods, while
cuts raise the bound beside them; ``round_search`` also has what comes first where
losses have too many patterns to list, ``budgets`` the prices for l-diversity and dives
by rough ones. ``operator_schedule`` shares the time among operators; one of them moves
rows along ``starmin.heuristics.ejection_chains``.
"""

from starmin.instances.runs.method import Method, Need

LARGE_NEIGHBOURHOOD = Method(
    "starmin.heuristics.large_neighbourhood.large_neighbourhood",
    "heuristic",
    requirements=("k", "l", "k+l"),
    objectives=("stars", "gcp"),
    guarantee="none; never worse than its start",
    reach="30,000 rows x 8 quasi-identifiers, with or without hierarchies",
    source="starmin",
    counted=True,
    needs=(Need("pairs", a_second=200_000_000, must=False),),
    pauses=True,
)

METHODS = (LARGE_NEIGHBOURHOOD,)
