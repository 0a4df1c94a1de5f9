"""Checks of certificates: bounds recomputed without a solver, in exact arithmetic.

Read ``certificate_check`` first, then ``prices/star_prices``: the proof for stars, and
what need not be looked at. ``prices`` has the proofs by prices of rows, for losses,
too; ``patterns`` finds the patterns that matter to them; ``trees`` has the proofs by a
tree of decisions, ``odd_set_proof`` and ``residue_proof`` one each. ``untrusted`` reads
what anyone may have written.
"""
