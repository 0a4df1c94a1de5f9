"""Adaptive large neighbourhood search: parts of a release are solved anew.

``large_neighbourhood`` is the method; read it first. It searches for k-anonymity in
``round_search``, and for l-diversity by ``budgets``, whole searches with more and more
time; ``neighbourhood_params`` has what both work with, and the constants of all.

Rounds of annealing are followed by turns of recombination and neighbourhoods, while
cuts raise the bound beside them; ``round_search`` also has what comes first where
losses have too many patterns to list, ``budgets`` the prices for l-diversity and dives
by rough ones. ``operator_schedule`` shares the time among operators.

``recombination`` takes the best of each region (``release_parts``) from many releases.
Rows move along ejection chains from pattern to pattern: ``ejection_moves`` closes and
opens patterns, in ``ejection_insertion`` a row enters a pattern and another leaves it
for the next one, ``ejection_state`` is what both change, in place.

``box_neighbourhoods`` is a method, too: groups near to one another are solved to
optimality by the program of boxes. It remembers which cannot be improved.
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

BOX_NEIGHBOURHOODS = Method(
    "starmin.heuristics.large_neighbourhood.box_neighbourhoods",
    "heuristic",
    requirements=("k", "l", "k+l", "distinct", "distinct+k"),
    objectives=("stars", "gcp"),
    guarantee="none; never worse than its start",
    reach="2,000 rows x 4 columns with ranges; gains where other searches have ended",
    source="starmin; Shaw 1998 (large neighbourhoods)",
    needs=(Need("rows", a_second=20),),
    pauses=True,
)

METHODS = (LARGE_NEIGHBOURHOOD, BOX_NEIGHBOURHOODS)
