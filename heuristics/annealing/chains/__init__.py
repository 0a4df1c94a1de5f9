"""Ejection chains for k-anonymity: groups break up, and chains place their rows.

``chain_moves`` breaks up a group; read it first. It finds the cheapest chain, in which
rows that are left over (``left_over``) and patterns that lack a row (``lacking``)
follow each other, by what ``left_over`` holds, and carries the chain out. All work on
the state of ``starmin.heuristics.annealing.annealing_state``.
"""
