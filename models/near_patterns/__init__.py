"""Patterns that cost little more than a row type pays at least, for millions of types.

``near_listing`` lists them, ``near_listing`` is the lower bound that they prove by
themselves. ``own_costs`` is a lower bound without a list. Both go through
``pattern_ranges``. ``pattern_ranges`` divides them into ranges, ``near_listing`` lists
and prices those, ``ranged_function`` adds that up, side by side, ``bounds`` proves
bounds so.
"""
