"""Checks of published tables, whoever made them, from their cells alone.

Read ``release`` first. ``consistency`` compares with the original, ``permutation``
checks Anatomy's two tables.
"""
