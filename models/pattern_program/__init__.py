"""The pattern formulation as a linear or integer program, its cuts and its points.

Read ``pattern_program`` first: the program, partitions of its points, the best release
for fixed open patterns; ``group_cuts`` and ``cut_separation`` are the cuts and what
they cut off, ``reduced_cost_fixing`` rules incidences out.
"""
