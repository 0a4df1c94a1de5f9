"""The linear relaxation of rules by classes, over sets that are generated.

Read ``set_relaxation`` first: it makes a program of sets, and a bound of its dual
values. ``set_pool`` keeps the sets, and has the first prices, of the same rules by rows
that show.
"""
