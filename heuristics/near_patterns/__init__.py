"""Annealing on the patterns near each row type's least cost: for millions of types.

``near_pattern_annealing`` is the method. ``search_parts`` is what it does to one table,
or to the parts of one that is too large for the memory, and has the constants.
``memory`` cuts tables, and is what a checkpoint keeps.
"""

from starmin.instances.runs.method import Method

NEAR_PATTERN_ANNEALING = Method(
    "starmin.heuristics.near_patterns.near_pattern_annealing",
    "heuristic",
    requirements=("k",),
    objectives=("stars",),
    guarantee="none; with a lower bound of its own",
    reach="millions of distinct rows x 8 quasi-identifiers in minutes",
    source="here; simulated annealing and Lagrangian prices on a thin list of patterns",
    counted=True,
)

METHODS = (NEAR_PATTERN_ANNEALING,)
