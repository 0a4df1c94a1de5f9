"""Alternating paths for 2-anonymity: pairs of rows break up and match anew.

Read ``path_moves``: it breaks up a group, finds the cheapest path for one row and moves
rows along it, on the state of ``starmin.heuristics.annealing.annealing_state``.
"""
