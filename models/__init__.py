"""Exact formulations, and lower bounds with certificates: a folder for each family.

Read ``patterns`` and ``pattern_program`` first: the formulation that most others solve,
relax or restrict, also for some of the rows. ``pattern_ilp`` solves it,
``pattern_variants`` where requirements differ, ``bounds``
relaxes it with the prices of ``lagrangian_relaxation``, whole numbers of a
``price_unit`` in which no sum wraps, ``pricing`` finds its patterns
where they are too many to list. ``best_first`` is the frame of trees whose lowest leaf
is split first; ``solvers`` calls HiGHS, CP-SAT and the solvers of PuLP.
"""

if __name__ != "starmin.models":
    raise ImportError("import starmin.models; a second copy would be other classes")
