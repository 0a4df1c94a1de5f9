"""Sparse matchings between originals and released rows, for non-homogeneous releases.

Read ``matching_problem`` first: it states the problem as arrays. ``near_edges`` and
``edges`` choose which pairs are looked at, ``auction`` matches them, ``layers`` holds
the matchings of a release, ``mask_prices`` plans which columns each row stars.
"""
