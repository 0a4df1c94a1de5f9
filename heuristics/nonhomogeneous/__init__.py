"""Heuristics for non-homogeneous k-anonymity, and the loops under them."""
