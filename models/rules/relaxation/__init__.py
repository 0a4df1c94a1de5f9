"""The linear relaxation of rules by classes, over sets that are generated.

Read ``set_relaxation`` first. ``set_pool`` keeps the sets, ``program_part`` makes a
program of them, ``price_repair`` its dual values a bound; ``weaker_prices`` are the
first prices, of the same rules by rows that show.
"""
