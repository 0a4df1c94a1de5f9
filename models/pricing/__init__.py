"""Patterns found at given prices, where all of them are too many to list.

Read ``pricing`` first, with the loop of all column generations, then ``boxstep``, which
improves prices within boxes by it; then ``pool_sources``, with the
patterns that searches work on. ``cut_prices`` raises the bound of prices by group-count
cuts, and proves it: ``cut_terms`` is what they add.
"""
