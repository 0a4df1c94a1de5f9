"""The walk over boxes: what is worth something at prices, and its cheapest groups.

``box_data`` is what the loops read, ``walk_bounds`` says what boxes cost, which rows
fit them and what can be dropped. ``search`` calls the walk: ``box_walk`` chooses nodes,
and finds the cheapest groups of boxes.
"""
