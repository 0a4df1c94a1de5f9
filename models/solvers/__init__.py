"""Programs as arrays, and the solvers that take them: HiGHS, CP-SAT, those of PuLP.

Read ``program`` first, then ``linear_solver`` and ``mip_search`` (HiGHS, loaded by
``highs``), which also has the scheme of the exact searches. ``whole_bound`` rounds what
a solver proved.
"""
