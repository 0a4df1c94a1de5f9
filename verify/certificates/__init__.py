"""Checks of certificates: bounds recomputed without a solver, in exact arithmetic.

Read ``check`` first, then ``prices``: the proof for stars, and what need not be looked
at. ``tree`` is the proof by a tree of decisions, ``node_prices`` that for losses by
ranges and nodes, ``group_prices`` that for losses in wide tables, ``residue`` that for
suppressed tuples. ``untrusted`` reads what anyone may have written.
"""
