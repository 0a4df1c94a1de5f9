"""Tuple minimisation, exact.

``tuple_ilp`` is the method; ``tuple_search`` and ``tuple_program`` are its search and
its program.
"""
