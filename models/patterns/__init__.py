"""Patterns: the columns of the pattern formulation, which ``pattern_program`` states.

Read ``patterns`` first, then ``closed_listing``: what each row pays at least.
``star_listing`` and ``node_patterns`` list those of a table, for stars and for nodes;
``coarse_losses`` rounds fine losses down.

``node_walk`` is the order of the walk over vectors of nodes, column by column;
``node_arrays`` makes what it reads and writes. ``descent`` goes from a set of row types
to those below a node, and says which types matter there and which sets another pattern
stands for. Stars alone have a walk of their own,
``starmin.models.pricing.pricing_search``, which says why.
"""
