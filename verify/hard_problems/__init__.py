"""The hard problems that reductions start from, and exact solvers for them.

Graphs, cubic graphs, point sets and exact cover; none of them knows of tables.
"""
