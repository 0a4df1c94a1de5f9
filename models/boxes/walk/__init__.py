"""The walk over boxes: what is worth something at prices, and its cheapest groups.

``box_data`` is what the loops read, ``geometry`` says what boxes cost and which rows
fit them, ``cheapest_group`` finds their cheapest groups. ``search`` calls the walk:
``walk_splits`` chooses nodes, ``walk_admit`` drops what ``walk_bounds`` says.
"""
