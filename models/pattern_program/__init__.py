"""The pattern formulation as a linear or integer program, its cuts and its points.

Read ``pattern_program`` first: the program, partitions of its points, the best release
for fixed open patterns, and its cuts. ``cut_separation`` finds what they cut off,
``reduced_cost_fixing`` rules incidences out.
"""
