"""Checks of published tables, whoever made them, from their cells alone.

Read ``release`` first. ``permutation`` checks the two tables of Anatomy. The comparison
with the original is ``starmin.verify.cells.consistency``.
"""
