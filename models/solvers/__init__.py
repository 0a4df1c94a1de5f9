"""Programs as arrays, and the solvers that take them: HiGHS, CP-SAT, those of PuLP.

Read ``program`` first, which also rounds what a solver proved, then ``linear_solver``
and ``mip_search`` (HiGHS), which also has the scheme of the exact searches.
"""
