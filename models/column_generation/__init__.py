"""Patterns priced out instead of listed, for wide tables.

``column_generation`` is the method; read it first. ``pricing`` and ``pricing_search``
find the patterns that matter at given prices, ``boxstep`` improves prices within boxes,
``pattern_pool`` is what searches work on.
"""
