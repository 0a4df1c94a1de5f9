"""The walk over vectors of nodes, column by column: loops.

``node_walk`` is its order; read it first, after ``node_walk_data``, which says what it
reads and writes. It visits the nodes and notes what is found. ``descent`` goes from a
set of row types to those below a node, and says which types matter there and which sets
another pattern stands for. ``starmin.models.patterns.node_arrays`` makes the arrays.

Stars alone have a walk of their own, ``starmin.models.pricing.pricing_search``, which
says why.
"""
