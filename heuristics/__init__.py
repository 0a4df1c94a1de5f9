"""Methods that find releases without a proof: a folder for each family.

``annealing``, ``diving``, ``large_neighbourhood``, ``local_search`` and ``clustering``
search for few stars; the third works with ``ruin_and_recreate``, ``recombination`` and
``ejection_chains``, too. ``box_neighbourhoods`` solves parts of releases with ranges.
``near_patterns`` is for millions of rows. ``three_phase`` and
``approximation`` have guarantees. ``orders`` and ``recoding`` are fast and also
generalize; ``mappings`` puts rows on a line, which ``cuts`` cut into groups.
``nonhomogeneous`` has the methods that form no groups, with ``matchings`` below it.
``accuracy_constrained`` finds the most privacy for a given loss.
"""

if __name__ != "starmin.heuristics":
    raise ImportError("import starmin.heuristics; a second copy would be other classes")
