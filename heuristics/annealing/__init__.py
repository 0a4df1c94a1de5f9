"""Simulated annealing over sets of open patterns.

``pattern_annealing`` is the method; read it first. ``annealing_rounds`` anneals in
rounds that follow each other as long as there is time. An ``annealer`` is a state, its
moves and the release it stands for. ``annealing_state`` holds the rows dealt to
patterns, in records of ``starmin.heuristics.dealt_rows`` and its own;
``annealing_changes`` changes it and undoes that, ``eligibility`` tells what a pattern
lacks. ``pattern_moves`` proposes, ``repair`` fills patterns that lack rows, ``orphans``
finds places for rows that lost theirs, ``start`` makes a state of a release and back.
``row_moves`` says for which k rows move along ``paths`` or ``chains``, and from when
on. ``annealing_params`` and ``move_params`` are the constants, ``reserves`` keep the
rows that are left diverse.
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
