"""Patterns found at given prices, where all of them are too many to list.

Read ``pricing`` first, then ``boxstep``, which improves prices within boxes, and
``pattern_pool``, the patterns that searches work on. ``cut_prices`` raises the bound of
prices by group-count cuts: ``cut_terms`` is what they add, ``cut_bound`` the proof.
"""
