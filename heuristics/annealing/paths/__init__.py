"""Alternating paths for 2-anonymity: pairs of rows break up and match anew.

``path_moves`` breaks up a group and moves rows along paths; read it first.
``path_moves`` finds the cheapest path for one row, by its labels and in the order of a
queue; ``search_labels`` are what they have in common with those of chains. All work on
the state of ``starmin.heuristics.annealing.annealing_state``.
"""
