"""Reductions: problems that are no harder than another one, and what they say of it.

``reduction`` has what all of them are: the easier problem, and how a release, a bound
and a certificate of it are lifted to the other one; a condition that no bound knows
becomes what follows from it, and tuples become stars. ``changed_rows`` reads missing
sensitive values, and deletes rows; ``persons`` counts ids as different values, makes
one row of each person or puts households into blocks. ``merged_groups`` unites groups
of a lifted release that are not valid. Which one is tried for which problem stands in
``REDUCTIONS`` of ``starmin.auto.easier_problems``.
"""
