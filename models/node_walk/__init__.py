"""The walk over vectors of nodes, column by column: loops.

``node_walk`` is its order; read it first, after ``node_walk_data``, which says what it
reads and writes. ``descent`` goes from a set of row types to those below a node;
``tree_nodes`` and ``node_ranges`` visit the nodes; ``walk_fills`` and ``row_set_walk``
say which types matter there, ``closures`` which sets another pattern stands for;
``emission`` notes what is found. ``starmin.models.patterns.node_arrays`` makes the
arrays.

Stars alone have a walk of their own, ``starmin.models.pricing.pricing_search``, which
says why.
"""
