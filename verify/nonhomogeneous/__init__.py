"""Checks of non-homogeneous releases and of the bounds on them.

Read ``check_nonhomogeneous`` first. ``notions`` are the weaker notions of anonymity,
``rowwise_prices`` is the check of a certificate, ``brute_force_matchings`` the optimum
of small tables.
"""
