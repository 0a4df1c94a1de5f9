"""Nested releases by annealing: whole classes of an earlier one change their pattern.

Method: ``within_annealing``. Read it for what is changed at a time, and for what it
starts from; prices and patterns are those of ``starmin.models.within``.
"""

from starmin.instances.runs.method import Method

WITHIN_ANNEALING = Method(
    "starmin.heuristics.within.within_annealing",
    "heuristic",
    requirements=("within",),
    objectives=("stars", "gcp"),
    guarantee="none beforehand; the bound of within_prices comes with it",
    reach="20,000,000 pairs of a class and a pattern that it fits",
    source="simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983) of dealt classes",
)

METHODS = (WITHIN_ANNEALING,)
