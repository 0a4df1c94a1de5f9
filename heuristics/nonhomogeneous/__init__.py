"""Heuristics of non-homogeneous k-anonymity."""
