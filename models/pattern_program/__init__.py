"""The pattern formulation as a linear or integer program, its cuts and its points.

Read ``pattern_program`` first: the program, partitions of its points, the best release
for fixed open patterns, and its cuts. ``cut_separation`` finds what they cut off,
``kernel_search`` rules incidences out and searches the rest. ``neighbourhood`` is the
program of some row types, which ``destroy_operators`` choose.
"""
