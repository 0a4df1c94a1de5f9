"""The walk over boxes: what is worth something at prices, and its cheapest groups.

``box_data`` is what the loops read, ``walk_bounds`` says what boxes cost and which rows
fit them, ``cheapest_group`` finds their cheapest groups. ``search`` calls the walk:
``box_walk`` chooses nodes, and drops what ``walk_bounds`` says.
"""
