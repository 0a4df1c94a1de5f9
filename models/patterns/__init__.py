"""The pattern formulation: patterns, their program, and partitions read off it.

Read ``patterns`` first, then ``pattern_program``. ``listing`` and ``node_patterns``
list the patterns of a table, for stars and for nodes. ``decode`` turns points of the
program into partitions, ``open_pattern_flow`` is the best release for fixed open
patterns, ``reduced_cost_fixing`` rules incidences out. ``cheapest_groups`` looks at
rows where patterns are too many; ``coarse_losses`` rounds fine losses down.
"""
