"""Exact models and bounds of non-homogeneous k-anonymity."""
