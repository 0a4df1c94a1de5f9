"""The pattern formulation as a linear or integer program, its cuts and its points.

Read ``pattern_program`` first. ``decode`` turns points of the program into partitions,
``open_pattern_flow`` is the best release for fixed open patterns, ``group_cuts`` and
``cut_separation`` are the cuts and what they cut off, ``reduced_cost_fixing`` rules
incidences out.
"""
