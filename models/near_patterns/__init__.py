"""Patterns that cost little more than a row type pays at least, for millions of types.

``near_listing`` lists them, ``near_prices`` is the lower bound that they prove by
themselves. ``own_costs`` is a lower bound without a list. Both go through
``column_sets``. ``pattern_ranges`` divides them into ranges, ``range_tasks`` lists and
prices those, ``ranged_function`` adds that up, side by side, ``bounds`` proves bounds
so.
"""
