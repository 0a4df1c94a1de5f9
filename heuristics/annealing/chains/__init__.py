"""Ejection chains for k-anonymity: groups break up, and chains place their rows.

``chain_moves`` breaks up a group; read it first. It finds the cheapest chain, in which
rows that are left over (``left_over``) and patterns that lack a row follow each other,
and carries the chain out. ``left_over`` also has the labels of this search. All work on
the state of ``starmin.heuristics.annealing.annealing_state``.
"""
