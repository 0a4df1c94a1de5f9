"""Checks of certificates: bounds recomputed without a solver, in exact arithmetic.

Read ``check`` first, then ``prices``: the proof and what need not be looked at.
"""
