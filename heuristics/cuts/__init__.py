"""Cuts of an order of all rows into groups that satisfy a requirement.

``row_order`` has an order and the groups formed along it; read it first.
``along_order`` and ``along_mapping`` choose the way that fits the requirement:
``along_order`` is the cheapest for k-anonymity, ``l_groups_by_extent``,
``l_groups_by_frontier`` and ``l_groups_by_ncp`` are for l-diversity, ``along_order`` is
for all others. ``preset`` makes methods of mappings to a line and of programs on it.
"""
