"""Rows dealt to patterns or groups: what the states of several searches are made of.

``nodes`` says how many copies of a row type are where, and ``move_log`` what was moved,
so that it can be undone. ``starmin.heuristics.annealing`` deals rows to patterns of a
list, ``starmin.heuristics.local_search`` to groups whose patterns come and go.
"""
