"""Programs as arrays, and the solvers that take them: HiGHS, CP-SAT, those of PuLP.

Read ``program`` first, then ``highs``.
"""
