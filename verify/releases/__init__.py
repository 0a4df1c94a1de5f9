"""Checks of published tables, whoever made them, from their cells alone.

Read ``release_check`` first. ``permutation_check`` checks the two tables of Anatomy.
The comparison with the original is ``starmin.verify.cells.cells``.
"""
