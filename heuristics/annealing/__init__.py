"""Simulated annealing over sets of open patterns, and of nested releases.

``pattern_annealing`` is the method; read it first. Its ``Annealer`` has a state, its
moves and the release it stands for; rounds of it follow each other as long as there is
time; it says for which k rows move along paths or chains, and from when on.
``annealing_state`` holds the rows dealt to patterns, in records of ``dealt_rows`` and
its own, changes it and undoes that. ``pattern_moves`` proposes and finds places for
rows that lost theirs, ``repair`` tells what a pattern lacks and fills it, ``start``
makes a state of a release and back, and keeps the rows that are left diverse.
``annealing_schedule`` has the constants, and which changes are accepted. A function
whose first argument is a state changes it in place.

For 2-anonymity rows move along alternating paths (``path_moves``): pairs break up and
match anew. For other small k they move along ejection chains: ``chain_moves`` breaks
groups up, and ``left_over`` has the steps from a row without a place.

``within_annealing`` is for nested releases: whole classes of an earlier one change
their pattern. Read it for what is changed at a time, and for what it starts from;
prices and patterns are those of ``starmin.models.pattern_variants``.
"""

from starmin.instances.runs.method import Method

WITHIN_ANNEALING = Method(
    "starmin.heuristics.annealing.within_annealing",
    "heuristic",
    requirements=("within",),
    objectives=("stars", "gcp"),
    guarantee="none beforehand; the bound of within_prices comes with it",
    reach="20,000,000 pairs of a class and a pattern that it fits",
    source="simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983) of dealt classes",
)

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

METHODS = (WITHIN_ANNEALING, PATTERN_ANNEALING)
