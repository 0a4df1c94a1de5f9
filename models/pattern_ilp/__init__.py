"""The pattern formulation solved exactly.

Methods: ``pattern_ilp`` (read it first) and ``pattern_subsets``. ``kernel_search``
finds releases and bounds, ``group_cuts`` strengthens the relaxation, ``rounding`` gives
the first release.
"""
