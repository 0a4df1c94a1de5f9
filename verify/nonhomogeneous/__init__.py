"""Checks of non-homogeneous releases and of the bounds on them.

Read ``check`` first. ``notions`` are the weaker notions of anonymity, ``prices`` is the
check of a certificate, ``brute_force`` the optimum of small tables.
"""
