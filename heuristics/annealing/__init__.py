"""Simulated annealing over sets of open patterns.

``pattern_annealing`` is the method; read it first. ``annealer`` has a state, its moves
and the release it stands for, and anneals in rounds that follow each other as long as
there is time; it says for which k rows move along ``paths`` or ``chains``, and from
when on. ``annealing_state`` holds the rows dealt to patterns, in records of
``starmin.heuristics.dealt_rows`` and its own, changes it and undoes that.
``pattern_moves`` proposes and finds places for rows that lost theirs, ``repair`` tells
what a pattern lacks and fills it, ``start`` makes a state of a release and back, and
keeps the rows that are left diverse. ``annealing_params`` are the constants.
"""

from starmin.instances.runs.method import Method

PATTERN_ANNEALING = Method(
    "starmin.heuristics.annealing.pattern_annealing",
    "heuristic",
    requirements=("k", "l", "k+l"),
    objectives=("stars", "gcp"),
    guarantee="none",
    reach="30,000 rows x 8 quasi-identifiers in seconds",
    source="here; simulated annealing over open patterns",
    aliases=("pattern_descent",),
    counted=True,
)

METHODS = (PATTERN_ANNEALING,)
