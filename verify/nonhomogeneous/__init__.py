"""Checks of non-homogeneous releases and of the bounds on them.

Read ``check_nonhomogeneous`` first, with the weaker notions of anonymity.
``rowwise_prices`` is the check of a certificate, ``matcher`` finds the optimum of small
tables.
"""
