"""Cuts of an order of all rows into groups that satisfy a requirement.

``preset`` has an order and the groups formed along it, and makes methods of mappings to
a line and of programs on it; read it first. ``along_order`` and ``along_mapping``
choose the way that fits the requirement, and have all but one of these ways;
``l_groups_by_ncp`` is one for l-diversity.
"""
