"""Simulated annealing over sets of open patterns.

``pattern_annealing`` is the method; read it first. ``state`` holds the rows dealt to
patterns and its log of changes, ``moves`` proposes, ``repair`` fills patterns that lack
rows, ``start`` makes a state of a partition and back.
"""

from instances.runs.method import Method

PATTERN_ANNEALING = Method(
    "heuristics.annealing.pattern_annealing",
    "heuristic",
    requirements=("k", "l", "k+l"),
    objectives=("stars", "gcp"),
    guarantee="none",
    reach="30,000 rows x 8 QI columns in seconds",
    source="here; simulated annealing over open patterns",
    aliases=("pattern_descent",),
)

METHODS = (PATTERN_ANNEALING,)
