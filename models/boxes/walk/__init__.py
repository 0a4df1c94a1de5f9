"""The walk over boxes: what is worth something at prices, and its cheapest groups.

``box_data`` is what the loops read, ``walk_bounds`` says what boxes cost, which rows
fit them and what can be dropped, ``box_fills`` finds the cheapest group of a box.
``search`` calls the walk: ``box_walk`` chooses nodes.
"""
