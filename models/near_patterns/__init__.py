"""Patterns that cost little more than a row type pays at least, for millions of types.

``near_listing`` lists and prices them, and has the lower bound that they prove by
themselves. ``pattern_ranges`` divides patterns into ranges. ``bounds`` adds up ranges,
side by side, and proves bounds so; one of these does without a list.
"""
