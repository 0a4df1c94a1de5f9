"""Reductions: problems that are no harder than another one, and what they say of it.

``reduction`` has what all of them are: the easier problem, and how a release, a bound
and a certificate of it are lifted to the other one. ``known_values`` reads missing
sensitive values, ``added_rows`` deletes rows, ``persons`` counts ids as different
values or makes one row of each person, ``households`` puts them into blocks; a
condition that no bound knows becomes what follows from it (``KnownPart``).
``merged_groups`` unites groups of a lifted release that are not valid.
"""
