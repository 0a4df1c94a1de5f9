"""Exact methods by matching and factors in graphs.

Methods: ``bipartite_matching`` (read it first), ``general_factor``. ``two_factor``
serves the heuristic ``factor_cover``.
"""
