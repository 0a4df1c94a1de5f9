"""Checks of non-homogeneous releases and of the bounds on them.

Read ``check_nonhomogeneous`` first, with the weaker notions of anonymity.
``matcher`` decides for each k, with a proof.
"""
