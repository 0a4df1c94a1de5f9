"""Methods that find releases without a proof: a folder for each family.

``annealing``, ``diving``, ``large_neighbourhood`` and ``local_search`` search for few
stars; the third works with ``ruin_and_recreate``, too, and also solves parts of
releases with ranges. ``near_patterns`` is for millions of rows. ``approximation`` has
guarantees. ``orders`` and ``recoding`` are fast and also generalize.
``nonhomogeneous`` has the methods that form no groups, ``rules`` those for rules over
combinations. ``accuracy_constrained`` finds the most privacy for a given loss.
"""

if __name__ != "starmin.heuristics":
    raise ImportError("import starmin.heuristics; a second copy would be other classes")
