"""Checks of non-homogeneous releases and of the bounds on them.

Read ``check_nonhomogeneous`` first. ``check_nonhomogeneous`` are the weaker notions of
anonymity, ``rowwise_prices`` is the check of a certificate, ``matcher`` the optimum of
small tables.
"""
