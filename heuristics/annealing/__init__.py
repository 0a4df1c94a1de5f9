"""Simulated annealing over sets of open patterns.

``pattern_annealing`` is the method; read it first. ``state`` holds the rows dealt to
patterns and its log of changes, ``moves`` proposes, ``repair`` fills patterns that lack
rows, ``start`` makes a state of a partition and back.
"""
