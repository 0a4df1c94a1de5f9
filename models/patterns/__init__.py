"""Patterns: the columns of the pattern formulation, which ``pattern_program`` states.

Read ``patterns`` first. ``star_listing`` and ``node_patterns`` list those of a table,
for stars and for nodes; ``own_cost`` is what each row pays at least, ``coarse_losses``
rounds fine losses down.
"""
