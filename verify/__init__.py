"""Checks that share no code with what they check; only ``instances`` is imported.

``releases`` and ``nonhomogeneous`` check published tables, ``certificates`` checks
bounds, ``brute_force`` is the optimum of small tables. ``utility`` measures what a
release is worth, ``linkage`` what several reveal together, ``reductions`` how hard the
problem is.
"""

if __name__ != "starmin.verify":
    raise ImportError("import starmin.verify; a second copy would be other classes")
