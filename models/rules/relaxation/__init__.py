"""The linear relaxation of rules by classes, over sets that are generated.

Read ``set_relaxation`` first. ``set_pool`` keeps the sets, ``set_relaxation`` makes a
program of them, ``set_relaxation`` its dual values a bound; ``set_pool`` are the first
prices, of the same rules by rows that show.
"""
