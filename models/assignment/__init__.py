"""Textbook formulations for tiny tables, as independent second opinions.

Methods: ``assignment_mip`` (rows to groups, in PuLP; read it first) and ``pairwise_cp``
(pairs of rows, in CP-SAT).
"""
