"""Approximation algorithms for groups: covers, cycles and forests.

Methods: ``pattern_cover`` (read it first), ``greedy_cover``, ``diverse_cover``,
``cycle_cover``, ``factor_cover`` and ``forest``; each states its ratio in its first
paragraph. ``cover_to_partition`` makes a partition of overlapping sets.
"""
