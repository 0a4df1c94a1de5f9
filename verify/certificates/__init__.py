"""Checks of certificates: bounds recomputed without a solver, in exact arithmetic.

Read ``certificate_check`` first, then ``prices/node_prices``: the proof for stars, and
what need not be looked at. ``prices`` has the proofs by prices of rows, for losses,
too; ``patterns`` finds the patterns that matter to them and walks trees of decisions.
``untrusted`` reads what anyone may have written.
"""
